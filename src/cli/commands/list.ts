/** `strata list` */
import { DAY_MS } from "../../days.js";
import { readType } from "../arguments.js";
import { exitCodes, type Run } from "../command.js";
import { withMemories } from "../memories.js";

export const run: Run = async (surroundings, { archived, foreign, json, type: wanted }) => {
  const { clock, say, style, warn } = surroundings;
  const type = readType(wanted);
  return withMemories(surroundings, async (memories) => {
    const all = await memories.list({ archived: archived === true });
    const shown = all
      .filter((memory) => type === undefined || memory.type === type)
      .filter(({ isForeign }) => !foreign || isForeign)
      .sort((a, b) => a.id.localeCompare(b.id));
    const problems = memories.problems();
    if (json) say(JSON.stringify({ memories: shown, problems }, null, 2));
    else if (shown.length === 0) say("No memories.");
    else {
      const width = Math.min(60, Math.max(...shown.map(({ id }) => id.length)));
      for (const { id, isForeign, status, title, updated } of shown) {
        const days = Math.max(0, Math.floor((clock.now() - Date.parse(updated)) / DAY_MS));
        const marks = [...(status === "active" ? [] : [status]), ...(isForeign ? ["not yours"] : [])];
        const mark = marks.length === 0 ? "" : style.dim(`  (${marks.join(", ")})`);
        say(`${id.padEnd(width)}  ${style.dim(`${days} d`.padStart(6))}  ${title}${mark}`);
      }
    }
    const waiting = all.filter(({ isForeign }) => isForeign).length;
    if (waiting > 0 && !json)
      warn(
        `${style.yellow("Not yours")}  ${waiting} of them came with the repository; strata trust shows them`,
      );
    return problems.length > 0 ? exitCodes.problems : exitCodes.fine;
  });
};
