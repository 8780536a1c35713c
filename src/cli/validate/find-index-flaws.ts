/** Whether `MEMORY.md` says what the files say. Pure. */

import { join } from "node:path";
import type { Memory } from "../../memory/memory.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import { formatLine, INDEX_MARK, type IndexLimits } from "../../memory/store/index-page.js";
import { atOnce } from "../../slices.js";
import { type Flaw, note, problem, rebuildIndex, warning } from "./flaw.js";
import type { ShelfState } from "./shelf-state.js";

export function findIndexFlaws({ index, looked, place }: ShelfState, limits: IndexLimits): Flaw[] {
  const file = join(place.folder, "MEMORY.md");
  const lines = looked.flatMap(({ reading, text = "" }) =>
    reading.kind === "memory" && isListed(reading.memory, text) ? [formatLine(reading.memory)] : [],
  );
  if (index.kind === "other")
    return [problem({ file, what: index.what, todo: "remove it, and an index is made" })];
  const anew = (what: string): Flaw =>
    warning({
      file,
      what,
      todo: "it is made anew with the next use, and by strata optimize --execute",
      mends: [rebuildIndex(place)],
    });
  if (index.kind === "none") return lines.length === 0 ? [] : [anew("the index is missing")];
  if (!index.text.startsWith(INDEX_MARK))
    return [
      note({
        file,
        what: "it was written by a person, so no index is kept here",
        todo: "give it another name, and an index is made",
      }),
    ];
  const fault = findFault(index.text, lines, limits);
  return fault === undefined ? [] : [anew(fault)];
}

/** What has a secret in it is not used, and in no index. */
function isListed(memory: Memory, text: string): boolean {
  const isCurrent = memory.status === "active" || memory.status === "resolved";
  return isCurrent && atOnce(refuseSecrets({ ...memory, content: text })) === undefined;
}

/** The order is left aside: it changes with use and time, and is right again with the next change. */
function findFault(page: string, lines: readonly string[], limits: IndexLimits): string | undefined {
  const expected = new Set(lines);
  const shown = page.split("\n").filter((line) => line.startsWith("- ["));
  const wrong = shown.find((line) => !expected.has(line));
  if (wrong !== undefined)
    return `it says other than the files: ${/\((.*?)\)/.exec(wrong)?.[1] ?? wrong} is not so`;
  const leftOut = Number(/^([\d,]+) memor(?:y|ies) more:/m.exec(page)?.[1]?.replaceAll(",", "") ?? 0);
  const said = new Set(shown).size + leftOut;
  if (said !== lines.length) return `it speaks of ${said} memories, and there are ${lines.length}`;
  const bytes = Buffer.byteLength(page);
  const count = page.trimEnd().split("\n").length;
  if (bytes > limits.maxSize || count > limits.maxLines)
    return `it has ${count} lines and ${bytes} bytes, more than autoMemory allows`;
  return undefined;
}
