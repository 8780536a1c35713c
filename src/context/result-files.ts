/**
 * Files with full tool results: `<folder>/r<digits>.txt`, mode 0600, in a folder that git ignores.
 *
 * The name is derived from the content's SHA-256, so equal content is stored once, even by two instances at a time. It is
 * short, because every request sends it: it has more digits only where another content has it already. A lost file is
 * restored under the name that the context contains. Earlier versions named the files by UUIDs.
 */
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { ToolPart } from "../io/message.js";
import { hideNewFolder } from "../project/folders.js";

interface ResultFilesOptions {
  files: Files;
  clock: Clock;
  folder: string;
}

const NAME = "(?:r(?:[0-9]{9})+|[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\\.txt";
/** Tokens have three digits; the longest name has all that a SHA-256 surely has. */
const [DIGITS, MOST_DIGITS] = [9, 63];
const IS_NAME = new RegExp(`^${NAME}$`);
const NAMES_ONE = new RegExp(`${NAME}|\\.opencode[\\\\/]+tool-results[\\\\/]+\\*`);

export type ResultFiles = ReturnType<typeof createResultFiles>;

export function createResultFiles({ files, clock, folder }: ResultFilesOptions) {
  let preparing: Promise<void> | undefined;
  /** Of what was stored here: whose name the path is, and since when. */
  const stored = new Map<string, { id: string; atMs: number }>();

  return {
    /** Stores the content unless the same bytes are there, and returns the absolute path. Marks the file as used now. */
    async store(content: Uint8Array): Promise<string> {
      const id = formatContentID(content, MOST_DIGITS);
      for (let digits = DIGITS; ; digits += DIGITS) {
        const path = join(folder, `${id.slice(0, 1 + digits)}.txt`);
        // Asked before any wait: of two contents with the same short name, the other takes a longer one.
        if ((stored.get(path)?.id ?? id) !== id) continue;
        stored.set(path, { id, atMs: clock.now() });
        const found = await files.stat(path);
        const isFree = found === undefined || digits === MOST_DIGITS;
        const there = found?.bytes === content.byteLength ? await files.read(path) : undefined;
        const isThere = there && Buffer.compare(there, content) === 0;
        if (isThere) await files.touch(path, clock.now());
        else if (isFree) await write(path, content);
        else continue;
        return path;
      }
    },

    storedMs: (path: string): number | undefined => stored.get(path)?.atMs,

    /** Writes a lost file again, with the content that is still available. */
    restore: write,

    /** Marks the file as used now, for expiry. Returns whether it is there. */
    async use(path: string): Promise<boolean> {
      const found = await files.stat(path);
      const isThere = found?.kind === "file" && found.bytes > 0;
      if (isThere) await files.touch(path, clock.now());
      return isThere;
    },
  };

  /** The host has the result as well, or a part of it: the disk is not waited for. */
  async function write(path: string, content: Uint8Array): Promise<void> {
    preparing ??= hideNewFolder(files, folder);
    try {
      await preparing;
    } catch (thrown) {
      preparing = undefined;
      throw thrown;
    }
    await files.writeWhole(path, content, { mode: "remade" });
  }
}

export function isResultPath(path: string): boolean {
  return IS_NAME.test(basename(path)) && basename(dirname(path)) === "tool-results";
}

/** Does this tool input name a result file, or all of them with `*`? */
export function namesResultFile(input: unknown): boolean {
  return NAMES_ONE.test(JSON.stringify(input) ?? "");
}

/** ID of a content, which begins a longer one. */
export function formatContentID(content: Uint8Array, digits = DIGITS): string {
  const sum = BigInt(`0x${createHash("sha256").update(content).digest("hex")}`);
  return `r${String(sum).slice(-MOST_DIGITS).padStart(MOST_DIGITS, "0").slice(0, digits)}`;
}

/**
 * File with the full text of a result that the host has truncated. The host names it in the text as well, so a tool that
 * sets the field for its own purposes is ignored.
 */
export function findCutPath({ state: { metadata } }: ToolPart, text: string): string | undefined {
  const path = metadata?.outputPath;
  return metadata?.truncated === true && typeof path === "string" && text.includes(path) ? path : undefined;
}

/** A larger file is not copied while a turn waits; the host's own text stays and names it. */
const LARGEST_TAKEN_OVER_BYTES = 32_000_000;

/** Size of such a file; `undefined` if it cannot be copied. Rejects with the system's error. */
export async function measureCutFile(files: Pick<Files, "stat">, path: string): Promise<number | undefined> {
  const found = await files.stat(path);
  const isTaken = found?.kind === "file" && found.bytes > 0 && found.bytes <= LARGEST_TAKEN_OVER_BYTES;
  return isTaken ? found.bytes : undefined;
}
