/** `strata validate`: looks at every file of the memory, and changes none. */
import { type ExitCode, exitCodes, type Run } from "../command.js";
import { requireProject } from "../project.js";
import { readSettings } from "../settings.js";
import type { Style } from "../style.js";
import { inspectMemory } from "../validate/find-flaws.js";
import { countFlaws, type Flaw, formatPath } from "../validate/flaw.js";

/** So many flaws that want the same are shown; programs get all of them. */
const MOST_ALIKE = 10;

export const run: Run = async (surroundings, { json, strict }) => {
  const { say, style } = surroundings;
  const project = await requireProject(surroundings);
  const { config } = await readSettings(surroundings, project);
  const { flaws, memories } = await inspectMemory(surroundings, project, config);
  const isSound = !flaws.some(({ level }) => level === "problem" || (strict && level === "warning"));
  if (json) {
    const shown = flaws.map(({ mends = [], ...flaw }) => ({ ...flaw, mends: mends.map(({ says }) => says) }));
    say(JSON.stringify({ project, memories, isSound, flaws: shown }, null, 2));
  } else {
    for (const line of formatFlaws(flaws, project, style)) say(line);
    say(`${memories} ${memories === 1 ? "memory" : "memories"} looked at: ${countFlaws(flaws)}.`);
    if (flaws.some(({ mends }) => mends)) say("strata optimize shows what of it can be mended at no risk.");
  }
  return isSound ? exitCodes.fine : (exitCodes.problems satisfies ExitCode);
};

/** A line for what is wrong and one for what to do, each file by its name. */
export function formatFlaws(flaws: readonly Flaw[], project: string, style: Style): string[] {
  const signs = {
    fine: "",
    note: style.dim("note   "),
    warning: style.yellow("warning"),
    problem: style.red("problem"),
  };
  const alike = new Map<string, number>();
  const lines = flaws.flatMap(({ file, level, todo, what }) => {
    const count = (alike.get(todo) ?? 0) + 1;
    alike.set(todo, count);
    if (count > MOST_ALIKE) return [];
    return [`${signs[level]}  ${formatPath(file, project)}: ${what}`, `         ${style.dim("→")} ${todo}`];
  });
  const hidden = [...alike.values()].reduce((sum, count) => sum + Math.max(0, count - MOST_ALIKE), 0);
  return hidden === 0 ? lines : [...lines, `         and ${hidden} more of the same kinds; --json has all`];
}
