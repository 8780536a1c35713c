/**
 * Keeps the result files that the context names. A missing file is restored from the host's copy of the result; an
 * existing one is marked as used, so that it does not expire. Each file is checked once an hour for each session, in the
 * background: the agent cannot ask for a file before the model has answered.
 */
import { formatError } from "../../src/base/error.js";
import { decide } from "../../src/context/decisions.js";
import { formatWholeInput, type KnownDecision, readInputKey } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import { findCutPath } from "../../src/context/result-files.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { Result } from "../../src/messages/history.js";

const LAYER = "view";
const CHECK_EVERY_MS = 3_600_000;

export type ResultRefresh = ReturnType<typeof createResultRefresh>;

export function createResultRefresh(context: KernelContext) {
  const { background, clock, decisions, files, log, resultFiles } = context;
  const checkedMs = new Map<string, number>();

  return {
    /** Checks the files of the decisions that the request shows instead of results and inputs of calls. */
    refresh(request: ContextRequest): void {
      const { find, history, sessionID, shownFrom } = request;
      for (const result of history.results(shownFrom())) {
        const decided = find(result.key);
        const decision = decided?.cleared ?? decided?.judged;
        if (decision) refreshOne(sessionID, result, decision);
        const input = find(readInputKey(result).key)?.cleared;
        if (input) refreshOne(sessionID, result, input);
      }
      refreshTurns(request);
    },
  };

  function refreshOne(sessionID: string, result: Result, { file, key, session }: KnownDecision): void {
    if (file === undefined) return;
    const name = `${sessionID} ${file}`;
    const last = checkedMs.get(name);
    if (last !== undefined && clock.now() - last < CHECK_EVERY_MS) return;
    checkedMs.set(name, clock.now());
    void background.add(async () => {
      const isInput = key === readInputKey(result).key;
      const isThere = await check(file, result, isInput);
      if (!isThere) checkedMs.delete(name);
      if (session !== sessionID && !decisions.isUsing(sessionID, file))
        await noteUse(sessionID, result, file);
    });
  }

  /** Turns that a person has dropped. */
  function refreshTurns({ find, history, sessionID, shownFrom }: ContextRequest): void {
    for (let index = shownFrom(); index < history.messages.length; index++) {
      const key = history.keyOf(index);
      const dropped = key && find(key.key)?.dropped;
      const name = `${sessionID} ${dropped?.file}`;
      if (dropped?.file === undefined || checkedMs.has(name)) continue;
      checkedMs.set(name, clock.now());
      const { file } = dropped;
      void background.add(async () => {
        const { restoreTurn } = await import("./steering/act.js");
        await restoreTurn({ find, history }, { index, file }, { log, resultFiles });
      });
    }
  }

  /** Returns whether the file exists now. */
  async function check(path: string, result: Result, isInput: boolean): Promise<boolean> {
    try {
      if (await resultFiles.exists(path)) {
        await resultFiles.touch(path);
        return true;
      }
      const cutPath = isInput ? undefined : findCutPath(result.part, result.text);
      const whole = cutPath === undefined ? undefined : await files.read(cutPath);
      await resultFiles.restore(
        path,
        whole ?? (isInput ? formatWholeInput(result) : Buffer.from(result.text)),
      );
      const isCut = cutPath !== undefined && !whole;
      const from = isCut ? "from the host's truncated copy; the full result is lost" : "from the host's copy";
      log.warn(LAYER, `${path} was missing and has been restored ${from}`);
      return true;
    } catch (thrown) {
      log.error(LAYER, `cannot restore or touch ${path}, which the context names: ${formatError(thrown)}`);
      return false;
    }
  }

  /** A fork has inherited the decision, and needs the file as long as it lives. */
  async function noteUse(session: string, result: Result, file: string): Promise<void> {
    await decisions
      .record(session, LAYER, [decide(result, { outcome: "used", file })])
      .catch((thrown) =>
        log.warn(LAYER, `cannot record that ${session} uses ${file}: ${formatError(thrown)}`),
      );
  }
}
