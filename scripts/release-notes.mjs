/**
 * Prints the changelog's part of one version: `node scripts/release-notes.mjs 0.1.0`. Exits with 1 if it has none, or is
 * still called unreleased.
 */
import { readFileSync } from "node:fs";

const [version = ""] = process.argv.slice(2);
const parts = readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8")
  .split(/^## /m)
  .slice(1);
const part = parts.find((one) => one.startsWith(`${version} `) || one.startsWith(`${version}\n`));
const [head = "", ...lines] = part?.split("\n") ?? [];
if (part === undefined || head.includes("unreleased")) {
  console.error(
    part === undefined
      ? `CHANGELOG.md: expected "## ${version} (date)", found ${parts.map((one) => one.split(" ")[0]).join(", ")}`
      : `CHANGELOG.md: expected a date behind "## ${version}", found "${head}"; write the day of the release`,
  );
  process.exit(1);
}
console.log(lines.join("\n").trim());
