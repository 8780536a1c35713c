import { listSwitches } from "../config/part.js";
import { readLedger, sumFigures } from "../costs/figures.js";
import { lookAtCandidates } from "../operations/open-candidates.js";
import { openOwnState } from "../operations/open-own.js";
import type { Project } from "../operations/project.js";
import { readMemoryStatus } from "../status/memory-status.js";
import { readStatus } from "../status/status.js";
import type { Counts, Overview } from "./answers.js";

const MOST_DAYS = 30;

/** The figures of `strata status` and `strata stats`. */
export async function readOverview(project: Project): Promise<Overview> {
  const { clock } = project.cli;
  const { config, layers, problems } = await project.settings();
  const { files } = openOwnState(project);
  const switches = listSwitches(layers.map(({ settings }) => settings));
  const candidates = lookAtCandidates(project);
  const status = await readStatus({ candidates, clock, files }, project.folders, config, switches);
  const { days, sessions } = sumFigures((await readLedger(files, project.folders.savings)).sessions);
  return {
    saved: status.saved,
    totals: status.savings,
    requests: sessions.reduce((sum, { requests }) => sum + requests.length, 0),
    days: days.slice(-MOST_DAYS).map(({ day, saved, totals }) => ({
      ...{ day, saved },
      ...{ tokensFreed: totals.tokensFreed, cacheLost: totals.cacheLost },
    })),
    memories: status.memories,
    ...(status.candidates !== undefined && { candidates: status.candidates }),
    conflicts: status.conflicts.length,
    blockers: status.blockers,
    results: status.results,
    ...(status.background && { background: status.background }),
    layers: Object.entries(status.layers).map(([name, isOn]) => ({ name, isOn })),
    problems: [...problems, ...status.problems],
  };
}

export async function readCounts(project: Project): Promise<Counts> {
  const { cli, folders } = project;
  const [{ conflicts }, candidates = 0] = await Promise.all([
    readMemoryStatus(cli.files, folders.memory),
    lookAtCandidates(project).count(),
  ]);
  return { waiting: conflicts.length + candidates };
}
