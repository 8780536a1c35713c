/**
 * What is known of each session that has a savings ledger, `<state>/sessions.json`: its title, and the sums of its ledger
 * up to some byte, so that a start need not read every ledger again. May be deleted at any time.
 */
import { toPrintable } from "../base/printable.js";
import { count, isRecord, object, optional, parseJson, parserOf, string } from "../base/shape.js";
import { type DaySums, isSums, type Sums } from "../costs/sums.js";
import { type Files, readText } from "../io/files.js";
import { formatState } from "../io/state-file.js";

export interface KnownSession {
  title?: string;
  /** Bytes of the ledger that the sums cover. */
  bytes: number;
  sums: Sums;
  lastDay?: DaySums;
}

export type KnownSessions = ReadonlyMap<string, KnownSession>;

/** A title is for one line of a page. */
const MOST_TITLE = 200;

const isDaySums = (value: unknown): value is DaySums =>
  isSums(value) && string((value as Partial<DaySums>).day);

const parseSession = parserOf(
  object<KnownSession>({ title: optional(string), bytes: count, sums: isSums, lastDay: optional(isDaySums) }),
);

/** Sessions that cannot be read are left out. */
export function parseKnownSessions(text: string): KnownSessions | undefined {
  const state = parseJson(text);
  if (!isRecord(state) || !isRecord(state.sessions)) return undefined;
  return new Map(
    Object.entries(state.sessions).flatMap(([id, given]) => {
      const session = parseSession(given);
      return session ? [[id, session] as const] : [];
    }),
  );
}

export function formatKnownSessions(known: KnownSessions): string {
  return formatState({ sessions: Object.fromEntries(known) });
}

/** One line, of a length that fits a page; `undefined` if nothing is left. */
export function cleanTitle(title: string): string | undefined {
  const line = toPrintable(title).replace(/\s+/gu, " ").trim().slice(0, MOST_TITLE);
  return line === "" ? undefined : line;
}

/** Titles by session, as far as they are known. Never rejects. */
export async function readTitles(
  files: Pick<Files, "read">,
  path: string,
): Promise<ReadonlyMap<string, string>> {
  const text = await readText(files, path).catch(() => undefined);
  const known = text === undefined ? undefined : parseKnownSessions(text);
  return new Map(
    [...(known ?? [])].flatMap(([id, { title }]) => {
      const clean = title === undefined ? undefined : cleanTitle(title);
      return clean === undefined ? [] : [[id, clean] as const];
    }),
  );
}
