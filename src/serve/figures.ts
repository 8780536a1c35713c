/** The figures of a project for `/stats` and `/metrics`: counts, no text of memories or sessions. */
import { parseEntry } from "../../layers/errors/error-log.js";
import { createLedgerSums, type Totals } from "../costs/sums.js";
import { type Files, readPlainText } from "../io/files.js";
import { createBudget } from "../models/budget.js";
import { lookAtCandidates, openOwnState } from "../operations/own-state.js";
import type { Project } from "../operations/project.js";
import { readDreamState } from "../project/dream-state.js";
import { readMemoryStatus } from "../status/memory-status.js";

export interface ProjectFigures {
  project: string;
  /** By type, private ones included. */
  memories: Readonly<Record<string, number>>;
  /** Absent if they cannot be read. */
  candidates?: number;
  openBlockers: number;
  conflicts: number;
  /** `sessions`: the number of ledgers. */
  savings: Totals & { sessions: number };
  /** Strata's own model calls today (UTC) and their daily limits. Absent if the budget cannot be read. */
  background?: { calls: number; tokens: number; dailyCalls: number; dailyTokens: number };
  dreams: { days: number; failures: number; lastSuccess?: string };
  /** Lines of errors.log and its predecessor. */
  errors: { failed: number; resolved: number };
}

/** Each call reads the files. Rejects with the system's error. */
export function createProjectFigures(project: Project): () => Promise<ProjectFigures> {
  const { cli, folders, root } = project;
  const { files } = openOwnState(project);
  const ledgers = createLedgerSums(cli.files, folders.savings);
  const candidates = lookAtCandidates(project);
  return async () => {
    const [memory, waiting, background, dream, errors] = await Promise.all([
      readMemoryStatus(cli.files, folders.memory),
      candidates.count(),
      readBackground(project, files),
      readDreamState(files, folders.dreamState),
      countErrors(cli.files, folders.errorLog),
      ledgers.refreshAll(),
    ]);
    const { project: savings, sessions } = ledgers.addUp("");
    return {
      project: root,
      memories: memory.memories,
      ...(waiting !== undefined && { candidates: waiting }),
      openBlockers: memory.blockers.length,
      conflicts: memory.conflicts.length,
      savings: { ...savings, sessions },
      ...(background && { background }),
      dreams: {
        days: dream.days.length,
        failures: dream.failures,
        ...(dream.lastSuccessMs !== undefined && {
          lastSuccess: new Date(dream.lastSuccessMs).toISOString(),
        }),
      },
      errors,
    };
  };
}

async function readBackground(project: Project, files: Files): Promise<ProjectFigures["background"]> {
  const { cli, folders, instance, log } = project;
  const { background: config } = (await project.settings()).config;
  const options = { config, clock: cli.clock, files, log, folder: folders.background, instance };
  const { dailyCalls, dailyTokens } = config;
  const tally = await createBudget(options).today();
  return tally && { ...tally, dailyCalls, dailyTokens };
}

async function countErrors(files: Files, path: string): Promise<ProjectFigures["errors"]> {
  const texts = await Promise.all([`${path}.1`, path].map((one) => readPlainText(files, one)));
  const entries = texts.flatMap((text) => text.split("\n").map(parseEntry));
  const count = (kind: "failed" | "resolved"): number =>
    entries.filter((entry) => entry?.kind === kind).length;
  return { failed: count("failed"), resolved: count("resolved") };
}
