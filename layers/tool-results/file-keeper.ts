/**
 * Keeps the files that the context names: before a request is sent they are there. One that was deleted is written
 * again from the host's own copy of the result; one that is there counts as used now, so that the sweep leaves it.
 * Each file is looked after once an hour for each session.
 */
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { ResultFiles } from "./result-files.js";
import { type Result, readCutPath } from "./results.js";

export interface FileKeeper {
  /** Never throws. */
  keep(sessionID: string, replaced: readonly Result[], signal: AbortSignal): Promise<void>;
}

export interface FileKeeperOptions extends LayerContext {
  resultFiles: ResultFiles;
}

const LOOK_AGAIN_AFTER_MS = 3_600_000;

export function createFileKeeper(context: FileKeeperOptions): FileKeeper {
  const { background, clock, decisions, files, log, resultFiles } = context;
  const lookedAfterMs = new Map<string, number>();

  return {
    async keep(sessionID, replaced, signal) {
      for (const result of replaced) {
        const decision = decisions.find(result.key);
        if (decision?.file === undefined || signal.aborted) continue;
        const name = `${sessionID} ${decision.file}`;
        const last = lookedAfterMs.get(name);
        if (last !== undefined && clock.now() - last < LOOK_AGAIN_AFTER_MS) continue;
        lookedAfterMs.set(name, clock.now());
        await lookAfter(decision.file, result);
        if (decision.session !== sessionID && last === undefined)
          noteUse(sessionID, result.day, decision.key, decision.file);
      }
    },
  };

  async function lookAfter(path: string, result: Result): Promise<void> {
    try {
      if (await resultFiles.exists(path)) {
        void background.add(() => noteTouch(path));
        return;
      }
      const cutPath = readCutPath(result.part, result.text);
      const whole = cutPath === undefined ? undefined : await readUnlessFailing(cutPath);
      await resultFiles.restore(path, whole ?? Buffer.from(result.text));
      const what =
        cutPath !== undefined && !whole
          ? "as the host has cut it, the whole is gone"
          : "from the host's copy";
      log.warn("tool-results", `${path} was missing and is written again ${what}`);
    } catch (thrown) {
      log.error("tool-results", `${path} is missing and cannot be written again: ${formatError(thrown)}`);
    }
  }

  async function readUnlessFailing(path: string): Promise<Uint8Array | undefined> {
    return files.read(path).catch(() => undefined);
  }

  async function noteTouch(path: string): Promise<void> {
    await resultFiles
      .touch(path, clock.now())
      .catch((thrown) =>
        log.warn("tool-results", `cannot note that ${path} is in use: ${formatError(thrown)}`),
      );
  }

  /** A fork took the decision over: the file is needed as long as the fork is. */
  function noteUse(session: string, day: number, key: string, file: string): void {
    void background.add(() =>
      decisions
        .record(day, [{ v: 1, key, session, layer: "tool-results", outcome: "used", file }])
        .catch((thrown) =>
          log.warn("tool-results", `cannot note that ${session} uses ${file}: ${formatError(thrown)}`),
        ),
    );
  }
}
