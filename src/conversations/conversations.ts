/**
 * A search index of this user's sessions in every project on this machine: the user's words, the agent's answers and a
 * line for each tool call. It is one database in the user's state folder, never in a project. It is built from what the
 * host tells (`feed.ts`), so it can be rebuilt at any time.
 *
 *     const conversations = openConversations(context, "feed");
 *     await conversations.search("which port", { project, limit: 10 });   // quotes, best first
 *     await conversations.session("ses_…", { limit: 200 });               // what was said in it, in order
 *     await conversations.list({ project, limit: 20 });                   // sessions, last used first
 *
 * Nothing stays open or in memory between two calls. A call takes the lock of the database, opens it, does one small step
 * in one transaction, and closes it. Long work is many such steps with pauses, so that other processes and the host's
 * thread get their turn. A killed process loses at most one step. Reading creates no file. All calls reject with ELOCKED
 * when another process keeps the lock, and with the system's error.
 */
import { join } from "node:path";
import type { SliceClock } from "../base/slices.js";
import { createSplitter } from "../recall/terms.js";
import { type Database, type Hold, openStore, type StoreOptions, type Value } from "./engine.js";
import { cutQuote, type Line, type SessionHead } from "./lines.js";
import { createWriting } from "./writing.js";

export interface KnownSession extends SessionHead {
  /** Time of its latest indexed message. */
  atMs: number;
}

export interface Cursor {
  /** Time of the last indexed message. */
  untilMs: number;
  /** When the host was last asked and everything that it had was indexed. */
  readMs: number;
  isForgotten: boolean;
}

export type Author = Line["by"];

export interface Quote {
  session: KnownSession;
  /** Absent if the session's title matched. */
  messageID?: string;
  atMs: number;
  by: Author | "title";
  /** The text around the match, on one line. */
  text: string;
  /** Higher is better; comparable within one answer only. */
  score: number;
}

export interface QuoteQuery {
  /** Only those of this project. */
  project?: string | undefined;
  sinceMs?: number | undefined;
  by?: Author | undefined;
  /** Leaves out a session that knows what it said. */
  exceptSession?: string | undefined;
  /** Default 20. */
  limit?: number;
}

export interface ConversationsOptions extends StoreOptions {
  clock: SliceClock;
  /** `findFolder(stateFolder)` */
  folder: string;
  /** Setting `search.maxBytes`. */
  maxBytes: number;
}

export type Conversations = ReturnType<typeof createConversations>;

export const findFolder = (stateFolder: string): string => join(stateFolder, "conversations");

const USUAL_LIMIT = 20;
const MOST_TERMS = 16;
/** Ranking so many lines takes 25 ms; beyond that, the most common words, which tell least, are left out. */
const MOST_WEIGHED = 30_000;

export function createConversations(options: ConversationsOptions) {
  const { discard, hold } = openStore(options);
  const reading = createReading(hold);
  const writing = createWriting(hold, options);

  return {
    ...reading,
    ...writing,

    removeAll: discard,

    /** Removes all of the project, and the file with the last one. */
    async removeProject(project: string): Promise<void> {
      for (const { id } of await reading.list({ project, limit: -1 })) await writing.removeSession(id);
      if ((await reading.list({ limit: 1 })).length === 0) await discard();
    },
  };
}

function createReading(hold: Hold) {
  /** Empty if there is no database: reading creates none. */
  const read = <Row>(run: (database: Database) => Row[]): Promise<Row[]> => hold((step) => step(run), []);
  const all = <Row>(sql: string, values: readonly Value[]): Promise<Row[]> =>
    read((database) => database.all<Row>(sql, values));

  return {
    /** Quotes that match these words, best first; a line that a fork repeats comes once. Empty for stop words alone. */
    async search(words: string, query: QuoteQuery = {}): Promise<Quote[]> {
      const split = createSplitter();
      const terms = [...new Set(split(words))].slice(0, MOST_TERMS);
      if (terms.length === 0) return [];
      const { limit = USUAL_LIMIT } = query;
      const rows = await read((database) => find(database, terms, { ...query, limit: 2 * limit }));
      const found = new Map<string, QuoteRow>();
      for (const row of rows) {
        const sign = `${row.at} ${row.author} ${row.text}`;
        if (!found.has(sign)) found.set(sign, row);
      }
      const asked = new Set(terms);
      const toQuote = ({ at, author, message, score, text, ...session }: QuoteRow): Quote => ({
        session: toSession(session),
        ...(message !== "" && { messageID: message }),
        atMs: at,
        by: author,
        text: cutQuote(text, asked, split),
        score: -score,
      });
      return [...found.values()].slice(0, limit).map(toQuote);
    },

    /** What was said right before and after these quotes, without tool calls. May repeat a given quote. */
    async around(quotes: readonly Pick<Quote, "atMs" | "messageID" | "session">[]): Promise<Quote[]> {
      return read((database) =>
        quotes.flatMap(({ atMs, messageID, session }) => {
          if (messageID === undefined) return [];
          const rows = database.all<LineRow>(BESIDE, [session.id, atMs, session.id, atMs]);
          return rows.map(({ at, author, message, text }) => ({
            ...{ session, messageID: message, atMs: at, by: author, score: 0 },
            text: cutQuote(text, new Set(), createSplitter()),
          }));
        }),
      );
    },

    /** Sessions, last used first. */
    async list({ limit, project }: { project?: string; limit: number }): Promise<KnownSession[]> {
      const [where, values] = project === undefined ? ["", []] : ["AND project = ?", [project]];
      const sql = `SELECT ${HEAD} FROM sessions s WHERE forgotten = 0 ${where} ORDER BY at DESC LIMIT ?`;
      return (await all<SessionRow>(sql, [...values, limit])).map(toSession);
    },

    /** A session and its lines, oldest first: from this message on, or the last ones; `undefined` if it is not indexed. */
    async session(
      sessionID: string,
      { from, limit }: { from?: string; limit: number },
    ): Promise<{ head: KnownSession; lines: Line[] } | undefined> {
      const head = `SELECT ${HEAD} FROM sessions s WHERE id = ? AND forgotten = 0`;
      const [row] = await all<SessionRow>(head, [sessionID]);
      if (!row) return undefined;
      const start = "AND at >= (SELECT at FROM lines WHERE session = ? AND message = ?)";
      const [where, order, values] =
        from === undefined ? ["", "DESC", []] : [start, "ASC", [row.session, from]];
      const lines = await all<LineRow>(
        `SELECT message, at, author, text FROM lines WHERE session = ? AND author <> 'title' ${where}
         ORDER BY at ${order}, key ${order} LIMIT ?`,
        [row.session, ...values, limit],
      );
      if (from === undefined) lines.reverse();
      return { head: toSession(row), lines: lines.map(toLine) };
    },

    /** How far the session was read; `undefined` if it is not indexed. */
    async findCursor(sessionID: string): Promise<Cursor | undefined> {
      const sql = "SELECT until AS untilMs, read AS readMs, forgotten FROM sessions WHERE id = ?";
      const [row] = await all<Omit<Cursor, "isForgotten"> & { forgotten: number }>(sql, [sessionID]);
      return row && { untilMs: row.untilMs, readMs: row.readMs, isForgotten: row.forgotten === 1 };
    },

    /** The session's messages that have an indexed line. */
    listMessages(sessionID: string): Promise<{ id: string; atMs: number }[]> {
      const of = "session = (SELECT key FROM sessions WHERE id = ?) AND author <> 'title'";
      return all(`SELECT DISTINCT message AS id, at AS atMs FROM lines WHERE ${of}`, [sessionID]);
    },
  };
}

/* Sessions and lines as they are stored. Each function is part of a step. */

interface SessionRow {
  session: number;
  id: string;
  project: string;
  title: string;
  used: number;
}

interface LineRow {
  message: string;
  at: number;
  author: Author;
  text: string;
}

interface QuoteRow extends Omit<LineRow, "author">, SessionRow {
  author: Author | "title";
  score: number;
}

const OF_SESSION = "session = (SELECT key FROM sessions WHERE id = ?) AND author IN ('user', 'agent')";
/** Two lines before a time, and from it on that line and two more. */
const BESIDE = `SELECT message, at, author, text FROM (
    SELECT * FROM (SELECT * FROM lines WHERE ${OF_SESSION} AND at < ? ORDER BY at DESC, key DESC LIMIT 2)
    UNION ALL SELECT * FROM (SELECT * FROM lines WHERE ${OF_SESSION} AND at >= ? ORDER BY at, key LIMIT 3))`;
const HEAD = "s.key AS session, s.id, s.project, s.title, s.at AS used";
const toSession = ({ id, project, title, used: atMs }: SessionRow): KnownSession => ({
  id,
  project,
  title,
  atMs,
});
const toLine = ({ at, author, message, text }: LineRow): Line => ({
  ...{ messageID: message, atMs: at, by: author, text },
});

/** Lines that have all terms, then those that have some, each best first; a line may come twice. */
function find(database: Database, terms: readonly string[], query: QuoteQuery & { limit: number }) {
  const whole = database.all<QuoteRow>(...planSearch(terms, "AND", query));
  if (whole.length >= query.limit) return whole;
  const count = (term: string): number =>
    database.all<{ doc: number }>("SELECT doc FROM terms WHERE term = ?", [term])[0]?.doc ?? 0;
  const counted = terms.map((term) => ({ term, lines: count(term) })).sort((a, b) => a.lines - b.lines);
  let weighed = 0;
  const rare = counted.filter(({ lines }, n) => {
    weighed += lines;
    return n === 0 || weighed <= MOST_WEIGHED;
  });
  const some = rare.map(({ term }) => term);
  return [...whole, ...database.all<QuoteRow>(...planSearch(some, "OR", query))];
}

function planSearch(
  terms: readonly string[],
  joined: "AND" | "OR",
  { by, exceptSession, limit, project, sinceMs }: QuoteQuery & { limit: number },
): [sql: string, values: Value[]] {
  // The session's time stands for that of its title.
  const at = "CASE l.author WHEN 'title' THEN s.at ELSE l.at END";
  const filters: [sql: string, value: Value | undefined][] = [
    ["s.project = ?", project],
    [`${at} >= ?`, sinceMs],
    ["l.author = ?", by],
    ["s.id <> ?", exceptSession],
  ];
  const given = filters.filter(([, value]) => value !== undefined);
  const asked = terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(` ${joined} `);
  // In this order: the words first, and the others for as many as are asked for.
  const sql = `SELECT ${HEAD}, l.message, ${at} AS at, l.author, l.text, words.rank AS score
     FROM words CROSS JOIN lines l ON l.key = words.rowid CROSS JOIN sessions s ON s.key = l.session
     WHERE words MATCH ? ${given.map(([one]) => `AND ${one}`).join(" ")} ORDER BY words.rank LIMIT ?`;
  return [sql, [asked, ...given.map(([, value]) => value as Value), limit]];
}
