/**
 * What the screen shows of a session: written by the plugin behind each request and behind the turn's end, read by the
 * TUI half and the command line. One file per session, `.opencode/strata/state/screen/<sessionID>.json`, replaced as a
 * whole. Each reader gets the same figures: tokens as the provider counted them, money where the host has a price.
 */
import { join } from "node:path";
import { toPrintable } from "../base/printable.js";
import {
  count,
  each,
  finite,
  isRecord,
  isVersion,
  list,
  object,
  optional,
  parseJson,
  parserOf,
  string,
} from "../base/shape.js";
import type { Saving } from "../costs/sums.js";
import { type Files, readText } from "../io/files.js";
import { formatState, readState } from "../io/state-file.js";
import type { Folders } from "../project/folders.js";

/** What the tokens of a request are spent on. Their sum is the size of the context. */
export const KINDS = ["system", "words", "answers", "calls", "results", "memory", "notes"] as const;
export type Kind = (typeof KINDS)[number];

/** Tokens of the last request and its answer, which the host shows as the size of the context. */
export interface ContextFigures {
  now: number;
  /** What the bare host would have; an estimate. */
  without: number;
  /** History is cut before the context grows beyond. */
  threshold: number;
  window?: number;
  /** Whole numbers that add up to `now`. */
  kinds: Record<Kind, number>;
  /** The provider has not counted yet: sizes are estimates from characters. */
  isEstimate?: boolean;
}

export interface SessionScreen {
  v: 1;
  session: string;
  title?: string;
  /** Time of the last request, ISO 8601, UTC. */
  time: string;
  context: ContextFigures;
  /** Part of the prompt that came from the cache: in the last answer, and in the whole session; 0 to 1. */
  cache: { last?: number; session?: number };
  /** `today` and `project` are of all sessions of the project; a day begins at local midnight. */
  saved: { session: Saving; today: Saving; project: Saving };
  memory: { memories: number; candidates: number; blockers: number; todos: number };
  /** Why automatic summaries do not help in this session; they are off where the host lets a plugin switch them. */
  breaker?: string;
  /** What Strata does in the background now, such as "dream". */
  background: string[];
  /** One sentence each: wrong settings, missing capabilities, other instances that edit the same files. */
  warnings: string[];
}

const flag = (value: unknown): value is boolean => typeof value === "boolean";
const share = (value: unknown): value is number => finite(value) && value >= 0 && value <= 1;
const saving = object<Saving>({ tokens: finite, ...each(optional(finite), "share", "dollars", "unpriced") });

/** `undefined` if a part is missing or wrong. Accepts any value, never throws; unknown fields are kept. */
export const parseSessionScreen = parserOf(
  object<SessionScreen>({
    v: isVersion,
    ...each(string, "session", "time"),
    context: object<ContextFigures>({
      ...each(count, "now", "without", "threshold"),
      window: optional(count),
      kinds: object<Record<Kind, number>>(each(count, ...KINDS) as Record<Kind, typeof count>),
      isEstimate: optional(flag),
    }),
    cache: object<SessionScreen["cache"]>(each(optional(share), "last", "session")),
    saved: object<SessionScreen["saved"]>(each(saving, "session", "today", "project")),
    memory: object<SessionScreen["memory"]>(each(count, "memories", "candidates", "blockers", "todos")),
    ...each(optional(string), "title", "breaker"),
    background: list(string),
    warnings: list(string),
  }),
);

export const screenPath = ({ screens }: Pick<Folders, "screens">, sessionID: string): string =>
  join(screens, `${sessionID}.json`);

/** The session's screen as last written; `undefined` if there is none or it cannot be read. Never rejects. */
export async function readSessionScreen(
  files: Pick<Files, "read">,
  folders: Pick<Folders, "screens">,
  sessionID: string,
): Promise<SessionScreen | undefined> {
  return readState(files, screenPath(folders, sessionID), parseSessionScreen).catch(() => undefined);
}

/**
 * Why automatic summaries are off in the session, as the layer that decides it has written down. Rejects with the system's
 * error.
 */
export async function readBreaker(
  files: Pick<Files, "read">,
  { breakers }: Pick<Folders, "breakers">,
  sessionID: string,
): Promise<string | undefined> {
  return readState(files, join(breakers, `${sessionID}.json`), (state) =>
    isRecord(state) && string(state.open) ? state.open : undefined,
  );
}

/* Titles of sessions that have a savings ledger, `<state>/sessions.json`. May be deleted at any time. */

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

/** Titles by session, as far as they are known. Never rejects. */
export const readTitles = (files: Pick<Files, "read">, path: string): Promise<Map<string, string>> =>
  loadTitles(files, path).catch(() => new Map());

/** The same; rejects with the system's error. */
export async function loadTitles(files: Pick<Files, "read">, path: string): Promise<Map<string, string>> {
  const state = parseJson((await readText(files, path)) ?? "");
  const titles = new Map<string, string>();
  if (!isRecord(state) || !isRecord(state.sessions)) return titles;
  for (const [id, session] of Object.entries(state.sessions)) {
    const title = isRecord(session) ? cleanTitle(session.title) : undefined;
    if (title !== undefined) titles.set(id, title);
  }
  return titles;
}
