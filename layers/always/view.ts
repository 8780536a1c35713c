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
import type { Files } from "../../src/io/files.js";
import { readJsonLines } from "../../src/io/json-lines.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { DecisionKey, Result } from "../../src/messages/history.js";
import type { BreakWatch } from "./break-watch.js";
import type { RequestUsage } from "./request-usage.js";

type ViewOptions = KernelContext & { breaks: BreakWatch; usage: RequestUsage };

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
        const { history, isCompaction, sessionID } = request;
        await inTime(PREPARE_WITHIN_MS, "read the models' prices", prices.load);
        await prepare(request);
        const view = request.show();
        await inTime(COMPARE_WITHIN_MS, "compare with the view sent last", () =>
          breaks.compare(request, view),
        );
        const sent = history.freshSummary === -1 ? request.showSent : undefined;
        sizes.observe(sessionID, sent, history.messages);
        usage.open(request);
        if (!isCompaction) refresh(request);
        return view;
      },

      compacted: async (request) => void (await prepare(request)),

      compacting: ({ sessionID }) => void requests.expectCompaction(sessionID),

      modelWindow(given) {
        windows.learn(given.model, given.window);
        if (given.prices) prices.learn(given.model, given.prices);
      },

      event: (event) => void usage.onEvent(event),
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

/** Returns what checks the files of the decisions that a request shows instead of results, inputs of calls and turns. */
function createResultRefresh(context: KernelContext): (request: ContextRequest) => void {
  const { background, clock, decisions, log, resultFiles } = context;
  const checkedMs = new Map<string, number>();
  /** By session: what was decided when all of its files were looked at. */
  const lookedAt = new Map<string, { version: number; atMs: number }>();

  return (request) => {
    const { sessionID } = request;
    const [version, nowMs] = [decisions.version(), clock.now()];
    const last = lookedAt.get(sessionID);
    if (last?.version === version && nowMs - last.atMs < CHECK_EVERY_MS) return;
    lookedAt.set(sessionID, { version, atMs: nowMs });
    for (const named of listNamed(context, request)) refreshOne(sessionID, named);
  };

  function refreshOne(sessionID: string, { behind, decision, restore }: NamedFile): void {
    const { file, session } = decision;
    if (file === undefined) return;
    const name = `${sessionID} ${file}`;
    // A fork notes below that it uses the file, also when its parent has just stored it.
    const last = checkedMs.get(name) ?? (session === sessionID ? resultFiles.storedMs(file) : undefined);
    if (last !== undefined && clock.now() - last < CHECK_EVERY_MS) return;
    checkedMs.set(name, clock.now());
    void background.add(async () => {
      try {
        if (!(await resultFiles.use(file))) {
          const { bytes, from } = await restore();
          await resultFiles.restore(file, bytes);
          log.warn(LAYER, `${file} was missing and has been restored from ${from}`);
        }
      } catch (thrown) {
        checkedMs.delete(name);
        lookedAt.delete(sessionID);
        log.error(LAYER, `cannot restore or touch ${file}, which the context names: ${formatError(thrown)}`);
      }
      if (session !== sessionID && !decisions.isUsing(sessionID, file))
        await noteUse(sessionID, behind, file);
    });
  }

  /** A fork has inherited the decision, and needs the file as long as it lives. */
  async function noteUse(session: string, behind: DecisionKey, file: string): Promise<void> {
    const complain = (thrown: unknown) =>
      log.warn(LAYER, `cannot record that ${session} uses ${file}: ${formatError(thrown)}`);
    await decisions.record(session, LAYER, [decide(behind, { outcome: "used", file })]).catch(complain);
  }
}

/** A decision that may name a file, and what is in the file. */
interface NamedFile {
  behind: DecisionKey;
  decision: KnownDecision;
  restore(): Promise<{ bytes: Uint8Array; from: string }>;
}

const HOSTS_COPY = "the host's copy";

function listNamed({ files }: Pick<KernelContext, "files">, request: ContextRequest): NamedFile[] {
  const { find, history, shownFrom } = request;
  const results = history.results(shownFrom()).flatMap((result): NamedFile[] => {
    const decided = find(result.key);
    const shown = decided?.cleared ?? decided?.judged;
    const input = find(readInputKey(result).key)?.cleared;
    const whole = async () => ({ bytes: formatWholeInput(result), from: HOSTS_COPY });
    return [
      ...(shown ? [{ behind: result, decision: shown, restore: () => readResult(files, result) }] : []),
      ...(input ? [{ behind: result, decision: input, restore: whole }] : []),
    ];
  });
  // Turns that a person has dropped.
  const turns = [...history.messages.keys()].slice(shownFrom()).flatMap((index): NamedFile[] => {
    const behind = history.keyOf(index);
    const decision = behind && find(behind.key)?.dropped;
    const restore = async () => {
      const { formatDropped } = await import("./steering/act.js");
      return { bytes: Buffer.from(formatDropped(request, index)), from: HOSTS_COPY };
    };
    return behind && decision ? [{ behind, decision, restore }] : [];
  });
  return [...results, ...turns];
}

/** The whole result, which the host may have cut. */
async function readResult(files: Pick<Files, "read">, { part, text }: Result) {
  const cutPath = findCutPath(part, text);
  const whole = cutPath === undefined ? undefined : await files.read(cutPath);
  const isCut = cutPath !== undefined && !whole;
  return {
    bytes: whole ?? Buffer.from(text),
    from: isCut ? "the host's truncated copy; the full result is lost" : HOSTS_COPY,
  };
}
