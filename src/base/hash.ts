import { createHash } from "node:crypto";

/** Digest that tells two versions of a file apart. */
export function hashOf(contents: Uint8Array | string): string {
  return createHash("sha256").update(contents).digest("hex").slice(0, 32);
}
