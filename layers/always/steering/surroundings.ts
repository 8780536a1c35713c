/** What is known of a request, gathered once for all the things in it. */

import { measureCached } from "../../../src/context/cached.js";
import { countCharacters } from "../../../src/context/context-size.js";
import { findCut, replay } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { findSuperseded, type Supersession } from "../../../src/context/superseded.js";
import type { Rates } from "../../../src/costs/savings.js";
import type { Message, ToolPart } from "../../../src/io/message.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { type CutThing, countTurns, type Seen } from "./things.js";

export interface Surroundings {
  seen: Seen;
  view: readonly Message[];
  /** Tokens of the whole request, and those at which history is replaced. */
  tokens: number;
  budgetTokens: number;
  tokensPerCharacter: number;
  /** Tokens cached from this message on. */
  cachedFrom(index: number): number;
  rates: Rates;
  /** By message: the user's message it belongs to. */
  turns: readonly number[];
  /** Number of answers behind a message. */
  answersSince(index: number): number;
  superseded: ReadonlyMap<ToolPart, Supersession>;
  /** Other tools whose results may be cleared, as set. */
  namedTools: Readonly<Record<string, boolean>>;
  /** Folder that names of files leave out. */
  project: string;
  /** Returns the name of the thing with this id, from an earlier request if it is known. */
  nameOnce(id: string, read: () => string): string;
  /** Tokens of everything that is pinned. */
  pinnedTokens: number;
  /** Size of a file with a whole result, if it is known. */
  bytesOf(file: string): number | undefined;
  /** Messages as they would be sent without the cut. */
  showUncut(cut: CutThing): readonly Message[];
}

export interface GatherOptions {
  /** Index of the first message that the provider has not cached yet. */
  cachedUntil: number;
  pinnedTokens: number;
  bytesOf(file: string): number | undefined;
  nameOnce: Surroundings["nameOnce"];
}

export function gatherSurroundings(
  { config, folders, sizes }: Pick<KernelContext, "config" | "folders" | "sizes">,
  request: ContextRequest,
  { cachedUntil, ...known }: GatherOptions,
): Surroundings {
  const { budgetTokens, find, history, model, sessionID, shownFrom } = request;
  const { messages } = history;
  const view = request.show();
  const tokens = request.estimateTokens(view);
  const tokensPerCharacter = sizes.tokensPerCharacter(sessionID);
  const measure = (some: readonly Message[]): number => Math.ceil(countCharacters(some) * tokensPerCharacter);
  const answers = countAnswers(messages);
  return {
    seen: { find, history, shownFrom },
    ...{ view, tokens, budgetTokens, tokensPerCharacter, ...known },
    cachedFrom: measureCached({ view, count: messages.length, lastAnswer: cachedUntil, model }, measure),
    rates: request.rates(tokens),
    turns: countTurns(messages),
    answersSince: (index) => (answers.at(-1) ?? 0) - (answers[index] ?? 0),
    superseded: findSuperseded(messages.slice(shownFrom())),
    namedTools: config.microCompact.tools,
    project: folders.project,
    showUncut: (cut) => showUncut(request, cut),
  };
}

/** Without this cut an earlier one counts, if there is any. */
export function showUncut({ find, history }: Pick<ContextRequest, "find" | "history">, { key }: CutThing) {
  const findUncut: Seen["find"] = (one) => {
    const standing = find(one);
    if (one !== key.key || !standing) return standing;
    const { cut: _, ...rest } = standing;
    return rest;
  };
  return replay(history, findUncut, () => findCut(history, findUncut));
}

/** For each message the number of answers up to it. */
function countAnswers(messages: readonly Message[]): number[] {
  let count = 0;
  return messages.map(({ info }) => {
    if (info.role === "assistant" && info.summary !== true) count++;
    return count;
  });
}
