/** `strata stats`: the savings ledger by session, or as comma-separated values. The inspector has the charts. */
import { StrataError } from "../../base/error.js";
import { formatCount, formatMoney, formatPercent, formatTokens } from "../../base/format.js";
import {
  type Figures,
  findMeanContext,
  readLedger,
  type SessionFigures,
  sumFigures,
} from "../../costs/figures.js";
import {
  type CliContext,
  exitCodes,
  type OptionValues,
  type Run,
  type Style,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { openProject } from "../../operations/project.js";
import { writeNew } from "../../operations/write-new.js";
import { formatSaving } from "../../status/format-figures.js";
import { describeJudging, formatTitle } from "../../status/format-status.js";
import { readTitles } from "../../status/session-titles.js";

const MOST_SESSIONS = 20;

export const run: Run = async (cli, options, args) => {
  const { csv, json, open } = options;
  if ([csv, json, open].filter((one) => one !== undefined).length > 1)
    throw new StrataError(WRONG_ARGUMENT, "choose one of --csv, --json and --open");
  if (open === true) return (await import("./serve.js")).run(cli, { open, port: "0" }, args);
  const { files, say, style, warn } = cli;
  const project = await openProject(cli);
  const { problems, sessions } = await readLedger(files, project.folders.savings);
  const titles = await readTitles(files, project.folders.sessions);
  const figures = sumFigures(sessions, titles);
  if (csv !== undefined) {
    const { formatCsv } = await import("../../costs/csv.js");
    await sayOrWrite(cli, options, formatCsv(sessions, titles));
  } else say(json ? JSON.stringify({ ...figures, problems }, null, 2) : formatFigures(figures, style));
  for (const problem of problems) warn(`${style.yellow("Problem")}  ${problem}`);
  return problems.length > 0 ? exitCodes.problems : exitCodes.fine;
};

async function sayOrWrite(cli: CliContext, { csv, force }: OptionValues, text: string): Promise<void> {
  if (typeof csv === "string") cli.say(`Written: ${await writeNew(cli, csv, text, force === true)}`);
  else cli.say(text.trimEnd());
}

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
