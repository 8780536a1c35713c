/** The figures of a project for `/stats` and `/metrics`: counts, no text of memories or sessions. */
import { parseEntry } from "../../layers/errors/error-log.js";
import { createLedgerSums } from "../costs/sums.js";
import { type Files, readPlainText } from "../io/files.js";
import { createBudget } from "../models/budget.js";
import { lookAtCandidates, openOwnState } from "../operations/own-state.js";
import type { Project } from "../operations/project.js";
import { readDreamState } from "../project/dream-state.js";
import { readMemoryStatus } from "../status/memory-status.js";

export type ProjectFigures = Awaited<ReturnType<ReturnType<typeof createProjectFigures>>>;

/** Each call reads the files. Rejects with the system's error. */
export function createProjectFigures(project: Project) {
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
      /** By type, private ones included. */
      memories: memory.memories,
      /** Absent if they cannot be read. */
      ...(waiting !== undefined && { candidates: waiting }),
      openBlockers: memory.blockers.length,
      conflicts: memory.conflicts.length,
      /** `sessions`: the number of ledgers. */
      savings: { ...savings, sessions },
      /** Strata's own model calls today (UTC) and their daily limits. Absent if the budget cannot be read. */
      ...(background && { background }),
      dreams: {
        days: dream.days.length,
        failures: dream.failures,
        ...(dream.lastSuccessMs !== undefined && {
          lastSuccess: new Date(dream.lastSuccessMs).toISOString(),
        }),
      },
      /** Lines of errors.log and its predecessor. */
      errors,
    };
  };
}

async function readBackground(project: Project, files: Files) {
  const { cli, folders, instance, log } = project;
  const { background: config } = (await project.settings()).config;
  const options = { config, clock: cli.clock, files, log, folder: folders.background, instance };
  const { dailyCalls, dailyTokens } = config;
  const tally = await createBudget(options).today();
  return tally && { ...tally, dailyCalls, dailyTokens };
}

async function countErrors(files: Files, path: string) {
  const texts = await Promise.all([`${path}.1`, path].map((one) => readPlainText(files, one)));
  const entries = texts.flatMap((text) => text.split("\n").map(parseEntry));
  const count = (kind: "failed" | "resolved"): number =>
    entries.filter((entry) => entry?.kind === kind).length;
  return { failed: count("failed"), resolved: count("resolved") };
}
