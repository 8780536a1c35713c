/**
 * The files that hold whole tool results: `<folder>/<uuid>.txt`, mode 0600, in a folder that git ignores.
 *
 * The name is made from the content (the first 16 bytes of its SHA-256, written as a UUID of version 8, RFC 9562), so
 * equal content is stored once, also by two instances at a time, and a file that was lost can be written again under
 * the name that the context knows.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { keepOutOfGit } from "../../src/folders.js";
import type { Files } from "../../src/seams/files.js";

export interface ResultFiles {
  /** Writes the content unless it is there; the absolute path. Throws when it cannot be written. */
  store(content: Uint8Array): Promise<string>;
  /** Writes the file again, as well as it can still be had. */
  restore(path: string, content: Uint8Array): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Notes the use of a file, for the sweep. */
  touch(path: string, timeMs: number): Promise<void>;
  /** Does this tool input name a file of ours? */
  isMentionedIn(input: unknown): boolean;
}

export function createResultFiles(files: Files, folder: string): ResultFiles {
  let isPrepared = false;

  return {
    async store(content) {
      const path = join(folder, `${formatContentID(content)}.txt`);
      const found = await files.stat(path);
      if (found?.kind !== "file" || found.bytes !== content.byteLength) await write(path, content);
      return path;
    },

    restore: write,

    async exists(path) {
      return (await files.stat(path))?.kind === "file";
    },

    touch: (path, timeMs) => files.touch(path, timeMs),

    isMentionedIn(input) {
      const text = JSON.stringify(input) ?? "";
      return text.includes(".opencode/tool-results/") || text.includes(JSON.stringify(folder).slice(1, -1));
    },
  };

  async function write(path: string, content: Uint8Array): Promise<void> {
    if (!isPrepared) await keepOutOfGit(files, folder);
    isPrepared = true;
    await files.writeWhole(path, content);
  }
}

/** The UUID of a content. */
export function formatContentID(content: Uint8Array): string {
  const bytes = createHash("sha256").update(content).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
