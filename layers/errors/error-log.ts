/**
 * `errors.log`: one line for each failed call and for what resolved it. Two spaces separate the fields, and no field
 * contains two in a row:
 *
 *     2026-11-21 09:00:12  failed    bash  npm test  exit 1: npm error Missing script: "test"  attempt 2  [ses_1 x3Kf90aQ 7yTb11Qe 0aB3kd81Zz 5rTw20xLmB]
 *     2026-11-21 09:00:40  resolved  bash  npm test  worked as: npm run test:unit  [ses_1 x3Kf90aQ 7yTb11Qe 88fA2mQpLw 0pQx81nBvC]
 *
 * Times are UTC. In brackets: the session, the hashes of the call and its message, the key of the result, and the mark of
 * the machine that wrote the line. People may change or delete lines. The file is in the project, so anybody may have
 * written it: lines without a valid mark stay in the file, but are not answered from.
 *
 * Several processes append. At a size limit the file replaces `errors.log.1`, so that the total size is bounded and the
 * oldest entries go first. A lock guards that, since two in a row would discard everything. A line appended during the
 * rename ends up in `errors.log.1`, which is read as well.
 */
import { basename, dirname, join } from "node:path";
import { StrataError } from "../../src/base/error.js";
import { type Files, readText } from "../../src/io/files.js";
import type { Looks } from "../../src/io/looks.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";

export interface Entry {
  readonly kind: "failed" | "resolved";
  /** Milliseconds since 1970, in whole seconds. */
  readonly at: number;
  readonly tool: string;
  readonly call: string;
  readonly text: string;
  /** From 1; 0 for a resolution. */
  readonly attempt: number;
  readonly session: string;
  readonly callHash: string;
  readonly messageHash: string;
  /** Key of the result that the line is about. */
  readonly key: string;
  /** Authenticates the line to the machine that wrote it. */
  readonly mark?: string;
}

/** One line, without the newline. Each text must come from `toField`. */
export function formatEntry(entry: Entry): string {
  const { at, attempt, call, callHash, key, kind, mark, messageHash, session, text, tool } = entry;
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  const ids = `[${[session, callHash, messageHash, key, ...(mark === undefined ? [] : [mark])].join(" ")}]`;
  const count = kind === "failed" ? [`attempt ${attempt}`] : [];
  return [time, kind.padEnd(8), tool, call, text, ...count, ids].join("  ");
}

const IDS = /^\[([\w-]+) ([\w-]+) ([\w-]+) ([\w-]+)(?: ([\w-]+))?\]$/;
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
/** In characters; entries are far shorter, so a longer line is not one. */
const LONGEST_LINE = 4_000;

export function parseEntry(line: string): Entry | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const [time = "", kind, tool, call, ...rest] = line.trim().split(/\s{2,}|\t/);
  const [, session, callHash, messageHash, key, mark] = IDS.exec(rest.pop() ?? "") ?? [];
  const at = TIME.test(time) ? Date.parse(`${time.replace(" ", "T")}Z`) : Number.NaN;
  if (!session || !callHash || !messageHash || !key || !tool || !call || Number.isNaN(at)) return undefined;
  const ids = { session, callHash, messageHash, key, ...(mark !== undefined && { mark }) };
  const known = { at, tool, call, ...ids };
  if (kind === "resolved") return { ...known, kind, text: rest.join(" ") || "-", attempt: 0 };
  if (kind !== "failed") return undefined;
  const digits = /^attempt (\d{1,6})$/.exec(rest.at(-1) ?? "")?.[1];
  const attempt = digits === undefined ? undefined : Math.max(1, Number(digits));
  const text = rest.slice(0, attempt === undefined ? undefined : -1).join(" ") || "-";
  return { ...known, kind, text, attempt: attempt ?? 1 };
}

export interface LogLine {
  readonly entry: Entry;
  /** Was it written by this user's machine and not changed since? */
  readonly isOwn: boolean;
}

export interface ErrorLogOptions extends Pick<LayerContext, "files" | "locks" | "seal"> {
  looks: Pick<Looks, "stat">;
  path: string;
  lock: string;
}

export const ROTATE_AT_BYTES = 150_000;
/** Read from the end of each file: more than the plugin's own files have, and little of a repository's endless one. */
const MOST_READ_BYTES = 2 * ROTATE_AT_BYTES;

export function createErrorLog({ files, lock, locks, looks, path, seal }: ErrorLogOptions) {
  let isIgnored = false;
  let cached: { sizes: string; lines: readonly LogLine[] } | undefined;
  const sizeOf = async (file: string): Promise<number> => (await files.stat(file))?.bytes ?? 0;

  return {
    /**
     * All entries, the older file's first. Returns the same list until a file has another size. Rejects with the system's
     * error.
     */
    async read(): Promise<readonly LogLine[]> {
      const stats = await Promise.all([path, earlierOf(path)].map(looks.stat));
      const sizes = stats.map((stat) => stat?.bytes ?? 0).join(" ");
      if (cached?.sizes !== sizes) {
        const entries = [...(await readEntries(files, earlierOf(path))), ...(await readEntries(files, path))];
        cached = { sizes, lines: await Promise.all(entries.map(check)) };
      }
      return cached.lines;
    },

    /** Rejects with the system's error; some entries may then be written. */
    async append(entries: readonly Entry[]): Promise<void> {
      if (!isIgnored) await keepLogOutOfGit(files, path);
      isIgnored = true;
      const bytes = await sizeOf(path);
      if (bytes > ROTATE_AT_BYTES) await rotate(bytes);
      for (const entry of entries)
        await files.appendLine(path, formatEntry({ ...entry, mark: await markOf(entry) }));
    },
  };

  async function check(entry: Entry): Promise<LogLine> {
    return { entry, isOwn: entry.mark !== undefined && entry.mark === (await markOf(entry)) };
  }

  function markOf({ mark: _, ...entry }: Entry): Promise<string> {
    return seal.mark(`errors.log\n${formatEntry(entry)}`);
  }

  /** Does nothing if another process holds the lock. */
  async function rotate(sizeBytes: number): Promise<void> {
    const rename = async (): Promise<void> => {
      // Another process may have rotated before this one got the lock; then the file is smaller.
      if ((await sizeOf(path)) >= sizeBytes) await files.rename(path, earlierOf(path));
    };
    await locks.withLock(lock, rename, { waitMs: 0 }).catch((thrown) => {
      if (!(thrown instanceof StrataError) || thrown.code !== "ELOCKED") throw thrown;
    });
  }
}

const earlierOf = (path: string): string => `${path}.1`;

/** The newest entries of one file, oldest first. Throws the system's error. */
async function readEntries(files: Files, path: string): Promise<Entry[]> {
  const size = (await files.stat(path))?.bytes ?? 0;
  const bytes = await files.readFrom(path, Math.max(0, size - MOST_READ_BYTES));
  const lines = new TextDecoder().decode(bytes).split("\n");
  return lines.map(parseEntry).filter((entry) => entry !== undefined);
}

/** Adds the log to .gitignore: failures of one machine should not be committed. A person's own entry stays. */
async function keepLogOutOfGit(files: Files, path: string): Promise<void> {
  const ignore = join(dirname(path), ".gitignore");
  const name = basename(path);
  const text = (await readText(files, ignore)) ?? "";
  if (!text.includes(name) && !/^\*$/m.test(text)) await files.appendLine(ignore, `/${name}*`);
}
