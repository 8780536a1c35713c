/** Whether `MEMORY.md` matches the files. Pure. */

import { join } from "node:path";
import type { Memory } from "../../memory/memory.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import { formatLine, INDEX_MARK, type IndexLimits } from "../../memory/store/index-page.js";
import { atOnce } from "../../slices.js";
import { type Issue, note, problem, rebuildIndex, warning } from "./issue.js";
import type { ShelfState } from "./shelf-state.js";

export function findIndexIssues(shelf: ShelfState, limits: IndexLimits): Issue[] {
  const { index, isKeptOut, looked, place } = shelf;
  const file = join(place.folder, "MEMORY.md");
  // An index that git sees leaves out what git ignores.
  const isHere = (path: string): boolean => isKeptOut("MEMORY.md") || !isKeptOut(path);
  const lines = looked.flatMap(({ path, reading, text = "" }) =>
    reading.kind === "memory" && isHere(path) && isListed(reading.memory, text)
      ? [formatLine(reading.memory)]
      : [],
  );
  if (index.kind === "other")
    return [problem({ file, what: index.what, todo: "remove it; the index is then written" })];
  const rebuild = (what: string): Issue =>
    warning({
      file,
      what,
      todo: "nothing; it is rebuilt at the next use, or by strata optimize --execute",
      fixes: [rebuildIndex(place)],
    });
  if (index.kind === "none") return lines.length === 0 ? [] : [rebuild("the index is missing")];
  if (!index.text.startsWith(INDEX_MARK))
    return [
      note({
        file,
        what: "it was not written by Strata, so there is no index here",
        todo: "rename it to get an index",
      }),
    ];
  const fault = findFault(index.text, lines, limits);
  return fault === undefined ? [] : [rebuild(fault)];
}

/** A memory with a secret is not used, and not in the index. */
function isListed(memory: Memory, text: string): boolean {
  const isCurrent = memory.status === "active" || memory.status === "resolved";
  return isCurrent && atOnce(refuseSecrets({ ...memory, content: text })) === undefined;
}

/** Ignores the order, which changes with use and time and is corrected with the next change. */
function findFault(page: string, lines: readonly string[], limits: IndexLimits): string | undefined {
  const expected = new Set(lines);
  const shown = page.split("\n").filter((line) => line.startsWith("- ["));
  const wrong = shown.find((line) => !expected.has(line));
  if (wrong !== undefined)
    return `it is out of date: its line for ${/\((.*?)\)/.exec(wrong)?.[1] ?? wrong} does not match the file`;
  const leftOut = Number(/^([\d,]+) memor(?:y|ies) more:/m.exec(page)?.[1]?.replaceAll(",", "") ?? 0);
  const said = new Set(shown).size + leftOut;
  if (said !== lines.length)
    return `it is out of date: it lists ${said} memories, but there are ${lines.length}`;
  const bytes = Buffer.byteLength(page);
  const count = page.trimEnd().split("\n").length;
  if (bytes > limits.maxSize || count > limits.maxLines)
    return `it has ${count} lines and ${bytes} bytes, more than the autoMemory settings allow`;
  return undefined;
}
