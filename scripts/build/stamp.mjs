/** A hash of all that a build reads; written into `dist/`, it tells whether a build would bring anything new. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Its name in `dist/`; not in the package. */
export const STAMP = ".stamp";

const READ = ["src", "layers", "scripts/build", "scripts/build.mjs", "package.json", "package-lock.json"];
const READ_TOO = ["tsconfig.json", "tsconfig.build.json", "config.schema.json", "vectors/words.json"];

export function hashSources(root) {
  const hash = createHash("sha256");
  for (const path of [...READ, ...READ_TOO].flatMap((one) => list(root, one)))
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

function list(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
