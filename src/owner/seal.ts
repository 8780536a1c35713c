/** Marks by which this user's machine recognises what it wrote into files that others may have changed. */
import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { type Files, readText } from "../seams/files.js";

export interface Seal {
  /**
   * The mark of this text, the same in all processes of this user. If the key is unavailable, the mark is valid in this
   * process only. Never rejects.
   */
  mark(text: string): Promise<string>;
}

export interface SealOptions {
  files: Files;
  log: Log;
  stateFolder: string;
}

const KEY_BYTES = 32;
const MARK_CHARACTERS = 16;

export function createSeal({ files, log, stateFolder }: SealOptions): Seal {
  const path = join(stateFolder, "key");
  let key: Promise<Buffer> | undefined;

  return {
    async mark(text) {
      key ??= readKey().catch((thrown) => {
        log.warn(
          "owner",
          `${path} cannot be used, so only errors.log lines of this process are used: ${formatError(thrown)}`,
        );
        return randomBytes(KEY_BYTES);
      });
      const hash = createHmac("sha256", await key)
        .update(text)
        .digest("base64url");
      return hash.slice(0, MARK_CHARACTERS);
    },
  };

  /** Creates the key once for all processes; only one of two concurrent attempts succeeds. */
  async function readKey(): Promise<Buffer> {
    if (!(await files.stat(path))) await files.create(path, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    const text = ((await readText(files, path)) ?? "").trim();
    if (!/^[0-9a-f]{64}$/.test(text))
      throw new Error(
        "expected 64 hexadecimal digits; delete the file to make a new key (earlier errors.log lines are then not used)",
      );
    return Buffer.from(text, "hex");
  }
}
