/** `strata validate`: checks every file of the memory, and changes none. */
import { exitCodes, type Run } from "../command.js";
import { openProject } from "../open-project.js";
import type { Style } from "../style.js";
import { inspectMemory } from "../validate/inspect-memory.js";
import { countIssues, formatPath, type Issue } from "../validate/issue.js";

/** Issues with the same remedy that are printed; `--json` has all of them. */
const MOST_ALIKE = 10;

export const run: Run = async (cli, { json, strict }) => {
  const { say, style } = cli;
  const project = await openProject(cli);
  const { issues, memories } = await inspectMemory(project);
  const isSound = !issues.some(({ level }) => level === "problem" || (strict && level === "warning"));
  if (json) {
    const flaws = issues.map(({ fixes = [], ...issue }) => ({
      ...issue,
      mends: fixes.map(({ says }) => says),
    }));
    say(JSON.stringify({ project: project.root, memories, isSound, flaws }, null, 2));
  } else {
    for (const line of formatIssues(issues, project.root, style)) say(line);
    say(`${memories} ${memories === 1 ? "memory" : "memories"} checked: ${countIssues(issues)}.`);
    if (issues.some(({ fixes }) => fixes)) say("strata optimize shows what can be repaired without loss.");
  }
  return isSound ? exitCodes.fine : exitCodes.problems;
};

/** One line for each issue and one for its remedy. */
function formatIssues(issues: readonly Issue[], root: string, style: Style): string[] {
  const signs = {
    fine: "",
    note: style.dim("note   "),
    warning: style.yellow("warning"),
    problem: style.red("problem"),
  };
  const alike = new Map<string, number>();
  const lines = issues.flatMap(({ file, level, todo, what }) => {
    const count = (alike.get(todo) ?? 0) + 1;
    alike.set(todo, count);
    if (count > MOST_ALIKE) return [];
    return [`${signs[level]}  ${formatPath(file, root)}: ${what}`, `         ${style.dim("→")} ${todo}`];
  });
  const hidden = [...alike.values()].reduce((sum, count) => sum + Math.max(0, count - MOST_ALIKE), 0);
  return hidden === 0 ? lines : [...lines, `         and ${hidden} more like these; --json lists all`];
}
