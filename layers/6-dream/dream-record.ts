/** Records how a dream ended: in the dream state, in DREAMS.md, in the log. A failure to record does not undo the dream. */
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
  /** Returns the report as shown: only with findings that no earlier dream reported. */
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
/** For each dream; the next one reports the rest. */
const MOST_FINDINGS = 20;

export function createDreamRecord({ clock, files, folders, log }: DreamRecordOptions): DreamRecord {
  const pages = createDreamPages({ files, folder: folders.memory, log });

  return {
    async noteDone(run, report) {
      const known = new Set(run.state.told);
      const fresh = report.findings.filter((one) => !known.has(nameFinding(one)));
      const shown = { ...report, findings: fresh.slice(0, MOST_FINDINGS) };
      try {
        await writeDreamState(files, folders.dreamState, planState(run, shown, clock.now()));
      } catch (thrown) {
        log.warn(SOURCE, `the dream is done, but its state cannot be written: ${formatError(thrown)}`);
      }
      await pages.add(shown);
      const counts = formatCounts(report.changes);
      log.info(SOURCE, `${report.id}: ${counts}${report.usedModel ? ", with a model" : ""}`);
      for (const why of report.refused)
        log.warn(SOURCE, `${report.id}: rejected a change of the model: ${why}`);
      return shown;
    },

    async noteFailure() {
      try {
        const state = await readDreamState(files, folders.dreamState);
        const failed = { ...state, failures: state.failures + 1, lastFailureMs: clock.now() };
        await writeDreamState(files, folders.dreamState, failed);
      } catch (thrown) {
        log.warn(SOURCE, `cannot record the failure: ${formatError(thrown)}`);
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

/** The model staged changes, and none was accepted. */
const isNonsense = ({ refused, usedModel }: DreamReport): boolean => refused.length > 0 && !usedModel;
