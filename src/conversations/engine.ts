/**
 * SQLite with full text search (FTS5): that of Bun, the host's runtime, or, where Node runs (commands, servers, the
 * desktop host), a WebAssembly build that ships with this package. Node's own `node:sqlite` is missing in Node 20, and
 * before 25.7 it is experimental and warns on standard error.
 *
 * Measured with 100,000 messages of 60 words: MiniSearch takes 315 MB, 9 s to build, 2.7 s to read from disk, and 24 to
 * 285 ms a query; Orama 638 MB, 15 s, and up to seconds. The BM25 of src/recall is in memory, too. SQLite in the host's
 * Bun (npm run bench:conversations) takes 34 s in small steps, no memory at rest, and 4 to 24 ms a query.
 */
import { join } from "node:path";
import { formatError, StrataError } from "../base/error.js";
import type { Files } from "../io/files.js";
import type { Locks } from "../io/locks.js";
import type { Log } from "../io/log.js";

/** An open database. Every call is synchronous, so each has to be small. Calls throw the engine's error. */
export interface Database {
  /** Runs statements that have no values and no answer. */
  exec(sql: string): void;
  run(sql: string, values: readonly Value[]): void;
  all<Row>(sql: string, values?: readonly Value[]): Row[];
  close(): void;
}

export type Value = string | number | null;

/** Opens a file that exists. */
export type OpenDatabase = (path: string) => Promise<Database>;

/** The engine of this runtime. Loaded on first use. */
export const openDatabase = (files: Pick<Files, "remove">): OpenDatabase =>
  process.versions.bun === undefined ? openPortable(files) : openInBun;

/** The used part of `bun:sqlite`, whose own types would replace Node's. */
interface BunModule {
  Database: new (
    path: string,
  ) => {
    exec(sql: string): void;
    query(sql: string): { run(...values: Value[]): void; all(...values: Value[]): unknown[] };
    close(throws: boolean): void;
  };
}

async function openInBun(path: string): Promise<Database> {
  // A variable, so that it is not bundled: Node does not have it.
  const name = "bun:sqlite";
  const { Database } = (await import(name)) as BunModule;
  const database = new Database(path);
  return {
    exec: (sql) => database.exec(sql),
    run: (sql, values) => void database.query(sql).run(...values),
    all: <Row>(sql: string, values: readonly Value[] = []) => database.query(sql).all(...values) as Row[],
    close: () => database.close(true),
  };
}

/** This engine ignores the locks of others, and its own lock is a folder, which a killed process leaves behind. */
function openPortable(files: Pick<Files, "remove">): OpenDatabase {
  return async (path) => {
    const { default: portable } = await import("node-sqlite3-wasm");
    // The caller holds our own lock, so nobody else uses the database.
    await files.remove(`${path}.lock`);
    const database = new portable.Database(path, { fileMustExist: true });
    return {
      exec: (sql) => database.exec(sql),
      run: (sql, values) => void database.run(sql, [...values]),
      all: <Row>(sql: string, values: readonly Value[] = []) => database.all(sql, [...values]) as Row[],
      close: () => database.close(),
    };
  };
}

/* The database: one file, held by one process at a time. */

/** Is the file damaged, or no database? It is then rebuilt: the conversations themselves are the host's. */
const isDamage = (thrown: unknown): boolean =>
  /malformed|not a database|fts5: corrupt/i.test(formatError(thrown));

/** Version of the schema and of the terms of `src/recall/terms.ts`; with another one the index is rebuilt. */
const VERSION = 1;
const TOKENS = `"unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '_@!#&/\\.~+-'"`;
/**
 * The terms are those of recall, which keeps names whole and stems words. The text is stored once, in `lines`; to remove
 * its terms, FTS5 is given them again. Index segments are merged by hand: FTS5's automatic merges take up to 35 ms at once.
 */
const SCHEMA = `
  PRAGMA auto_vacuum = INCREMENTAL;
  BEGIN;
  CREATE TABLE sessions (key INTEGER PRIMARY KEY, id TEXT UNIQUE, project TEXT, title TEXT, at INTEGER,
    until INTEGER, read INTEGER, forgotten INTEGER DEFAULT 0);
  CREATE INDEX sessions_of ON sessions (project, at);
  CREATE TABLE lines (key INTEGER PRIMARY KEY, session INTEGER, message TEXT, at INTEGER, author TEXT, text TEXT);
  CREATE INDEX lines_of ON lines (session, at);
  CREATE INDEX lines_by_age ON lines (at) WHERE author <> 'title';
  CREATE VIRTUAL TABLE words USING fts5(terms, content='', tokenize=${TOKENS});
  CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1), ('automerge', 0), ('crisismerge', 1000), ('usermerge', 8);
  PRAGMA user_version = ${VERSION};
  COMMIT;`;

/** A transaction. */
export type Step = <T>(run: (database: Database) => T) => T;
export type Hold = <T>(run: (step: Step) => T | Promise<T>, ...ifNone: [] | [T]) => Promise<T>;

export interface StoreOptions {
  files: Files;
  /** Their instance name is unique in this process. */
  locks: Locks;
  log: Pick<Log, "warn">;
  folder: string;
  /** Replaced in tests only. */
  open?: OpenDatabase;
}

/** A step of another process takes milliseconds; several may wait. */
const WAIT_MS = 15_000;

/** One process at a time holds the database. With `ifNone` no file is created. */
export function openStore({ files, folder, locks, log, open = openDatabase(files) }: StoreOptions) {
  const path = join(folder, "index.db");
  const journal = `${path}-journal`;
  const lock = join(folder, "index.lock");
  const withLock = <T>(run: () => Promise<T>): Promise<T> => locks.withLock(lock, run, { waitMs: WAIT_MS });

  const hold: Hold = async (run, ...ifNone) => {
    if (ifNone.length > 0 && !(await files.stat(path))) return ifNone[0] as never;
    return withLock(async () => {
      try {
        return await runOpened(run);
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
        log.warn("search", `${path} is damaged and is made anew: ${formatError(thrown)}`);
        await removeAll();
        return runOpened(run);
      }
    });
  };
  return {
    hold,
    /** Removes the database itself. */
    async discard(): Promise<void> {
      if (await files.stat(path)) await withLock(removeAll);
    },
  };

  async function runOpened<T>(run: (step: Step) => T | Promise<T>): Promise<T> {
    // Created here, readable for this user only; the engine would give them other modes.
    for (const one of [path, journal]) if (!(await files.stat(one))) await files.create(one, "");
    const database = await open(path);
    try {
      // The contents can be rebuilt, so nothing waits for the disk. Removed text is overwritten.
      database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE; PRAGMA secure_delete = ON");
      const version = readPragma(database, "user_version");
      if (version === 0) database.exec(SCHEMA);
      else if (version !== VERSION) throw new StrataError("VERSION", `malformed: version ${version}`);
      return await run((step) => inTransaction(database, () => step(database)));
    } finally {
      database.close();
    }
  }

  async function removeAll(): Promise<void> {
    for (const one of [path, journal]) await files.remove(one);
  }
}

function inTransaction<T>(database: Database, run: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = run();
    database.exec("COMMIT");
    return result;
  } catch (thrown) {
    database.exec("ROLLBACK");
    throw thrown;
  }
}

const readPragma = (database: Database, name: string): number =>
  Object.values(database.all<Record<string, number>>(`PRAGMA ${name}`)[0] ?? {})[0] ?? 0;

export const countBytes = (database: Database): number =>
  (readPragma(database, "page_count") - readPragma(database, "freelist_count")) *
  readPragma(database, "page_size");
