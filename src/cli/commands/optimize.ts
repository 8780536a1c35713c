/** `strata optimize`: repairs what `strata validate` found, as far as nothing is lost by it. */
import { type CliContext, exitCodes, type Run } from "../command.js";
import { openProject } from "../open-project.js";
import type { Project } from "../project.js";
import { type FixResult, fixAll, planFixes } from "../validate/fix.js";
import { inspectMemory } from "../validate/inspect-memory.js";
import { countIssues, formatPath, type Issue } from "../validate/issue.js";

interface Repairs {
  isDone: boolean;
  fixable: readonly Issue[];
  /** How many steps were taken. */
  steps: number;
  failed: readonly FixResult[];
  /** What needs a decision. */
  left: readonly Issue[];
}

export const run: Run = async (cli, { execute, json }) => {
  const project = await openProject(cli);
  const { issues } = await inspectMemory(project);
  const fixable = issues.filter(({ fixes }) => fixes);
  const left = issues.filter(({ fixes, level }) => !fixes && level !== "note");
  // Before the first step, so that an interrupted run has said what it was about to do.
  if (!json) for (const line of formatPlan(fixable, project.root)) cli.say(line);
  const steps = execute ? planFixes(fixable) : [];
  const failed = (await fixAll(project, steps)).filter(({ failure }) => failure);
  const repairs = { isDone: execute === true, fixable, steps: steps.length, failed, left };
  if (json) cli.say(JSON.stringify(toJSON(project, repairs), null, 2));
  else report(cli, repairs);
  const isWell = failed.length === 0 && left.length === 0 && (execute === true || fixable.length === 0);
  return isWell ? exitCodes.fine : exitCodes.problems;
};

/** One line for each issue and one for its repairs. */
function formatPlan(issues: readonly Issue[], root: string): string[] {
  return issues.flatMap(({ file, fixes = [], what }) => [
    `${formatPath(file, root)}: ${what}`,
    `  → ${fixes.map(({ says }) => says).join(", and ")}`,
  ]);
}

function report({ say, style, warn }: CliContext, { failed, fixable, isDone, left, steps }: Repairs): void {
  if (fixable.length === 0) say("Nothing to repair.");
  else if (!isDone) say("Nothing was changed; --execute makes these repairs.");
  else say(`Done: ${steps - failed.length} of ${steps} steps.`);
  for (const { failure, fix } of failed) warn(`${style.red("Failed")}  ${fix.says}: ${failure}`);
  if (left.length > 0) say(`Left for you to decide: ${countIssues(left)}; strata validate lists them.`);
}

const toJSON = ({ root }: Project, { failed, fixable, isDone, left }: Repairs): object => ({
  project: root,
  isDone,
  mends: fixable.map(({ file, fixes = [], what }) => ({ file, what, mends: fixes.map(({ says }) => says) })),
  failures: failed.map(({ failure, fix: { says } }) => ({ says, failure })),
  left,
});
