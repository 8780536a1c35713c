/** Notes how a dream ended: in its state, on the page of dreams, in the log. Nothing here takes the dream back. */
import { formatError } from "../../src/error.js";
import type { Folders } from "../../src/folders.js";
import {
  type DreamState,
  noteSuccess,
  readDreamState,
  writeDreamState,
} from "../../src/record/dream-state.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { nameFinding } from "./change.js";
import { nameCluster, nameTry } from "./clusters.js";
import { type DreamReport, formatCounts } from "./dreams-page.js";
import { createDreamPages } from "./pages.js";
import type { DreamRun } from "./planning.js";

export interface DreamRecord {
  /** The report as it is told: with findings that earlier dreams have not told. */
  noteDone(run: DreamRun, report: DreamReport): Promise<DreamReport>;
  /** Never rejects. */
  noteFailure(): Promise<void>;
}

export interface DreamRecordOptions {
  clock: Clock;
  files: Files;
  folders: Pick<Folders, "dreamState" | "memory">;
  log: Log;
}

const SOURCE = "dream";
/** In one dream; the next one tells the rest. */
const MOST_FINDINGS = 20;

export function createDreamRecord({ clock, files, folders, log }: DreamRecordOptions): DreamRecord {
  const pages = createDreamPages({ files, folder: folders.memory, log });

  return {
    async noteDone(run, report) {
      const known = new Set(run.state.told);
      const fresh = report.findings.filter((one) => !known.has(nameFinding(one)));
      const told = { ...report, findings: fresh.slice(0, MOST_FINDINGS) };
      try {
        await writeDreamState(files, folders.dreamState, planState(run, told, clock.now()));
      } catch (thrown) {
        log.warn(SOURCE, `done, but it cannot be noted when: ${formatError(thrown)}`);
      }
      await pages.add(told);
      const counts = formatCounts(report.changes);
      log.info(SOURCE, `${report.id}: ${counts}${report.usedModel ? ", with a model" : ""}`);
      for (const why of report.refused) log.warn(SOURCE, `${report.id}: not taken from the model: ${why}`);
      return told;
    },

    async noteFailure() {
      try {
        const state = await readDreamState(files, folders.dreamState);
        const failed = { ...state, failures: state.failures + 1, lastFailureMs: clock.now() };
        await writeDreamState(files, folders.dreamState, failed);
      } catch (thrown) {
        log.warn(SOURCE, `cannot note the failure: ${formatError(thrown)}`);
      }
    },
  };
}

function planState({ answer, clusters, state }: DreamRun, report: DreamReport, nowMs: number): DreamState {
  const isBad = answer?.kind === "failed" || (answer?.kind === "staged" && isNonsense(report));
  const isGood = answer?.kind === "staged" && !isBad;
  return noteSuccess(state, nowMs, {
    ...(isBad ? { model: "bad" } : isGood && { model: "good" }),
    seen: isGood ? clusters.map(nameCluster) : isBad ? clusters.map(nameTry) : [],
    told: report.findings.map(nameFinding),
  });
}

/** Something was staged, and none of it could be taken. */
const isNonsense = ({ refused, usedModel }: DreamReport): boolean => refused.length > 0 && !usedModel;
