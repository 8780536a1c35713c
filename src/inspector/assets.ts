/** The page's files, which the build puts next to the command line. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StrataError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import type { Files } from "../io/files.js";

export interface Asset {
  bytes: Uint8Array;
  type: string;
  etag: string;
}

export interface Assets {
  /** By the last part of the URL; `undefined` if there is no such file. @throws StrataError NOT_BUILT */
  read(name: string): Promise<Asset | undefined>;
}

const TYPES: Readonly<Record<string, string>> = {
  "page.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

/** `folder`: where the build puts them. */
export function createAssets(
  files: Pick<Files, "read">,
  folder = fileURLToPath(new URL(".", import.meta.url)),
): Assets {
  return {
    async read(name) {
      const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
      if (type === undefined) return undefined;
      const path = join(folder, `inspector-${name}`);
      const bytes = await files.read(path);
      if (!bytes) throw new StrataError("NOT_BUILT", `expected ${path}, which is missing; run npm run build`);
      return { bytes, type, etag: `"${hashOf(bytes).slice(0, 16)}"` };
    },
  };
}
