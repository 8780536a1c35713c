/** Titles of sessions that have a savings ledger, `<state>/sessions.json`. May be deleted at any time. */
import { toPrintable } from "../base/printable.js";
import { isRecord, parseJson } from "../base/shape.js";
import { type Files, readText } from "../io/files.js";
import { formatState } from "../io/state-file.js";

/** A title is for one line of a page. */
const MOST_TITLE = 200;

export const formatTitles = (titles: ReadonlyMap<string, string>): string =>
  formatState({ sessions: Object.fromEntries([...titles].map(([id, title]) => [id, { title }])) });

/** One line, of a length that fits a page; `undefined` if nothing is left. */
export function cleanTitle(title: unknown): string | undefined {
  if (typeof title !== "string") return undefined;
  const line = toPrintable(title).replace(/\s+/gu, " ").trim().slice(0, MOST_TITLE);
  return line === "" ? undefined : line;
}

type Reader = Pick<Files, "read">;

/** Titles by session, as far as they are known. Never rejects. */
export const readTitles = (files: Reader, path: string): Promise<Map<string, string>> =>
  loadTitles(files, path).catch(() => new Map());

/** The same; rejects with the system's error. */
export async function loadTitles(files: Reader, path: string): Promise<Map<string, string>> {
  const state = parseJson((await readText(files, path)) ?? "");
  const titles = new Map<string, string>();
  if (!isRecord(state) || !isRecord(state.sessions)) return titles;
  for (const [id, session] of Object.entries(state.sessions)) {
    const title = isRecord(session) ? cleanTitle(session.title) : undefined;
    if (title !== undefined) titles.set(id, title);
  }
  return titles;
}
