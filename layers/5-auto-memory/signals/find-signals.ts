/**
 * Signals: sentences of the user's that will matter in another session. Found without a model and kept as they were
 * written.
 *
 *     text → own lines → sentences, quotations hidden → forms and weak signs → a chance
 *
 *     signal      said in a plain form ("from now on"), or in another form and likely, or very likely
 *     candidate   likely and not sure: waits for the same to be said again, or for somebody to agree
 *
 * What is pasted has neither, but for a list that the user announces as rules. Pure.
 */

import type { Doubt } from "../../../src/language/language.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import { atOnce, type Sliced } from "../../../src/slices.js";
import { cut } from "../../../src/text.js";
import { languageOf } from "../../../src/language/languages.js";
import { LOOKED_AT } from "../../../src/language/sentences.js";
import { type ReadMessage, readMessage, type WeighedSentence } from "./read-message.js";
import { findTriggers } from "./triggers.js";
import { type Learned, readLearned, weigh } from "./weigh.js";

export interface Signal {
  type: MemoryType;
  /** In the user's words, on one line. */
  text: string;
  /** Words and globs at which it matters, as in a memory's `when`. */
  when: readonly string[];
  /** Plainly meant to last; a model may reword it and not drop it. */
  isExplicit: boolean;
  /** How likely it is worth keeping, from 0 to 1. */
  chance: number;
}

export interface FoundSignals {
  signals: readonly Signal[];
  candidates: readonly Signal[];
}

const MOST_SIGNALS = 20;
/** Of a list of rules, which is kept whole. */
const MOST_LISTED = 80;
const MOST_CANDIDATES = 20;

/** The signals in what a user wrote, in its order; never two with the same words. */
export function findSignals(text: string, learned: Learned = readLearned()): readonly Signal[] {
  return atOnce(lookForSignals(text, learned)).signals;
}

/** The same in slices, with what is likely and not sure. */
export function* lookForSignals(text: string, learned: Learned = readLearned()): Sliced<FoundSignals> {
  const message = yield* readMessage(cut(text, LOOKED_AT));
  const pasted = weigh(["bias", ...message.traits], learned.pasted);
  const found = { signals: new Map<string, Signal>(), candidates: new Map<string, Signal>() };
  for (const one of message.sentences) {
    yield;
    const judged = judgeSentence(one, pasted, learned);
    if (!judged) continue;
    const signal = describe(one, judged, message);
    const key = signal.text.toLowerCase();
    const { candidates, signals } = found;
    const most = judged.isListed ? MOST_LISTED : MOST_SIGNALS;
    if (judged.isSure && signals.size < most && !signals.has(key)) signals.set(key, signal);
    else if (!judged.isSure && candidates.size < MOST_CANDIDATES) candidates.set(key, signal);
  }
  for (const key of found.signals.keys()) found.candidates.delete(key);
  return { signals: [...found.signals.values()], candidates: [...found.candidates.values()] };
}

interface Judged {
  type: MemoryType;
  chance: number;
  isSure: boolean;
  isExplicit: boolean;
  isListed: boolean;
}

/** A document has lists of rules too: one is the user's only where little looks pasted. */
const MOST_PASTED_LIST = 0.5;
/** Whatever else its words say: these are no statement of the user's. */
const NEVER: ReadonlySet<Doubt> = new Set(["question", "reported", "hypothetical", "sarcasm", "denied", "chat"]);

/** What a sentence is; `undefined` for nothing. */
function judgeSentence(one: WeighedSentence, pasted: number, { kept, least }: Learned): Judged | undefined {
  const isPasted = pasted >= least.pasted;
  const { forms, isRule, row, sentence, signs } = one;
  const chance = weigh(signs, kept);
  const [form] = forms;
  const hasDoubt = sentence.doubts.some((doubt) => NEVER.has(doubt)) || sentence.isMusing;
  const type = form?.type ?? row?.type ?? "knowledge";
  const isPlain = forms.some((one) => one.isPlain) && !hasDoubt && !isPasted;
  const isListed = isRule && !hasDoubt && pasted < MOST_PASTED_LIST;
  if (isPlain || isListed)
    return {
      type: isListed && !form ? "directive" : type,
      chance,
      isSure: true,
      isExplicit: true,
      isListed,
    };
  const isSure = !isPasted && chance >= (form ? least.form : least.bare);
  return isSure || chance >= least.candidate ? { type, chance, isSure, isExplicit: false, isListed } : undefined;
}

function describe({ placed, row, sentence }: WeighedSentence, judged: Judged, { restore }: ReadMessage): Signal {
  // With the next sentence, where that one gives the reason.
  const text = restore(row?.text ?? placed.text);
  const { chance, isExplicit, type } = judged;
  return { type, text, when: findTriggers(text, languageOf(sentence.text)), isExplicit, chance };
}
