/**
 * Keeps the files that the context names. One that was deleted is written again, from the host's own copy of the
 * result; one that is there counts as used now, so that the sweep leaves it. Each file is looked after once an hour
 * for each session, behind the turn: the agent cannot ask for a file before the model has answered.
 */
import type PQueue from "p-queue";
import type { Result } from "../../src/conversation/history.js";
import { formatError } from "../../src/error.js";
import type { Log } from "../../src/record/log.js";
import type { Clock } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import { type Decisions, decide } from "../../src/view/decisions.js";
import { findCutPath } from "../../src/view/host-cut.js";
import type { KnownDecision } from "../../src/view/known-decision.js";
import type { ResultFiles } from "../../src/view/result-files.js";

export interface FileKeeper {
  /** The request of this session shows this decision in the place of this result. */
  keep(sessionID: string, result: Result, decision: KnownDecision): void;
}

export interface FileKeeperOptions {
  background: PQueue;
  clock: Clock;
  decisions: Decisions;
  files: Files;
  log: Log;
  resultFiles: ResultFiles;
}

const LAYER = "view";
const LOOK_AGAIN_AFTER_MS = 3_600_000;

export function createFileKeeper(options: FileKeeperOptions): FileKeeper {
  const { background, clock, decisions, files, log, resultFiles } = options;
  const lookedAfterMs = new Map<string, number>();

  return {
    keep(sessionID, result, { file, session }) {
      if (file === undefined) return;
      const name = `${sessionID} ${file}`;
      const last = lookedAfterMs.get(name);
      if (last !== undefined && clock.now() - last < LOOK_AGAIN_AFTER_MS) return;
      lookedAfterMs.set(name, clock.now());
      void background.add(async () => {
        const isThere = await lookAfter(file, result);
        if (!isThere) lookedAfterMs.delete(name);
        if (session !== sessionID && !decisions.isUsing(sessionID, file))
          await noteUse(sessionID, result, file);
      });
    },
  };

  /** Whether the file is there afterwards. */
  async function lookAfter(path: string, result: Result): Promise<boolean> {
    try {
      if (await resultFiles.exists(path)) {
        await resultFiles.touch(path);
        return true;
      }
      const cutPath = findCutPath(result.part, result.text);
      const whole = cutPath === undefined ? undefined : await files.read(cutPath);
      await resultFiles.restore(path, whole ?? Buffer.from(result.text));
      const isCut = cutPath !== undefined && !whole;
      const from = isCut ? "as the host has cut it, the whole is gone" : "from the host's copy";
      log.warn(LAYER, `${path} was missing and is written again ${from}`);
      return true;
    } catch (thrown) {
      log.error(LAYER, `cannot look after ${path}, which the context names: ${formatError(thrown)}`);
      return false;
    }
  }

  /** A fork took the decision over: the file is needed as long as the fork is. */
  async function noteUse(session: string, result: Result, file: string): Promise<void> {
    await decisions
      .record(session, LAYER, [decide(result, { outcome: "used", file })])
      .catch((thrown) => log.warn(LAYER, `cannot note that ${session} uses ${file}: ${formatError(thrown)}`));
  }
}
