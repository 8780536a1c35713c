/** The repository's tracked files and their imports. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && existsSync(path));
export const sources = tracked.filter((path) => /^(src|layers)\/.*\.tsx?$/.test(path));
export const scripts = tracked.filter((path) => /\.(tsx?|mts|mjs|css)$/.test(path));
export const read = (path: string): string => readFileSync(path, "utf8");

/** Code without comments, so that a comment cannot break a rule. */
export const code = (path: string): string =>
  read(path)
    // Not in a text such as "anthropic/*".
    .replace(/(?<=^|\s)\/\*[\s\S]*?\*\//gm, "")
    .replace(/(^|\s)\/\/.*$/gm, "");

/** A file's imports: paths in the repository or package names. */
export function readImports(path: string): string[] {
  const found = [...read(path).matchAll(/(?:from|import)\s*\(?\s*"([^"\s]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  return found.map((name) =>
    name.startsWith(".") ? findSource(normalize(join(dirname(path), name))) : name,
  );
}

/** The file that is written for what an import names. */
export function findSource(imported: string): string {
  const markup = imported.replace(/\.js$/, ".tsx");
  return existsSync(markup) ? markup : imported.replace(/\.js$/, ".ts");
}
