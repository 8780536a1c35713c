import { type CliContext, exitCodes, MOST_DAYS, type Run, readWhole } from "../../operations/command.js";
import { openProject } from "../../operations/project.js";
import { findIssues, fixIssues, formatPath } from "../check/find-issues.js";
import type { Issue } from "../check/find-memory-issues.js";

const USUAL_DAYS = 30;
/** Issues with the same remedy that are printed; `--json` has all of them. */
const MOST_ALIKE = 10;

export const run: Run = async (cli, { archived, days: given, dryRun, fix, json, yes }) => {
  const days = readWhole("--days", given, { usual: USUAL_DAYS, least: 1, most: MOST_DAYS });
  const project = await openProject(cli);
  const options = { days, isArchiveDue: archived === true };
  const found = await findIssues(project, options);
  const planned =
    fix && !dryRun ? await choose(cli, found.issues, { root: project.root, isYes: yes === true }) : [];
  const failed = planned.length === 0 ? new Map<Issue, string>() : await fixIssues(project, planned);
  const left = planned.length === 0 ? found : await findIssues(project, options);
  const still = new Set(left.issues.map(nameIssue));
  const fixed = planned.filter((issue) => !still.has(nameIssue(issue)));
  const isSound = failed.size === 0 && left.issues.every(({ level }) => level === "note");
  if (json) {
    const report = { project: project.root, memories: left.memories, isSound };
    const failures = [...failed].map(([issue, why]) => ({ ...describe(issue), why }));
    const all = { issues: left.issues.map(describe), fixed: fixed.map(describe), failures };
    cli.say(JSON.stringify({ ...report, ...all }, null, 2));
    return isSound ? exitCodes.fine : exitCodes.problems;
  }
  const { say, style, warn } = cli;
  for (const { file, fix: done, what } of fixed)
    say(`${style.green("fixed  ")}  ${formatPath(file, project.root)}: ${what} → ${done?.says}`);
  for (const [{ file, fix: tried }, why] of failed)
    warn(`${style.red("Failed")}  ${tried?.says}: ${why} (${formatPath(file, project.root)})`);
  for (const line of formatIssues(cli, left.issues, project.root)) say(line);
  say(`${left.memories} ${left.memories === 1 ? "memory" : "memories"} checked: ${count(left.issues)}.`);
  if (!fix && left.issues.some((issue) => issue.fix)) say("strata check --fix does what is marked --fix.");
  return isSound ? exitCodes.fine : exitCodes.problems;
};

const nameIssue = ({ file, what }: Issue): string => `${file} ${what}`;
const describe = ({ fix, ...issue }: Issue): object => ({ ...issue, ...(fix && { fix: fix.says }) });

/** The issues to mend: of those that only the user can judge, the ones he says yes to. */
async function choose(
  cli: CliContext,
  issues: readonly Issue[],
  { isYes, root }: { isYes: boolean; root: string },
): Promise<Issue[]> {
  const chosen: Issue[] = [];
  for (const issue of issues) {
    const { file, fix, what } = issue;
    if (!fix) continue;
    const question = `${formatPath(file, root)}: ${what}\n${fix.says}?`;
    if (!fix.isAsked || isYes || (await cli.ask?.(question))) chosen.push(issue);
  }
  return chosen;
}

/** One line for each issue and one for its remedy. */
function formatIssues({ style }: CliContext, issues: readonly Issue[], root: string): string[] {
  const signs = {
    note: style.dim("note   "),
    warning: style.yellow("warning"),
    problem: style.red("problem"),
  };
  const alike = new Map<string, number>();
  const lines = issues.flatMap(({ file, fix, level, todo, what }) => {
    const remedy = fix ? `--fix: ${fix.says}${fix.isAsked ? ", if you say yes" : ""}` : todo;
    const seen = (alike.get(remedy) ?? 0) + 1;
    alike.set(remedy, seen);
    if (seen > MOST_ALIKE) return [];
    return [`${signs[level]}  ${formatPath(file, root)}: ${what}`, `         ${style.dim("→")} ${remedy}`];
  });
  const hidden = [...alike.values()].reduce((sum, seen) => sum + Math.max(0, seen - MOST_ALIKE), 0);
  return hidden === 0 ? lines : [...lines, `         and ${hidden} more like these; --json lists all`];
}

/** "2 problems, 1 warning" */
function count(issues: readonly Issue[]): string {
  const counts = (["problem", "warning", "note"] as const).flatMap((level) => {
    const some = issues.filter((issue) => issue.level === level).length;
    return some === 0 ? [] : [`${some} ${level}${some === 1 ? "" : "s"}`];
  });
  return counts.join(", ") || "no problems";
}
