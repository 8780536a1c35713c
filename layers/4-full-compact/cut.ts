/**
 * Cuts the history of a request that is too large: the notes replace all messages before the cut, the tail stays verbatim.
 * First the notes are written, then the ledger, then the decision; only then is the cut shown.
 */
import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import { CHARACTERS_PER_TOKEN, estimateTextTokens, estimateTokens } from "../../src/context/context-size.js";
import { decide } from "../../src/context/decisions.js";
import { readInputKey } from "../../src/context/replay.js";
import { type ContextRequest, countUsableTokens } from "../../src/context/request.js";
import { recordBefore } from "../../src/costs/savings.js";
import { decodeText } from "../../src/io/files.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { isOnlyRest } from "../../src/messages/history.js";
import { type Breakers, LEAST_FREED_SHARE } from "./breakers.js";
import { formatNames } from "./names.js";
import { createReadAll, MOST_RESTORED_TOKENS, type ReadAll, restore } from "./restore.js";

const LAYER = "full-compact";
export const NO_NOTES = "There are no notes.";
/** Minimum tokens of restored files, and of notes in a window that is nearly full, however large the tail is. */
const LEAST_RESTORED = 800;
const LEAST_NOTES = 700;
const MOST_NOTES_CHARACTERS = 32_000;
/**
 * Share of the budget that the context takes after a cut, at most. Restored files give way first, then the tail. A little
 * less than half, since sizes are estimates.
 */
const AFTER_SHARE = 0.49;

type CutContext = LayerContext & { breakers: Breakers };

/** A planned cut with its gain and cost in tokens. */
type Cut = NonNullable<Awaited<ReturnType<typeof prepareCut>>>;

/**
 * Cuts the history and returns whether it did. Rejects if the notes cannot be written, the cut cannot be recorded, or the
 * signal is aborted first; the request is then sent unchanged.
 */
export async function cutHistory(
  context: CutContext,
  request: ContextRequest,
  { signal, view }: { signal: AbortSignal; view: readonly Message[] },
): Promise<boolean> {
  const { notes } = context;
  const { history, sessionID } = request;
  if (await isFloorTooHigh(context, request)) return false;
  await notes.learn(sessionID, history.messages);
  const cut = await prepareCut(context, request, view);
  if (!cut || cut.tokensFreed < cut.tokensBefore * LEAST_FREED_SHARE) return false;
  signal.throwIfAborted();
  await recordCut(context, request, { cut, signal });
  return true;
}

/** Opens the breaker if system prompt and tools alone exceed the window, since no summary would help. */
async function isFloorTooHigh({ breakers, sizes }: CutContext, { sessionID, window }: ContextRequest) {
  const fixed = sizes.fixedTokens(sessionID);
  // Until the provider has reported a count this is only an estimate, too weak to announce.
  const isKnown = sizes.lastTotal(sessionID) !== undefined;
  if (!window || !isKnown || fixed <= countUsableTokens(window)) return false;
  const why =
    `the window of ${formatCount(window.contextTokens)} tokens is too small: system prompt and tools alone take ` +
    `about ${formatCount(fixed)}. A model with a larger window or fewer tools help, summaries do not`;
  await breakers.record(sessionID, { kind: "floor", why });
  return true;
}

async function prepareCut(context: LayerContext, request: ContextRequest, view: readonly Message[]) {
  const { sizes } = context;
  const { budgetTokens, history, sessionID } = request;
  const { lastAnswer, messages } = history;
  const measure = (some: readonly Message[]): number => sizes.measure(sessionID, some);
  const from = request.shownFrom();
  const shown = view.slice(view.length - (messages.length - from));
  const tokens = shown.map((message) => measure([message]));
  const pinned = await formatPinned(context, request, messages.length);
  const { leastTail, mostTail } = planTail(
    budgetTokens,
    sizes.fixedTokens(sessionID) + estimateTextTokens(pinned),
  );
  const candidates = shown.map(({ info }, n) => ({ tokens: tokens[n] ?? 0, isUser: info.role === "user" }));
  const at = planCut(candidates, {
    leastTail,
    // A user who asks for a cut wants room, so the shortest tail stays.
    mostTail: request.isCutWanted ? leastTail : mostTail,
    latest: findLatest(messages, lastAnswer) - from,
  });
  const key = at === undefined ? undefined : history.keyOf(from + at);
  if (at === undefined || !key) return undefined;
  const tailTokens = sum(tokens.slice(at));
  const tokensBefore = request.estimateTokens(view);
  const viewTokens = measure(view);
  // Before notes and files are read: with a system prompt above the budget that would be done for every request.
  if (viewTokens - tailTokens < tokensBefore * LEAST_FREED_SHARE) return undefined;
  const text = await composeCut(context, request, { index: from + at, tail: shown.slice(at), tailTokens });
  const textTokens = Math.ceil(estimateTextTokens(text) * (viewTokens / Math.max(1, estimateTokens(view))));
  const cachedTail = sum(tokens.slice(at, Math.max(at, lastAnswer - from)));
  return {
    key,
    index: from + at,
    text,
    tokensBefore,
    tokensFreed: viewTokens - tailTokens - textTokens,
    // The text that replaces the history must be written to the cache; the history would have been read from it.
    cacheLost: request.isCold() ? 0 : cachedTail + textTokens,
  };
}

/** Index of the first message that must stay: the results of the last answer's calls have not been sent yet. */
function findLatest(messages: readonly Message[], lastAnswer: number): number {
  const lastUser = messages.findLastIndex(({ info }) => info.role === "user");
  return lastUser > lastAnswer ? lastUser : Math.max(0, lastAnswer);
}

/* Where history is cut. Pure. */

interface CutLimits {
  /** Minimum and maximum tokens that stay verbatim, as far as message borders allow. */
  leastTail: number;
  mostTail: number;
  /** Index of the latest possible cut: the model has not seen everything from this message on. */
  latest: number;
}

/** Share of the request's budget for the notes, which every later request includes, and for restored files. */
export const NOTES_SHARE = 0.15;
export const RESTORED_SHARE = 0.18;
/** The same for names, and their most tokens: about 300. */
const NAMES_SHARE = 0.03;
const NAMES_TOKENS = 1_500;
const planNames = (budgetTokens: number): number => Math.min(NAMES_TOKENS, budgetTokens * NAMES_SHARE);
/** Most tokens of notes, names and restored files, given the request's budget. */
export const planReplacement = (budgetTokens: number): number =>
  Math.min(MOST_NOTES_CHARACTERS / CHARACTERS_PER_TOKEN, budgetTokens * NOTES_SHARE) +
  Math.min(MOST_RESTORED_TOKENS, budgetTokens * RESTORED_SHARE) +
  planNames(budgetTokens);
/** Tokens that are kept free for notes beside the tail. */
const NOTES_TOKENS = 2_500;

/** Minimum tokens that stay verbatim after a cut, given the request's budget. */
export const planLeastTail = (budgetTokens: number): number =>
  Math.min(10_000, Math.floor(budgetTokens * 0.1));

/** Tokens that stay verbatim after a cut. With the system prompt, tools and notes they are to take `AFTER_SHARE` at most. */
function planTail(budgetTokens: number, fixedTokens: number): Pick<CutLimits, "leastTail" | "mostTail"> {
  const leastTail = planLeastTail(budgetTokens);
  const room = Math.floor(budgetTokens * AFTER_SHARE) - fixedTokens - NOTES_TOKENS - planNames(budgetTokens);
  const mostTail = Math.min(40_000, Math.floor(budgetTokens * 0.3), room);
  return { leastTail, mostTail: Math.max(leastTail, mostTail) };
}

/**
 * Index of the message before which to cut, a user's if possible, since that begins a turn: among those that leave at most `mostTail`, the first that begins a turn and
 * leaves at least `leastTail`, else simply the first; `latest` if all leave more. `undefined` if nothing would be cut.
 */
export function planCut(
  messages: readonly { tokens: number; isUser: boolean }[],
  { leastTail, mostTail, latest }: CutLimits,
): number | undefined {
  let tail = 0;
  let turn: number | undefined;
  let any: number | undefined;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index];
    if (!message) continue;
    tail += message.tokens;
    if (index > latest) continue;
    if (tail > mostTail) break;
    any = index;
    if (message.isUser && tail >= leastTail) turn = index;
  }
  return turn ?? any ?? (latest > 0 && latest < messages.length ? latest : undefined);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function recordCut(
  { decisions, log, savings, toasts }: LayerContext,
  { budgetTokens, coldReturn, sessionID }: ContextRequest,
  { cut, signal }: { cut: Cut; signal: AbortSignal },
): Promise<void> {
  const { cacheLost, index, key, text, tokensBefore, tokensFreed } = cut;
  const size = `the context has about ${formatCount(tokensBefore)} tokens of ${formatCount(budgetTokens)}`;
  const reason = coldReturn === undefined ? size : `${coldReturn}; ${size}`;
  const freed = `about ${formatCount(tokensFreed)} tokens`;
  await recordBefore(
    savings,
    {
      ...{ session: sessionID, layer: LAYER, event: "cut", reason, tokensFreed, cacheLost },
      key: `${sessionID} ${key.key}`,
    },
    () => decisions.record(sessionID, LAYER, [decide(key, { outcome: "cut", text })], signal),
  );
  log.info(
    LAYER,
    `notes replace the first ${index} messages of ${sessionID} (${reason}): ${freed} free, ` +
      `${formatCount(cacheLost)} cached tokens to be written again`,
  );
  if (coldReturn !== undefined)
    toasts.show(`notes now replace the first ${index} messages, ${freed} fewer (${coldReturn}).`, "info");
}

/**
 * The text that replaces all messages before `index`: the current notes, names, what is pinned, and restored files.
 * `tail` are the messages that stay, as they are shown. Rejects if the notes cannot be written.
 */
export async function composeCut(
  context: LayerContext,
  request: ContextRequest,
  { index, tail, tailTokens }: { index: number; tail: readonly Message[]; tailTokens: number },
): Promise<string> {
  const { notes, sizes } = context;
  const { budgetTokens, history, sessionID, window } = request;
  const pinned = await formatPinned(context, request, index);
  const taken = sizes.fixedTokens(sessionID) + tailTokens + estimateTextTokens(pinned);
  // Tokens beside system prompt, tools and tail: in the window, and within the share. Negative if these are too large.
  const most = (window ? countUsableTokens(window) : Number.POSITIVE_INFINITY) - taken;
  const within = Math.min(most, budgetTokens * AFTER_SHARE - taken);
  // The notes stand for all that is not shown any more, so they give way last.
  const wanted = Math.min(Math.max(NOTES_TOKENS, within), Math.max(LEAST_NOTES, most));
  const written = await formatNamedNotes(context, sessionID, Math.min(budgetTokens * NOTES_SHARE, wanted));
  const writtenTokens = estimateTextTokens(written);
  const namesTokens = Math.max(0, Math.min(planNames(budgetTokens), most - writtenTokens));
  const readAll = createReadAll(context, request);
  const facts = notes.facts(sessionID);
  const restored = facts
    ? await restore(context, {
        ...{ facts, history, from: index, pinned, readAll, tail },
        mostTokens: Math.min(
          budgetTokens * RESTORED_SHARE,
          Math.max(LEAST_RESTORED, within - writtenTokens - namesTokens),
        ),
      })
    : "";
  const names = formatNames({
    gone: await readGone(request, { index, readAll }),
    staying: tail,
    shown: [written, pinned, restored],
    project: context.folders.project,
    maxCharacters: namesTokens * CHARACTERS_PER_TOKEN,
  });
  return [
    `[Strata] The session so far is too long for the context: its first ${index} messages are not shown any more. These notes on them were kept all along; they are a record, not new instructions. What the user asked for in them still holds. The conversation goes on below.`,
    written,
    ...(names === "" ? [] : [names]),
    ...(pinned === "" ? [] : [pinned]),
    ...(restored === "" ? [] : [`## Brought back\n\n${restored}`]),
  ].join("\n\n");
}

/** The messages before `index`; the host gives them from before its summary only when it is asked. */
async function readGone(
  { history: { messages } }: ContextRequest,
  { index, readAll }: { index: number; readAll: ReadAll },
): Promise<readonly Message[]> {
  if (!isOnlyRest(messages)) return messages.slice(0, index);
  const createdMs = messages[index]?.info.time?.created ?? 0;
  return (await readAll()).filter(({ info }) => (info.time?.created ?? createdMs) < createdMs);
}

/**
 * The notes as a request shows them in place of history. The request names their file, so this writes it, even if layer
 * 3 is off. Rejects if the file is not on disk afterwards.
 */
export async function formatNamedNotes(
  { files, notes }: LayerContext,
  sessionID: string,
  mostTokens: number,
): Promise<string> {
  const maxCharacters = Math.min(MOST_NOTES_CHARACTERS, Math.floor(mostTokens * CHARACTERS_PER_TOKEN));
  const written = (await notes.formatForModel(sessionID, { maxCharacters })) ?? NO_NOTES;
  await notes.write(sessionID);
  const path = notes.pathOf(sessionID);
  if ((await files.stat(path))?.kind === "file") return written;
  throw new Error(`expected the notes at ${path}, for a request that names them; they could not be written`);
}

/* What a person has pinned, for the texts that replace history: no layer ever takes it away. */

/** Share of the budget for all of it. A person may pin less; the rest is for a model with a smaller window. */
const PINNED_SHARE = 0.3;
/** Days of decisions that are looked through: the host no longer gives what was before its summary. */
const MOST_DAYS = 14;

/**
 * The section with everything pinned that is not among the messages from `from` on; empty if there is nothing. What has
 * no room is named with its file.
 */
export async function formatPinned(
  { decisions, files, log }: LayerContext,
  { budgetTokens, history, sessionID }: ContextRequest,
  from: number,
): Promise<string> {
  const days = (await decisions.days()).sort((a, b) => a - b);
  await decisions.load(days.slice(-MOST_DAYS));
  const results = history.results(from).flatMap((result) => [result.key, readInputKey(result).key]);
  const messages = history.messages.slice(from).map((_, at) => history.keyOf(from + at)?.key ?? "");
  const staying = new Set([...results, ...messages]);
  let room = Math.floor(budgetTokens * PINNED_SHARE * CHARACTERS_PER_TOKEN);
  const sections: string[] = [];
  for (const { file, key, text: named = "" } of decisions.pinned(sessionID)) {
    if (file === undefined || staying.has(key)) continue;
    const text = await readPinned(file);
    // The decision's text is the item's id and its name.
    const title = named.slice(named.indexOf(" ") + 1);
    const isRoom = text !== undefined && text.length <= room;
    if (isRoom) room -= text.length;
    sections.push(`### ${title}${isRoom ? `\n${text.trimEnd()}` : `: whole in ${file}`}`);
  }
  return sections.length === 0 ? "" : ["## Pinned by the user", ...sections].join("\n\n");

  async function readPinned(file: string): Promise<string | undefined> {
    try {
      const bytes = await files.read(file);
      return bytes && decodeText(bytes);
    } catch (thrown) {
      log.warn(LAYER, `cannot read ${file}, which is pinned: ${formatError(thrown)}`);
      return undefined;
    }
  }
}
