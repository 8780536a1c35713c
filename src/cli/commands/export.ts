/** `strata export`: memories as JSON Lines, each with its whole file. Changes nothing but the file it writes. */
import { join } from "node:path";
import { findHint } from "../../memory/draft.js";
import { refuseSecrets } from "../../memory/secret-gate.js";
import { atOnce } from "../../slices.js";
import { exitCodes, type Run } from "../command.js";
import { idOf, type ReadShelf, readShelves } from "../memory-files.js";
import { openProject } from "../open-project.js";
import { formatCopy } from "../transfer/line.js";
import { writeNew } from "../write-new.js";

export const run: Run = async (cli, { force, global: withGlobal, includePrivate }, [target]) => {
  const { say, style, warn } = cli;
  const shelves = (await readShelves(await openProject(cli))).filter(
    ({ place }) =>
      (withGlobal === true || place.scope === "project") &&
      (includePrivate === true || place.sensitivity === "internal"),
  );
  const { lines, problems } = formatAll(shelves, includePrivate === true);
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

function formatAll(
  shelves: readonly ReadShelf[],
  withHidden: boolean,
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
