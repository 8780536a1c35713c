/** `strata stats`: the savings ledger by session, or as a page with charts. */
import { resolve } from "node:path";
import { formatCount, formatMoney } from "../../format.js";
import { readLedger } from "../../status/status.js";
import { exitCodes, type Run } from "../command.js";
import { openProject } from "../open-project.js";
import type { Project } from "../project.js";
import { type Figures, sumFigures } from "../stats/figures.js";
import type { Style } from "../style.js";

const MOST_SESSIONS = 20;

export const run: Run = async (cli, { html, json }) => {
  const { files, say, style, warn } = cli;
  const project = await openProject(cli);
  const { problems, sessions } = await readLedger(files, project.folders.savings);
  const figures = sumFigures(sessions);
  if (typeof html === "string") say(`Written: ${await writePage(project, html, figures)}`);
  else say(json ? JSON.stringify({ ...figures, problems }, null, 2) : formatFigures(figures, style));
  for (const problem of problems) warn(`${style.yellow("Problem")}  ${problem}`);
  return problems.length > 0 ? exitCodes.problems : exitCodes.fine;
};

/** Writes the page; returns its path. */
async function writePage(project: Project, name: string, figures: Figures): Promise<string> {
  const { cli, root } = project;
  const [{ formatPage }, { sumMemories }, { withMemories }] = await Promise.all([
    import("../stats/page.js"),
    import("../stats/memory-figures.js"),
    import("../open-memories.js"),
  ]);
  const path = resolve(cli.folder, name);
  const nowMs = cli.clock.now();
  const memories = sumMemories(await withMemories(project, (store) => store.list()), nowMs);
  const page = formatPage({ project: root, made: new Date(nowMs).toISOString(), figures, memories });
  await cli.files.writeWhole(path, page, { mode: "kept" });
  return path;
}

/** One line for each session, newest first, and one for all. */
function formatFigures({ sessions, totals }: Figures, style: Style): string {
  const columns = ["requests", "sent", "cached", "freed", "cache lost", "background", "net", "saved"];
  const rows = sessions.slice(0, MOST_SESSIONS).map((session) => ({
    name: session.sessionID,
    cells: formatCells(session.requests.length, session.totals),
  }));
  const requests = sessions.reduce((sum, session) => sum + session.requests.length, 0);
  const all = {
    name: `all ${formatCount(sessions.length)} sessions`,
    cells: formatCells(requests, totals),
  };
  const nameWidth = Math.max(...[all, ...rows].map(({ name }) => name.length));
  const format = (name: string, cells: readonly string[]): string =>
    [name.padEnd(nameWidth), ...cells.map((cell) => cell.padStart(12))].join("");
  return [
    style.bold(format("tokens", columns)),
    ...[...rows, all].map(({ name, cells }) => format(name, cells)),
  ].join("\n");
}

/** Tokens, and the saving in dollars where the models' prices were known; negative where it cost more than without Strata. */
function formatCells(requests: number, totals: Figures["totals"]): string[] {
  const { backgroundTokens, cached, cacheLost, money, net, sent, tokensFreed } = totals;
  const tokens = [requests, sent, cached, tokensFreed, cacheLost, backgroundTokens, net];
  return [...tokens.map(formatCount), money === undefined ? "-" : formatMoney(money)];
}
