/**
 * Runs for every request before the seven layers: notes that the session has begun, refreshes the result files that the
 * context names, and records why the prompt cache breaks.
 */
import { formatError } from "../../src/base/error.js";
import { decide } from "../../src/context/decisions.js";
import { formatWholeInput, type KnownDecision, readInputKey } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import { findCutPath } from "../../src/context/result-files.js";
import { parseSavingsRecord } from "../../src/costs/savings.js";
import { waitAtMost } from "../../src/io/clock.js";
import { readJsonLines } from "../../src/io/json-lines.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { Result } from "../../src/messages/history.js";
import type { BreakWatch } from "./break-watch.js";
import type { RequestUsage } from "./request-usage.js";

export interface ViewOptions extends KernelContext {
  breaks: BreakWatch;
  usage: RequestUsage;
}

const LAYER = "view";
/** How long a turn waits for each; then the work continues in the background. */
const PREPARE_WITHIN_MS = 1_000;
const COMPARE_WITHIN_MS = 500;

export function createView(options: ViewOptions): Layer {
  const { usage, breaks, clock, log, prices, requests, sizes, windows } = options;
  const begin = createSessionStart(options);
  const refresh = createResultRefresh(options);

  return {
    name: LAYER,
    phase: "before",
    servesForks: ["context", "compacted", "compacting", "modelWindow", "event"],
    handlers: {
      async context(request) {
        const { history, sessionID } = request;
        await inTime(PREPARE_WITHIN_MS, "read the models' prices", prices.load);
        await prepare(request);
        const view = request.show();
        await inTime(COMPARE_WITHIN_MS, "compare with the view sent last", () =>
          breaks.compare(request, view),
        );
        sizes.observe(
          sessionID,
          history.freshSummary === -1 ? request.showSent : undefined,
          history.messages,
        );
        usage.open(request);
        if (request.isCompaction) return view;
        refresh(request);
        return view;
      },

      /** Before anything is decided about the summary. */
      async compacted(request) {
        await prepare(request);
        return undefined;
      },

      compacting({ sessionID }) {
        requests.expectCompaction(sessionID);
        return undefined;
      },

      modelWindow(given) {
        windows.learn(given.model, given.window);
        if (given.prices) prices.learn(given.model, given.prices);
        return undefined;
      },

      event(event) {
        usage.onEvent(event);
        return undefined;
      },
    },
  };

  async function inTime(withinMs: number, what: string, run: () => Promise<void>): Promise<void> {
    const waited = await waitAtMost(clock, withinMs, run);
    if (waited.kind === "done") return;
    const why = waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${withinMs} ms`;
    log.error(LAYER, `cannot ${what}: ${why}`);
  }

  function prepare(request: ContextRequest): Promise<void> {
    return inTime(PREPARE_WITHIN_MS, "record the session's start, or a break of the prompt cache", () =>
      begin(request),
    );
  }
}

/* Notes that a session has begun in this instance, and records decisions that were lost with deleted state. */

/** Ledger events whose loss changes the bytes; other decisions are made again with the same outcome. */
const DEPARTURES = ["cleared", "cut", "compacted", "extended", "dropped", "expanded", "uncut"];

/** Call for each request, before any decision about it. */
function createSessionStart(options: ViewOptions): (request: ContextRequest) => Promise<void> {
  const { breaks, decisions, files, folders, sizes } = options;
  const known = new Set<string>();

  return async (request) => {
    const { history, isCompaction, sessionID } = request;
    const hadBegun = await decisions.begin(sessionID, history.days);
    if (!hadBegun && !known.has(sessionID)) await takeOver(request);
    known.add(sessionID);
    if (!isCompaction) await breaks.lookAtHost(request);
  };

  /**
   * The session is not new, but has no decisions: it is a fork, and its parent's apply, or the machine state was deleted,
   * and the history is sent in another form than before.
   */
  async function takeOver(request: ContextRequest): Promise<void> {
    const { history, sessionID } = request;
    if (history.lastAnswer === -1) return;
    const path = `${folders.savings}/${sessionID}.jsonl`;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    if (!records.some(({ event }) => DEPARTURES.includes(event))) return;
    const last = history.messages[history.lastAnswer]?.info.time?.created;
    const why = "the machine state was deleted, so what was decided is decided anew";
    sizes.observe(sessionID, undefined, history.messages);
    await breaks.recordLoss(request, `lost after ${last}`, why);
  }
}

/*
 * Keeps the result files that the context names. A missing file is restored from the host's copy of the result; an
 * existing one is marked as used, so that it does not expire. Each file is checked once an hour for each session, in the
 * background: the agent cannot ask for a file before the model has answered.
 */

const CHECK_EVERY_MS = 3_600_000;

/** Returns what checks the files of the decisions that a request shows instead of results and inputs of calls. */
function createResultRefresh(context: KernelContext): (request: ContextRequest) => void {
  const { background, clock, decisions, files, log, resultFiles } = context;
  const checkedMs = new Map<string, number>();

  return (request) => {
    const { find, history, sessionID, shownFrom } = request;
    for (const result of history.results(shownFrom())) {
      const decided = find(result.key);
      const decision = decided?.cleared ?? decided?.judged;
      if (decision) refreshOne(sessionID, result, decision);
      const input = find(readInputKey(result).key)?.cleared;
      if (input) refreshOne(sessionID, result, input);
    }
    refreshTurns(request);
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
