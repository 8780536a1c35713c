/** Measures what the tokens of a request are spent on. Pure. */
import { type ContextSizes, countCall } from "../../../src/context/context-size.js";
import { findCut, type RecordedDecisions } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Usage } from "../../../src/costs/savings.js";
import { isSummary, isToolPart, type Message, readResultText } from "../../../src/io/message.js";
import { type ContextFigures, KINDS, type Kind } from "../../../src/status/session-screen.js";

/** A request that is about to be sent, or one that was answered. */
export interface SeenRequest {
  request: ContextRequest;
  /** The messages that were sent, or will be. */
  show(): readonly Message[];
  /** As counted by the provider, once it has answered. */
  usage?: Usage;
  /** Tokens that the bare host would have sent; an estimate. */
  bareTokens?: number;
}

export interface MeasureOptions {
  sizes: Pick<ContextSizes, "fixedTokens">;
  /** Tokens at which history is cut, if the window is large enough. */
  thresholdTokens: number;
}

type Characters = Record<Exclude<Kind, "system">, number>;

/** Layers whose additions are notes: those of the session before. */
const NOTES_LAYER = "session-memory";

export function measureContext(
  { bareTokens, request, show, usage }: SeenRequest,
  { sizes, thresholdTokens }: MeasureOptions,
): ContextFigures {
  const shown = show();
  const sent = usage?.sent ?? request.estimateTokens(shown);
  const answered = usage?.answered ?? 0;
  const system = Math.min(sent, sizes.fixedTokens(request.sessionID));
  const kinds = divide(sent - system, countKinds(request, shown));
  const windowTokens = request.window?.contextTokens ?? 0;
  return {
    now: sent + answered,
    without: Math.round(bareTokens ?? sent) + answered,
    threshold: thresholdTokens,
    ...(windowTokens > 0 && { window: windowTokens }),
    kinds: { ...kinds, system: kinds.system + system, answers: kinds.answers + answered },
    ...(usage === undefined && { isEstimate: true }),
  };
}

/** Divides tokens by characters. Without characters they belong to the prompt around the messages. */
function divide(tokens: number, characters: Characters): Record<Kind, number> {
  const all = Object.values(characters).reduce((sum, one) => sum + one, 0);
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  if (all === 0) return { ...kinds, system: tokens };
  for (const [kind, count] of Object.entries(characters))
    kinds[kind as Kind] = Math.floor((tokens * count) / all);
  const [largest = "words"] = KINDS.toSorted((one, other) => kinds[other] - kinds[one]);
  kinds[largest] += tokens - Object.values(kinds).reduce((sum, one) => sum + one, 0);
  return kinds;
}

/** Characters of the messages as sent, by kind. */
export function countKinds(
  { find, history, shownFrom }: Pick<ContextRequest, "find" | "history" | "shownFrom">,
  shown: readonly Message[],
): Characters {
  const sums: Characters = { words: 0, answers: 0, calls: 0, results: 0, memory: 0, notes: 0 };
  const from = shownFrom();
  // 1 if the notes that replace history are a message of their own.
  const added = shown.length - (history.messages.length - from);
  let cutNotes = from > 0 ? (findCut(history, find)?.text.length ?? 0) : 0;
  for (const [at, message] of shown.entries()) {
    const index = from + at - added;
    const key = index >= from ? history.keyOf(index)?.key : undefined;
    const own = countOwn(key === undefined ? undefined : find(key));
    const isNotes = own.isRewritten || isSummary(message);
    let texts = 0;
    for (const part of message.parts) {
      if (!isToolPart(part)) texts += part.ignored ? 0 : (part.text?.length ?? 0);
      else {
        sums.calls += countCall(part);
        sums.results += readResultText(part)?.length ?? 0;
      }
    }
    const notes = Math.min(texts, isNotes ? texts : own.notes + cutNotes);
    const memory = Math.min(texts - notes, isNotes ? 0 : own.memory);
    sums.notes += notes;
    sums.memory += memory;
    sums[message.info.role === "user" ? "words" : "answers"] += texts - notes - memory;
    cutNotes = 0;
  }
  return sums;
}

/** Characters that Strata has added to a message. */
function countOwn(recorded: RecordedDecisions | undefined): {
  isRewritten: boolean;
  memory: number;
  notes: number;
} {
  let [memory, notes] = [0, 0];
  for (const { layer, text = "" } of recorded?.extended ?? []) {
    if (layer.startsWith(NOTES_LAYER)) notes += text.length;
    else memory += text.length;
  }
  return { isRewritten: recorded?.rewritten?.text !== undefined, memory, notes };
}
