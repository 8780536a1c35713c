/** `strata list` */

import { DAY_MS } from "../../days.js";
import type { Memory } from "../../memory/memory.js";
import { readType } from "../arguments.js";
import { type CliContext, exitCodes, type Run } from "../command.js";
import { withMemories } from "../open-memories.js";
import { openProject } from "../open-project.js";

const MOST_ID_WIDTH = 60;

export const run: Run = async (cli, { archived, foreign, json, type: wanted }) => {
  const { say, style, warn } = cli;
  const type = readType(wanted);
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const all = await memories.list({ archived: archived === true });
    const shown = all
      .filter((memory) => type === undefined || memory.type === type)
      .filter(({ isForeign }) => !foreign || isForeign)
      .sort((a, b) => a.id.localeCompare(b.id));
    const problems = memories.problems();
    if (json) say(JSON.stringify({ memories: shown, problems }, null, 2));
    else if (shown.length === 0) say("No memories.");
    else for (const row of formatRows(cli, shown)) say(row);
    const foreigners = all.filter(({ isForeign }) => isForeign).length;
    if (foreigners > 0 && !json)
      warn(`${style.yellow("Not yours")}  ${foreigners} came with the repository; strata trust lists them`);
    return problems.length > 0 ? exitCodes.problems : exitCodes.fine;
  });
};

/** Id, days since the last change, title. */
function formatRows({ clock, style }: CliContext, memories: readonly Memory[]): string[] {
  const width = Math.min(MOST_ID_WIDTH, Math.max(...memories.map(({ id }) => id.length)));
  return memories.map(({ id, isForeign, isKeptOut, status, title, updated }) => {
    const days = Math.max(0, Math.floor((clock.now() - Date.parse(updated)) / DAY_MS));
    const marks = [
      ...(status === "active" ? [] : [status]),
      ...(isForeign ? ["not yours"] : []),
      ...(isKeptOut ? ["not in git"] : []),
    ];
    const mark = marks.length === 0 ? "" : style.dim(`  (${marks.join(", ")})`);
    return `${id.padEnd(width)}  ${style.dim(`${days} d`.padStart(6))}  ${title}${mark}`;
  });
}
