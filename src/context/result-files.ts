/**
 * Files with full tool results: `<folder>/<uuid>.txt`, mode 0600, in a folder that git ignores.
 *
 * The name is derived from the content (the first 16 bytes of its SHA-256, as a version 8 UUID, RFC 9562), so equal
 * content is stored once, even by two instances at a time, and a lost file can be restored under the name that the
 * context contains.
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

const NAME = "[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\.txt";
const IS_NAME = new RegExp(`^${NAME}$`);
const NAMES_ONE = new RegExp(`${NAME}|\\.opencode[\\\\/]+tool-results[\\\\/]+\\*`);

export type ResultFiles = ReturnType<typeof createResultFiles>;

export function createResultFiles({ files, clock, folder }: ResultFilesOptions) {
  let isPrepared = false;

  return {
    /** Stores the content unless the same bytes are there, and returns the absolute path. Marks the file as used now. */
    async store(content: Uint8Array): Promise<string> {
      const path = join(folder, `${formatContentID(content)}.txt`);
      const found = await files.stat(path);
      const isAlike = found?.kind === "file" && found.bytes === content.byteLength;
      // A repository may contain another text of this length under the name of a predictable output.
      const isThere = isAlike && isEqual(await files.read(path), content);
      await (isThere ? files.touch(path, clock.now()) : write(path, content));
      return path;
    },

    /** Writes a lost file again, with the content that is still available. */
    restore: write,

    async exists(path: string): Promise<boolean> {
      return (await files.stat(path))?.kind === "file";
    },

    /** Marks the file as used now, for expiry. */
    touch: (path: string): Promise<void> => files.touch(path, clock.now()),
  };

  async function write(path: string, content: Uint8Array): Promise<void> {
    if (!isPrepared) await hideNewFolder(files, folder);
    isPrepared = true;
    await files.writeWhole(path, content);
  }
}

function isEqual(found: Uint8Array | undefined, content: Uint8Array): boolean {
  return found !== undefined && Buffer.compare(found, content) === 0;
}

/** Is this the path of a result file, absolute or relative? */
export function isResultPath(path: string): boolean {
  return IS_NAME.test(basename(path)) && basename(dirname(path)) === "tool-results";
}

/** Does this tool input name a result file, or all of them with `*`? */
export function namesResultFile(input: unknown): boolean {
  return NAMES_ONE.test(JSON.stringify(input) ?? "");
}

/** UUID of a content. */
export function formatContentID(content: Uint8Array): string {
  const bytes = createHash("sha256").update(content).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
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
