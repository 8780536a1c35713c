/**
 * Signals: the user's sentences that will matter in another session. Found without a model and kept verbatim.
 *
 *     text → own lines → sentences, quotations hidden → forms and weak signs → a probability
 *
 *     signal      has a plain form ("from now on"), or another form and a high probability
 *     candidate   has a form and is less probable, or in doubt: waits until the user repeats it or a model accepts it
 *
 * Pasted text has neither, except a list that the user announces as rules. Pure.
 */

import type { Doubt } from "../../../src/language/language.js";
import { languageOf } from "../../../src/language/languages.js";
import { LOOKED_AT } from "../../../src/language/sentences.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import type { Sliced } from "../../../src/slices.js";
import { cut } from "../../../src/text.js";
import { SPEECH } from "./quotations.js";
import { type ReadMessage, readMessage, type WeighedSentence } from "./read-message.js";
import { findTriggers } from "./triggers.js";
import { type Learned, readLearned, weigh } from "./weigh.js";

export interface Signal {
  type: MemoryType;
  /** In the user's words, on one line. */
  text: string;
  /** Words and globs that trigger it, as in a memory's `when`. */
  when: readonly string[];
  /** Explicitly meant to last. */
  isExplicit: boolean;
  /** Probability that it is worth keeping, 0 to 1. */
  chance: number;
}

export interface FoundSignals {
  signals: readonly Signal[];
  candidates: readonly Signal[];
}

const MOST_SIGNALS = 20;
/** Limit for a list of rules, which is kept whole. */
const MOST_LISTED = 80;
const MOST_CANDIDATES = 20;

/** The signals and candidates in what a user wrote, in its order; never two with the same words. */
export function* lookForSignals(text: string, learned: Learned = readLearned()): Sliced<FoundSignals> {
  const message = yield* readMessage(cut(text, LOOKED_AT));
  const whose = readWhose(message, learned);
  const found = { signals: new Map<string, Signal>(), candidates: new Map<string, Signal>() };
  for (const one of message.sentences) {
    yield;
    const judged = judgeSentence(one, whose, learned);
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

interface Whose {
  /** The message as a whole looks pasted. */
  isPasted: boolean;
  /** Its lines look pasted even without code and logs. */
  areLinesPasted: boolean;
  /** A list of rules in it may be the user's; documents have such lists too. */
  mayList: boolean;
  /** It tells another program or person who to be. */
  isPersona: boolean;
}

const MOST_PASTED_LIST = 0.5;

/** Traits of documents that people rarely type. */
const DOCUMENT: ReadonlySet<string> = new Set([
  "m:headings",
  "m:bold",
  "m:table",
  "m:checks",
  "m:fence",
  "m:prompt",
  "m:rules",
]);
/** Minimum share of rules in a message that is only a list of rules. */
const LEAST_LISTED = 0.8;

function readWhose(message: ReadMessage, { least, pasted }: Learned): Whose {
  const { ownTraits, sentences, traits } = message;
  const whole = weigh(["bias", ...traits], pasted);
  const isPasted = whole >= least.pasted;
  const lines = isPasted ? weigh(["bias", ...ownTraits()], pasted) : whole;
  const listed = sentences.filter(({ isRule }) => isRule).length;
  const isBareList =
    listed >= LEAST_LISTED * sentences.length && !traits.some((trait) => DOCUMENT.has(trait));
  const mayList = isBareList || Math.min(whole, lines) < MOST_PASTED_LIST;
  const isPersona = sentences.some(({ placed }) => PERSONA.test(placed.text));
  return { isPasted, areLinesPasted: lines >= least.pasted, mayList, isPersona };
}

/** Doubts that rule out a statement, whatever the words. */
const NEVER: ReadonlySet<Doubt> = new Set([
  "question",
  "reported",
  "hypothetical",
  "sarcasm",
  "denied",
  "chat",
]);
/** Chinese sentences run on: one that ends in a question often states a fact first. */
const NEVER_IN_CHINESE: ReadonlySet<Doubt> = new Set([
  "reported",
  "hypothetical",
  "sarcasm",
  "denied",
  "chat",
]);

/** "What I really want is …" asks nothing. */
const NO_QUESTION = /^(?:and |so |but )*what (?:i|we) (?:really |actually )?(?:want|need|mean)\b[^?]*$/i;
/** "…, can we drop it" asks without a mark; what somebody believes is not said for sure. */
const UNSURE =
  /[,;.] ?(?:and |so |but )?(?:can|could|should|would|shall|do|does|is|are) (?:we|you|i|it|they|there)\b|^(?:(?:no|yes|ok|okay|well|yeah|and|so|but|hm+),? )*i (?:think|believe|guess|suppose|assume|wonder)\b/i;
/** "Whenever you are not sure, ask" supposes nothing. */
const SUPPOSES: ReadonlySet<string> = new Set(["askFirst", "eachTime"]);

const PERSONA =
  /^(?:you(?:'re| are) (?:now )?(?:an? |the )?(?:\p{Lu}\w+, |[\w-]+ ){0,4}(?:assistant|agent|bot|chatbot|expert|engineer|developer|captain|teacher|tutor|coach|model|character|persona|specialist|assistant)\b|(?:you are|your name is|du bist|du heißt|tu es|eres|sei|você é|ты) \p{Lu}\w+,|你是(?:一|个)|あなたは)/iu;
/** Orders about the task at hand: whether to write anything now. */
const OF_THE_MOMENT =
  /^(?:(?:just|please|but|and|so|ok(?:ay)?),? )*(?:don'?t|do not|no need to) (?:\w+ )?(?:write|change|edit|modify|touch|implement|code|fix|run|start|do|make|add|create)\b(?: (?:the|any|some|more|yet|new))*(?: (?:code|files?|changes?|edits?|tests?|anything|implementation|fixes))?(?:[, ]+(?:and |or |no |any |new |other |more )*(?:code|files?|changes?|tests?|yet|now|for now|at this point))*[.!]?$|^(?:请|先)?(?:不要|别|无需)(?:写|改|修改|动)(?:任何)?(?:代码|文件)?[。！.!]?$/iu;

/** Questions, and orders of the moment. */
const isNeverKept = (text: string): boolean =>
  (/[?？]["')\]]*$/.test(text) && !NO_QUESTION.test(text)) || OF_THE_MOMENT.test(text);

/** Words by which a sentence itself says that it is meant to last: always, never, from now on, remember; a preference. */
const LASTING: ReadonlySet<string> = new Set([
  "c:always",
  "c:never",
  "c:fromNow",
  "c:remember",
  "x:askFirst",
  "x:eachTime",
  "x:prefer",
]);

/** "This always happens" describes; it is no rule. */
const DESCRIBES = /^(?:this|that|it|there|he|she|they|the [\w-]+) (?!.*\bmust\b)/i;

function isDoubtful({ forms, placed, sentence }: WeighedSentence): boolean {
  const { text, tongue } = placed;
  // The data files have doubts for English and Chinese only.
  if (tongue !== "en" && tongue !== "zh") return /[?？¿]/.test(text) || SPEECH.test(text);
  const never = tongue === "zh" ? NEVER_IN_CHINESE : NEVER;
  const doubts = sentence.doubts.filter(
    (doubt) =>
      !(doubt === "question" && NO_QUESTION.test(text)) &&
      !(doubt === "hypothetical" && forms.some(({ name }) => SUPPOSES.has(name))) &&
      // "I prefer a body that says why" reports nobody's words.
      !(doubt === "reported" && forms[0]?.name === "prefer" && /^i\b/i.test(text)),
  );
  if (sentence.isMusing || (tongue === "en" && UNSURE.test(text))) return true;
  return doubts.some((doubt) => never.has(doubt));
}

/** `undefined` if the sentence is neither signal nor candidate. */
function judgeSentence(one: WeighedSentence, whose: Whose, { kept, least }: Learned): Judged | undefined {
  const { forms, isCarried, isCorrection, isRule, list, placed, signs } = one;
  if (isNeverKept(placed.text) || whose.isPersona) return undefined;
  const chance = weigh(signs, kept);
  const [form] = forms;
  const hasDoubt = isDoubtful(one);
  const isListed = list === "rules" && !hasDoubt && whose.mayList;
  const type = form?.type ?? (list === "answers" ? "decision" : isRule || list ? "directive" : "feedback");
  const isPlain = forms.some((one) => one.isPlain) && !hasDoubt && !whose.areLinesPasted;
  if (isPlain || isListed) return { type, chance, isSure: true, isExplicit: true, isListed };
  const isOfList = (isRule || list !== undefined) && !hasDoubt;
  if (isCarried || !(isOfList || ((form || isCorrection) && chance >= least.candidate))) return undefined;
  const isMarked = signs.some((sign) => LASTING.has(sign)) && !DESCRIBES.test(placed.text);
  const isSure = isMarked && !hasDoubt && !whose.isPasted && chance >= least.kept;
  return { type, chance, isSure, isExplicit: false, isListed };
}

function describe({ sentence, whole }: WeighedSentence, judged: Judged, { restore }: ReadMessage): Signal {
  const text = restore(whole);
  const { chance, isExplicit, type } = judged;
  return { type, text, when: findTriggers(text, languageOf(sentence.text)), isExplicit, chance };
}
