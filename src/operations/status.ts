/** What Strata has done in the project, and what that saved. Changes nothing. */
import * as z from "zod";
import { formatCount, formatMoney, formatPercent, formatTokens } from "../base/format.js";
import { isStrata } from "../config/plugin-entries.js";
import { listSwitches } from "../config/setting.js";
import { type Figures, findMeanContext, readLedger, type SessionFigures, sumFigures } from "../costs/sums.js";
import { createGit } from "../io/node-git.js";
import type { OpenMemories } from "../memory/store/store.js";
import { formatSaving } from "../status/format-figures.js";
import { describeJudging, formatStatus, formatTitle } from "../status/format-status.js";
import { readTitles } from "../status/session-screen.js";
import { readStatus, type Status } from "../status/status.js";
import { findTodos, formatTodos, type Todo } from "../status/todo.js";
import { FORCE, type Style, writeNew } from "./command.js";
import { withMemories } from "./open-memories.js";
import { defineOperation, defineTerminalOperation, flag, requireProject } from "./operation.js";
import { lookAtCandidates, openOwnState } from "./own-state.js";
import type { Project } from "./project.js";
import { openConflictLog } from "./record-rivals.js";

const NOT_LOADED =
  "opencode-strata is not configured in this project and has never run here; add it with strata init";

/** What is wrong in the settings is the first of the problems. */
export async function readProjectStatus(project: Project): Promise<Status> {
  const { cli, folders } = project;
  const { config, layers, problems } = await project.settings();
  const { files } = openOwnState(project);
  const switches = listSwitches(layers.map(({ settings }) => settings));
  const given = { candidates: lookAtCandidates(project), clock: cli.clock, files, git: createGit() };
  const found = await readStatus(given, folders, config, switches);
  return { ...found, problems: [...problems, ...found.problems] };
}

export const status = defineTerminalOperation(z.object({}), async (project) => {
  const { cli, folders } = project;
  const found = await readProjectStatus(project);
  const callRecords = await cli.files.list(folders.calls);
  const hasRun = callRecords.length + Object.keys(found.sessions).length > 0;
  if (!hasRun && !(await project.settings()).plugins.some(isStrata)) {
    found.layers = {};
    found.problems.push(NOT_LOADED);
  }
  const todos = await withMemories(project, (memories) => readTodos(project, memories));
  return {
    text: formatStatus(found, cli.style, { todos }),
    data: { ...found, todos },
    isProblem: found.problems.length > 0,
  };
});

async function readTodos(project: Project, memories: OpenMemories): Promise<Todo[]> {
  const { cli, folders } = project;
  const { config } = await project.settings();
  const [candidates, conflicts] = [lookAtCandidates(project), await openConflictLog(project)];
  const world = { config, files: cli.files, folders, memories, candidates, conflicts };
  return findTodos(world, await memories.list());
}

export const todo = defineOperation(z.object({}), async (core) => {
  const todos = await readTodos(requireProject(core), core.memories);
  return { text: formatTodos(todos), data: { todos } };
});

const MOST_SESSIONS = 20;

const statsInput = z.object({
  csv: z
    .union([z.string(), z.literal(true)])
    .optional()
    .meta({ value: "[file]" })
    .describe("prints or writes the savings ledger as comma-separated values"),
  force: flag.default(false).describe(FORCE),
});

/** The savings ledger by session. The inspector has the charts. */
export const stats = defineTerminalOperation(statsInput, async ({ cli, folders }, { csv, force }) => {
  const { files, style } = cli;
  const { problems, sessions } = await readLedger(files, folders.savings);
  const titles = await readTitles(files, folders.sessions);
  const answer = {
    notes: problems.map((problem) => `${style.yellow("Problem")}  ${problem}`),
    isProblem: problems.length > 0,
  };
  if (csv !== undefined) {
    const { formatCsv } = await import("../costs/csv.js");
    const table = formatCsv(sessions, titles);
    const text = csv === true ? table.trimEnd() : `Written: ${await writeNew(cli, csv, table, force)}`;
    return { ...answer, text };
  }
  const figures = sumFigures(sessions, titles);
  return { ...answer, text: formatFigures(figures, style), data: { ...figures, problems } };
});

/** What was saved in all, then one line for each session, newest first, and one for all. */
function formatFigures(figures: Figures, style: Style): string {
  const { saved, sessions, totals } = figures;
  const columns = ["saved", "dollars", "context", "without", "requests", "cached", "freed"];
  const rows = sessions.slice(0, MOST_SESSIONS).map((session) => ({
    name: formatTitle(session.title, session.sessionID),
    cells: formatCells([session], session),
  }));
  const more = sessions.length - rows.length;
  const all = { name: `all ${formatCount(sessions.length)} sessions`, cells: formatCells(sessions, figures) };
  const nameWidth = Math.max(...[all, ...rows].map(({ name }) => name.length));
  const format = (name: string, cells: readonly string[]): string =>
    [name.padEnd(nameWidth), ...cells.map((cell) => cell.padStart(10))].join("");
  return [
    style.bold(sessions.length === 0 ? "nothing recorded yet" : formatSaving(saved)),
    "",
    style.bold(format("session", columns)),
    ...[...rows, all].map(({ name, cells }) => format(name, cells)),
    ...(more > 0 ? [`${formatCount(more)} older sessions are not listed; --json has all`] : []),
    "",
    "context, without: mean tokens of a request with Strata, and an estimate without it",
    `what that cost: ${formatTokens(totals.cacheLost)} cached tokens written again, ${formatTokens(totals.backgroundTokens)} in background calls`,
    ...(totals.judging > 0 ? [`judging ${describeJudging(totals)}`] : []),
  ].join("\n");
}

/** Share (else tokens) and dollars saved, mean context with and without Strata, and what that was made of; negative where it cost more. */
function formatCells(
  sessions: readonly SessionFigures[],
  { saved, totals }: Pick<Figures, "saved" | "totals">,
): string[] {
  const mean = findMeanContext(sessions);
  const requests = sessions.reduce((sum, session) => sum + session.requests.length, 0);
  return [
    saved.share === undefined ? formatTokens(saved.tokens) : formatPercent(saved.share),
    saved.dollars === undefined ? "-" : formatMoney(saved.dollars),
    mean ? formatTokens(mean.now) : "-",
    mean ? formatTokens(mean.without) : "-",
    formatCount(requests),
    totals.sent === 0 ? "-" : formatPercent(totals.cached / totals.sent),
    formatTokens(totals.tokensFreed),
  ];
}
