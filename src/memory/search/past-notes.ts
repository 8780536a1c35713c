/**
 * Searches earlier sessions of the project: the lines of the notes in `.opencode/session-memory`, with the user's words
 * verbatim, for sessions held on this machine. Notes are read on first use, and again when a file changes.
 */
import { join } from "node:path";
import { type Files, readText } from "../../io/files.js";
import type { SeenSessions } from "../../project/own.js";
import type { Recall, RecallEntry } from "../../recall/recall.js";
import { redactSecrets } from "../../text/secrets/secrets.js";

export interface PastNotesOptions {
  files: Files;
  folder: string;
  /** Tells which sessions were held on this machine: a repository may bring notes on others. */
  sessions: Pick<SeenSessions, "filter">;
  createIndex: () => Promise<Recall>;
}

export interface PastLine {
  sessionID: string;
  /** Absolute path of the notes. */
  path: string;
  text: string;
  /** ISO date-time: when it was said if the line tells, else when the notes were last written. */
  date: string;
}

export interface PastHit extends PastLine {
  why: string;
  score: number;
}

export type PastNotes = ReturnType<typeof createPastNotes>;

/** Maximum number of indexed sessions, newest first; grep finds older notes. */
const MOST_SESSIONS = 200;
const MOST_LINES_A_SESSION = 400;
const MOST_LOOKED_AT = 20_000;
const LONGEST_LINE = 2_000;
/** Characters scanned beyond the shown part of a line: half a secret goes unrecognised. */
const LONGEST_SECRET = 500;

export function createPastNotes(options: PastNotesOptions) {
  const { files, folder, createIndex, sessions } = options;
  /** By session: when its notes were changed, and the ids of their lines. */
  const known = new Map<string, { modifiedMs: number; ids: readonly string[] }>();
  const lines = new Map<string, PastLine>();
  let recall: Recall | undefined;
  let reading: Promise<Recall> | undefined;

  return {
    /** Best first. */
    async find(
      text: string,
      { limit, exceptSession }: { limit: number; exceptSession?: string | undefined },
    ): Promise<PastHit[]> {
      reading ??= refresh().finally(() => {
        reading = undefined;
      });
      const index = await reading;
      const hits = index
        .search(text, { limit: limit + MOST_LINES_A_SESSION })
        .flatMap(({ id, score, why }) => {
          const line = lines.get(id);
          return line && line.sessionID !== exceptSession
            ? [{ ...line, text: redact(line.text), score, why }]
            : [];
        });
      return hits.slice(0, limit);
    },
  };

  async function refresh(): Promise<Recall> {
    recall ??= await createIndex();
    const newest = await listNewest();
    const kept = new Set(newest.map(({ sessionID }) => sessionID));
    for (const sessionID of known.keys()) if (!kept.has(sessionID)) removeNotes(recall, sessionID);
    for (const { sessionID, modifiedMs } of newest) {
      if (known.get(sessionID)?.modifiedMs === modifiedMs) continue;
      removeNotes(recall, sessionID);
      await addNotes(recall, sessionID, modifiedMs);
    }
    return recall;
  }

  async function listNewest(): Promise<{ sessionID: string; modifiedMs: number }[]> {
    const found: { sessionID: string; modifiedMs: number }[] = [];
    for (const name of await files.list(folder)) {
      const sessionID = /^([\w-]+)\.md$/.exec(name)?.[1];
      const stat = sessionID === undefined ? undefined : await files.stat(join(folder, name));
      if (sessionID !== undefined && stat?.kind === "file")
        found.push({ sessionID, modifiedMs: stat.modifiedMs });
    }
    const newest = found.sort((a, b) => b.modifiedMs - a.modifiedMs);
    const ids = newest.map(({ sessionID }) => sessionID);
    const seen = await sessions.filter(ids);
    return newest.filter(({ sessionID }) => seen.has(sessionID)).slice(0, MOST_SESSIONS);
  }

  async function addNotes(index: Recall, sessionID: string, modifiedMs: number): Promise<void> {
    const path = join(folder, `${sessionID}.md`);
    const notes = await readText(files, path);
    if (notes === undefined) return;
    const ids: string[] = [];
    for (const [order, text] of parsePastLines(notes).entries()) {
      const id = `${sessionID}#${order}`;
      const line = { sessionID, path, text, date: findTime(text) ?? new Date(modifiedMs).toISOString() };
      lines.set(id, line);
      index.add(toEntry(id, order, line));
      ids.push(id);
    }
    known.set(sessionID, { modifiedMs, ids });
  }

  function removeNotes(index: Recall, sessionID: string): void {
    for (const id of known.get(sessionID)?.ids ?? []) {
      index.remove(id);
      lines.delete(id);
    }
    known.delete(sessionID);
  }
}

function toEntry(id: string, order: number, { date, sessionID, text }: PastLine): RecallEntry {
  const role = findRole(text);
  return { id, text, date, group: sessionID, order, ...(role && { role }) };
}

/** Whose words a line holds, as the notes write it; `undefined` for the machine's record of files and commands. */
export function findRole(line: string): "user" | "assistant" | undefined {
  if (/^(User|Request \d+( \([^)]*\))?):/.test(line)) return "user";
  return /^(Last answer\b.*?:|Agent:|Subagent "|(Request \d+|Before the first request) →)/.test(line)
    ? "assistant"
    : undefined;
}

/** The list items of the notes, each with its indented lines; omits headings and all text before the first heading. */
export function parsePastLines(notes: string): string[] {
  const body = notes.replaceAll("\r\n", "\n").split("\n", MOST_LOOKED_AT);
  const start = body.findIndex((line) => line.startsWith("## "));
  const found: string[] = [];
  let isInPoint = false;
  for (const line of start === -1 ? [] : body.slice(start)) {
    const words = line.trim();
    if (words === "" || line.startsWith("#")) isInPoint = false;
    else if (isInPoint && /^\s/.test(line)) found.push(`${found.pop()} ${words.replace(/^>\s*/, "")}`);
    else {
      found.push(words.replace(/^[-*]\s+/, ""));
      isInPoint = true;
    }
  }
  return found.slice(0, MOST_LINES_A_SESSION).map((line) => line.slice(0, LONGEST_LINE + LONGEST_SECRET));
}

/** A person may have written a secret into the notes. */
const redact = (text: string): string => redactSecrets(text).text.slice(0, LONGEST_LINE);

/** Parses the time as the notes write it. */
function findTime(text: string): string | undefined {
  const [, day, time] = /\((\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) UTC\)/.exec(text) ?? [];
  // Node parses "undefinedTundefined:00Z" as a date.
  if (day === undefined || time === undefined) return undefined;
  const at = Date.parse(`${day}T${time}:00Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
