/** `strata export`: memories as JSON Lines, each with its whole file. Changes nothing but the file it writes. */
import { DAY_MS } from "../../base/days.js";
import type { Memory } from "../../memory/memory.js";
import {
  exitCodes,
  MOST_DAYS,
  type OptionValues,
  type Run,
  readType,
  readWhole,
} from "../../operations/command.js";
import { readCollections } from "../../operations/memory-files.js";
import { openProject } from "../../operations/project.js";
import { formatExport } from "../../operations/transfer/json-export.js";
import { writeNew } from "../../operations/write-new.js";

export const run: Run = async (cli, options, [target]) => {
  const { force, global: withGlobal, includePrivate } = options;
  const { clock, say, style, warn } = cli;
  const isWanted = readFilter(options, clock.now());
  const collections = (await readCollections(await openProject(cli))).filter(
    ({ place }) =>
      (withGlobal === true || place.scope === "project") &&
      (includePrivate === true || place.sensitivity === "internal"),
  );
  const { lines, problems } = formatExport(collections, { isWanted });
  const text = lines.map((line) => `${line}\n`).join("");
  if (target === undefined) {
    if (text !== "") say(text.trimEnd());
  } else {
    const path = await writeNew(cli, target, text, force === true);
    say(`Exported: ${lines.length} ${lines.length === 1 ? "memory" : "memories"} to ${path}`);
  }
  for (const problem of problems) warn(`${style.yellow("Skipped")}  ${problem}`);
  return problems.length > 0 ? exitCodes.problems : exitCodes.fine;
};

/** The memories that `--type` and `--since` choose. */
function readFilter({ since, type: given }: OptionValues, nowMs: number): (memory: Memory) => boolean {
  const type = readType(given);
  const days = readWhole("--since", since, { least: 1, most: MOST_DAYS, usual: MOST_DAYS });
  return (memory) =>
    (type === undefined || memory.type === type) &&
    (since === undefined || Date.parse(memory.updated) >= nowMs - days * DAY_MS);
}
