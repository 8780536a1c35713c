/**
 * Keeps the files that the context names. One that was deleted is written again, from the host's own copy of the
 * result; one that is there counts as used now, so that the sweep leaves it. Each file is looked after once an hour
 * for each session, behind the turn: the agent cannot ask for a file before the model has answered.
 */
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { KnownDecision } from "../../src/view/decisions.js";
import { LAYER } from "./judge.js";
import type { ResultFiles } from "./result-files.js";
import type { Result } from "./results.js";

export interface FileKeeper {
  /** The request of this session shows this decision in the place of this result. */
  keep(sessionID: string, result: Result, decision: KnownDecision): void;
}

export interface FileKeeperOptions extends LayerContext {
  resultFiles: ResultFiles;
}

const LOOK_AGAIN_AFTER_MS = 3_600_000;

export function createFileKeeper(context: FileKeeperOptions): FileKeeper {
  const { background, clock, decisions, files, log, resultFiles } = context;
  const lookedAfterMs = new Map<string, number>();

  return {
    keep(sessionID, result, { file, session, key }) {
      if (file === undefined) return;
      const name = `${sessionID} ${file}`;
      const last = lookedAfterMs.get(name);
      if (last !== undefined && clock.now() - last < LOOK_AGAIN_AFTER_MS) return;
      lookedAfterMs.set(name, clock.now());
      void background.add(async () => {
        const isThere = await lookAfter(file, result);
        if (!isThere) lookedAfterMs.delete(name);
        if (session !== sessionID && !decisions.isUsing(sessionID, file))
          await noteUse(sessionID, result.day, key, file);
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
      const whole = result.cutPath === undefined ? undefined : await files.read(result.cutPath);
      await resultFiles.restore(path, whole ?? Buffer.from(result.text));
      const isCut = result.cutPath !== undefined && !whole;
      const from = isCut ? "as the host has cut it, the whole is gone" : "from the host's copy";
      log.warn(LAYER, `${path} was missing and is written again ${from}`);
      return true;
    } catch (thrown) {
      log.error(LAYER, `cannot look after ${path}, which the context names: ${formatError(thrown)}`);
      return false;
    }
  }

  /** A fork took the decision over: the file is needed as long as the fork is. */
  async function noteUse(session: string, day: number, key: string, file: string): Promise<void> {
    await decisions
      .record(day, { session, layer: LAYER, decisions: [{ key, outcome: "used", file }] })
      .catch((thrown) => log.warn(LAYER, `cannot note that ${session} uses ${file}: ${formatError(thrown)}`));
  }
}
