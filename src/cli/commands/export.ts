/** `strata export`: memories as JSON Lines, each with its whole file. Changes nothing but the file it writes. */
import { join } from "node:path";
import { DAY_MS } from "../../days.js";
import { findHint } from "../../memory/draft.js";
import type { Memory } from "../../memory/memory.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import { atOnce } from "../../slices.js";
import { MOST_DAYS, readType, readWhole } from "../arguments.js";
import { exitCodes, type OptionValues, type Run } from "../command.js";
import { idOf, type ReadShelf, readShelves } from "../memory-files.js";
import { openProject } from "../open-project.js";
import { formatCopy } from "../transfer/line.js";
import { writeNew } from "../write-new.js";

export const run: Run = async (cli, options, [target]) => {
  const { force, global: withGlobal, includePrivate } = options;
  const { clock, say, style, warn } = cli;
  const isWanted = readFilter(options, clock.now());
  const shelves = (await readShelves(await openProject(cli))).filter(
    ({ place }) =>
      (withGlobal === true || place.scope === "project") &&
      (includePrivate === true || place.sensitivity === "internal"),
  );
  const { lines, problems } = formatAll(shelves, { isWanted, withHidden: includePrivate === true });
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

function formatAll(
  shelves: readonly ReadShelf[],
  { isWanted, withHidden }: { isWanted(memory: Memory): boolean; withHidden: boolean },
): { lines: string[]; problems: string[] } {
  const lines: string[] = [];
  const problems: string[] = [];
  for (const { isKeptOut, looked, place } of shelves) {
    for (const { path, reading, text = "" } of looked) {
      const hidden = isKeptOut(path) && { isKeptOut: true as const };
      if (hidden && !withHidden) continue;
      const file = join(place.folder, path);
      if (reading.kind === "problem") {
        problems.push(`${file}: ${reading.what}`);
        continue;
      }
      if (!isWanted(reading.memory)) continue;
      const whole = { ...reading.memory, ...hidden, content: text };
      const leak = findHint(whole) ?? atOnce(refuseSecrets(whole));
      if (leak !== undefined) problems.push(`${file}: ${leak}`);
      else
        lines.push(
          formatCopy({ id: idOf(place, path), isArchived: path.startsWith("archive/"), contents: text }),
        );
    }
  }
  return { lines, problems };
}
