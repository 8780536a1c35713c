/**
 * Writes the index of conversations in steps of a few milliseconds, each one transaction. A killed process loses at most
 * one step, and a message that is written again is replaced.
 */
import { inSlices, type SliceClock, type Sliced } from "../base/slices.js";
import { createSplitter } from "../recall/terms.js";
import { toSafeLine } from "../text/secrets/secrets.js";
import { countBytes, type Database, type Hold, type Value } from "./engine.js";
import { type Line, planSteps, type SessionHead } from "./lines.js";

/** Pause between steps, for others who need the thread. */
const PAUSE_MS = 2;
/** Pages merged after each step: more than it writes, so that merging keeps up. Takes about as long as the step. */
const MERGED_PAGES = 32;
/** Taking the lock costs as much as a step. */
const STEPS_AT_ONCE = 8;
/** A step removes at most so many lines, and stops after so many characters: each of their terms is looked up. */
const REMOVED_AT_ONCE = 20;
const CHARACTERS_REMOVED = 1_000;
const MOST_TITLE = 200;

export function createWriting(hold: Hold, { clock, maxBytes }: { clock: SliceClock; maxBytes: number }) {
  return {
    /**
     * Adds these lines, in the order of their messages; a message that is there is replaced. `readMs`: when the host was
     * asked for them, stored with the last step. Does nothing for a forgotten session.
     */
    async add(session: SessionHead, lines: readonly Line[], readMs = 0): Promise<void> {
      const splitNow = createSplit();
      const steps = planSteps(lines);
      // A title may come or change without a word.
      if (steps.length === 0) steps.push([]);
      for (let from = 0; from < steps.length; from += STEPS_AT_ONCE) {
        const next = steps.slice(from, from + STEPS_AT_ONCE);
        const known = await inSlices(clock, splitAll(next.flat(), splitNow));
        const split: Split = (text) => known.get(text) ?? splitNow(text);
        await hold(async (step) => {
          for (const some of next) {
            const given = { lines: some, split, readMs: some === steps.at(-1) ? readMs : 0 };
            let isFull = step((database) => putLines(database, session, given) > maxBytes);
            await clock.pause(PAUSE_MS);
            while (isFull) {
              isFull = step((database) => dropOldest(database, { maxBytes, split }));
              await clock.pause(PAUSE_MS);
            }
          }
        });
      }
    },

    /** Removes every byte of these messages. */
    async removeMessages(sessionID: string, messageIDs: readonly string[]): Promise<void> {
      for (const id of messageIDs) await removeLines("message = ?", [sessionID, id]);
    },

    /** Removes every byte of the session. */
    async removeSession(sessionID: string): Promise<void> {
      await removeLines("TRUE", [sessionID]);
      const sql = "DELETE FROM sessions WHERE id = ?";
      await hold((step) => step((database) => database.run(sql, [sessionID])), undefined);
    },

    /** The same, and never adds it again: only its id stays. */
    async forgetSession(sessionID: string): Promise<void> {
      await removeLines("TRUE", [sessionID]);
      const sql = `INSERT INTO sessions (id, project, title, at, until, read, forgotten) VALUES (?, '', '', 0, 0, 0, 1)
        ON CONFLICT (id) DO UPDATE SET project = '', title = '', at = 0, forgotten = 1`;
      await hold((step) => step((database) => database.run(sql, [sessionID])));
    },
  };

  async function removeLines(which: string, values: readonly [sessionID: string, ...Value[]]): Promise<void> {
    const split = createSplit();
    const where = `session = (SELECT key FROM sessions WHERE id = ?) AND ${which} LIMIT ${REMOVED_AT_ONCE}`;
    const removeSome = (database: Database): boolean => {
      const removed = dropLines(database, where, { values, split, most: CHARACTERS_REMOVED });
      giveBack(database);
      return removed > 0;
    };
    await hold(async (step) => {
      while (step(removeSome)) await clock.pause(PAUSE_MS);
    }, undefined);
  }
}

/* Each function is part of a step. */

/** A text's terms, as `words` takes them. */
type Split = (text: string) => string;

function createSplit(): Split {
  const split = createSplitter();
  return (text) => split(text).join(" ");
}

/** Done before the steps, as it takes twice as long as writing. */
function* splitAll(lines: readonly Line[], split: Split): Sliced<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for (const { text } of lines) {
    known.set(text, split(text));
    yield;
  }
  return known;
}

interface Given {
  lines: readonly Line[];
  readMs: number;
  split: Split;
}

/**
 * Key of the session, which is added if it is new; `undefined` if it is forgotten. Its title can be searched like its
 * lines.
 */
function putHead(
  database: Database,
  { id, project, title: given }: SessionHead,
  { lines, readMs, split }: Given,
): number | undefined {
  const title = toSafeLine(given, MOST_TITLE);
  const last = Math.max(0, ...lines.map(({ atMs }) => atMs));
  const insert =
    "INSERT OR IGNORE INTO sessions (id, project, title, at, until, read) VALUES (?, ?, '', 0, 0, 0)";
  database.run(insert, [id, project]);
  const known = "SELECT key, title FROM sessions WHERE id = ? AND forgotten = 0";
  const [row] = database.all<{ key: number; title: string }>(known, [id]);
  if (!row) return undefined;
  const { key, title: before } = row;
  const values = [project, title, last, last, readMs, key];
  const put =
    "UPDATE sessions SET project = ?, title = ?, at = max(at, ?), until = max(until, ?), read = max(read, ?) WHERE key = ?";
  database.run(put, values);
  if (title === before) return key;
  dropLines(database, "session = ? AND author = 'title'", { values: [key], split });
  if (title !== "") putLine(database, { key, messageID: "", atMs: 0, by: "title", text: title }, split);
  return key;
}

/** Replaces the lines of their messages. Returns the size of the index. */
function putLines(database: Database, session: SessionHead, given: Given): number {
  const { lines, split } = given;
  const key = putHead(database, session, given);
  if (key === undefined) return 0;
  const messages = new Map(lines.map(({ atMs, messageID }) => [messageID, atMs]));
  for (const [id, atMs] of messages)
    dropLines(database, "session = ? AND at = ? AND message = ?", { values: [key, atMs, id], split });
  for (const line of lines) putLine(database, { ...line, key }, split);
  database.run("INSERT INTO words (words, rank) VALUES ('merge', ?)", [MERGED_PAGES]);
  return countBytes(database);
}

function putLine(
  database: Database,
  { atMs, by, key, messageID, text }: Omit<Line, "by"> & { key: number; by: Line["by"] | "title" },
  split: Split,
): void {
  const values = [key, messageID, atMs, by, text];
  database.run("INSERT INTO lines (session, message, at, author, text) VALUES (?, ?, ?, ?, ?)", values);
  database.run("INSERT INTO words (rowid, terms) VALUES (last_insert_rowid(), ?)", [split(text)]);
}

/** Removes lines and their terms, up to `most` characters. Returns the number of lines. */
function dropLines(
  database: Database,
  where: string,
  given: { most?: number; split: Split; values: readonly Value[] },
): number {
  const { most = Number.POSITIVE_INFINITY, split, values } = given;
  const sql = `SELECT key, text FROM lines WHERE ${where}`;
  let [characters, removed] = [0, 0];
  for (const { key, text } of database.all<{ key: number; text: string }>(sql, values)) {
    if (characters >= most) break;
    characters += text.length;
    removed++;
    database.run("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", [key, split(text)]);
    database.run("DELETE FROM lines WHERE key = ?", [key]);
  }
  return removed;
}

/** Removes some of the oldest lines; titles stay. True if the index is still too large. */
function dropOldest(database: Database, { maxBytes, split }: { maxBytes: number; split: Split }): boolean {
  const oldest = `author <> 'title' ORDER BY at LIMIT ${REMOVED_AT_ONCE}`;
  const removed = dropLines(database, oldest, { values: [], split, most: CHARACTERS_REMOVED });
  giveBack(database);
  return removed > 0 && countBytes(database) > maxBytes;
}

/** Shortens the file by its free pages. */
const giveBack = (database: Database): void => void database.all("PRAGMA incremental_vacuum(64)");
