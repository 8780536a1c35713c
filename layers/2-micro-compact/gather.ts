/** Gathers the results and inputs that may be cleared, and clears those that the plan has chosen. */
import PQueue from "p-queue";
import { formatCount } from "../../src/base/format.js";
import {
  createStore,
  findLongInput,
  findSuperseded,
  type InputToClear,
  isClearable,
  isRepeatable,
  isTodoList,
  MARKER_TOKENS,
  type ResultToClear,
} from "../../src/context/clear-input.js";
import { estimateTextTokens, measureCached } from "../../src/context/context-size.js";
import { findText, isHeld, readInputKey } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import { recordBefore } from "../../src/costs/savings.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Result } from "../../src/messages/history.js";
import type { Candidate, ClearPlan } from "./plan.js";

const LAYER = "micro-compact";
const WRITTEN_AT_A_TIME = 8;

type Clearable = Candidate & (InputToClear | ResultToClear);

/** Results of other tools stay for so many answers, unless a later call repeats theirs. */
const OTHERS_KEPT_ANSWERS = 20;

/**
 * The newest results stay: the last two, and of the last five, or those of the last three answers, which may have made
 * many calls at once, as many as fit these tokens.
 */
const KEPT = { least: 2, results: 5, answers: 3, tokens: 6_000 };

/**
 * The results and inputs that may be cleared, in order: sent at least once, not yet cleared, not held by a person, and
 * larger than a marker. The newest calls keep theirs, and the newest todo list stays. `view`: the messages as they would be
 * sent.
 */
export function gatherClearable(
  request: ContextRequest,
  view: readonly Message[],
  gathering: Pick<LayerContext["config"]["microCompact"], "keepRecent" | "tools">,
): Clearable[] {
  const { history, model, shownFrom } = request;
  const from = shownFrom();
  const results = history.results(from);
  const answersFrom = countAnswersFrom(history.messages);
  const keptFrom =
    gathering.keepRecent === undefined
      ? findKept(request, results, answersFrom)
      : Math.max(0, results.length - gathering.keepRecent);
  const newestTodos = results.findLast(({ part }) => isTodoList(part) && part.state.status === "completed");
  const superseded = findSuperseded(history.messages.slice(from));
  const mayClear = ({ index, part }: Result): boolean =>
    isRepeatable(part.tool) ||
    (isClearable(part.tool, gathering.tools) &&
      (superseded.has(part) || answersFrom(index) > OTHERS_KEPT_ANSWERS));
  const old = results.flatMap((result, at) => {
    if (result.index >= history.lastAnswer || result === newestTodos || isHeld(request, result)) return [];
    const isOld = at < keptFrom;
    return [
      isOld || isTodoList(result.part) ? gatherInput(request, result) : undefined,
      isOld && mayClear(result) ? gatherResult(request, result) : undefined,
    ].filter((one) => one !== undefined);
  });
  if (old.length === 0) return [];
  const { lastAnswer, messages } = history;
  const cachedFrom = measureCached({ view, count: messages.length, lastAnswer, model });
  return old.map((one): Clearable => {
    const cached = cachedFrom(one.result.index);
    if (one.kind === "input") return { ...one, cachedFrom: cached };
    return { ...one, cachedFrom: cached, superseded: superseded.get(one.result.part) };
  });
}

/** What is cached behind it is not looked up yet. */
type Unplaced<T> = T & Pick<Candidate, "tokens">;

/** Counts the answers from a message on, its own included. */
function countAnswersFrom(messages: readonly Message[]): (index: number) => number {
  const counts: number[] = [];
  let count = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, summary } = messages[index]?.info ?? {};
    if (role === "assistant" && summary !== true) count++;
    counts[index] = count;
  }
  return (index) => counts[index] ?? 0;
}

/** Index of the first of the newest results, which stay. */
function findKept(
  { find }: ContextRequest,
  results: readonly Result[],
  answersFrom: (index: number) => number,
): number {
  let tokens = 0;
  for (let kept = 0; kept < results.length; kept++) {
    const result = results[results.length - 1 - kept];
    if (!result) break;
    tokens += estimateTextTokens(findText(result, find(result.key)) ?? result.text);
    const isNew = kept < KEPT.results || answersFrom(result.index) <= KEPT.answers;
    if (kept >= KEPT.least && !(isNew && tokens <= KEPT.tokens)) return results.length - kept;
  }
  return 0;
}

function gatherResult({ find }: ContextRequest, result: Result): Unplaced<ResultToClear> | undefined {
  const decision = find(result.key);
  if (decision?.cleared) return undefined;
  const shown = findText(result, decision) ?? result.text;
  const tokens = estimateTextTokens(shown) - MARKER_TOKENS;
  return tokens > 0 ? { kind: "result", result, shown, judged: decision?.judged, tokens } : undefined;
}

function gatherInput({ find }: ContextRequest, result: Result): Unplaced<InputToClear> | undefined {
  const long = findLongInput(result.part);
  if (!long || find(readInputKey(result).key)?.cleared) return undefined;
  return { kind: "input", result, ...long };
}

/**
 * Clears a planned batch: writes the files, the ledger and the decisions, in this order. Rejects if a file or the decisions
 * cannot be written, or the signal is aborted first; then nothing is cleared.
 */
export async function clearBatch(
  context: LayerContext,
  { sessionID }: ContextRequest,
  { clearable, plan, reason }: { clearable: readonly Clearable[]; plan: ClearPlan; reason: string },
  signal: AbortSignal,
): Promise<void> {
  const { decisions, log, savings } = context;
  const store = createStore(context);
  const lanes = new PQueue({ concurrency: WRITTEN_AT_A_TIME });
  const going = clearable.slice(plan.from);
  const stored = await Promise.all(going.map((one) => lanes.add(() => store(one))));
  const cleared = stored.filter((one) => one !== undefined);
  signal.throwIfAborted();
  const [first] = cleared;
  if (!first) return;
  const { cacheLost, tokensFreed } = plan;
  const inputs = going.filter(({ kind }, index) => kind === "input" && stored[index] !== undefined).length;
  const results = cleared.length - inputs;
  const saved = {
    session: sessionID,
    layer: LAYER,
    event: "cleared",
    reason,
    key: `${sessionID} ${first.key}`,
    results,
    ...(inputs > 0 && { inputs }),
    tokensFreed,
    cacheLost,
  };
  await recordBefore(savings, saved, () => decisions.record(sessionID, LAYER, cleared, signal));
  log.info(
    LAYER,
    `cleared ${results} results and ${inputs} call inputs (${reason}): about ${formatCount(tokensFreed)} tokens free, ` +
      `${formatCount(cacheLost)} cached tokens to be written again`,
  );
}
