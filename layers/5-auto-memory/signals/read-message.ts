/**
 * Reads a message for weighing: the user's sentences with their weak signs and those of the message. Learning and
 * finding both use it. Pure, in slices.
 */

import type { Sliced } from "../../../src/slices.js";
import { findFeatures, type Placed } from "./features.js";
import type { Form } from "./forms/form.js";
import { findForms } from "./forms/forms.js";
import { bucket, findMessageTraits } from "./message-traits.js";
import { type PlacedLine, type PlacedText, readPlaced } from "./placed.js";
import { findCarried, isCorrected, readSentence, readWhole, type Sentence } from "./sentence.js";

/** A sentence with all evidence for and against it. */
export interface WeighedSentence {
  placed: Placed;
  sentence: Sentence;
  /** Its forms, plainest first. */
  forms: readonly Form[];
  /** The sentence before says that something was wrong, this one what is right. Looked for where there is no form. */
  isCorrection: boolean;
  /** With the next sentence, where that one gives the reason. */
  whole: string;
  signs: readonly string[];
  /** An earlier sentence on the line muses or mocks. */
  isCarried: boolean;
  /** See `PlacedLine`. */
  list: PlacedLine["list"];
  /** An item of a list, nearly all of whose items are rules. */
  isRule: boolean;
}

export interface ReadMessage {
  sentences: readonly WeighedSentence[];
  /** Signs of the message as a whole. */
  traits: readonly string[];
  /** Signs of its lines without code, logs and quotations. */
  ownTraits(): readonly string[];
  restore(piece: string): string;
}

export function* readMessage(text: string): Sliced<ReadMessage> {
  const { lines, restore } = yield* readPlaced(text);
  const sentences: WeighedSentence[] = [];
  let before: readonly string[] = [];
  for (const { list, sentences: all } of lines) {
    const isRule = list === "rules";
    const read: Sentence[] = [];
    for (const placed of all) {
      yield;
      read.push(readSentence(placed.text));
    }
    for (const [index, placed] of all.entries()) {
      yield;
      const sentence = read[index] as Sentence;
      const forms = findForms(placed.text, placed.tongue);
      const isCorrection = forms.length === 0 && isCorrected(read, index);
      const whole = forms.length > 0 || isRule ? readWhole(read, index) : placed.text;
      const features = findFeatures(placed, before);
      before = features;
      const signs = [...features, ...readForms(forms, isCorrection)];
      const isCarried = findCarried(read, index).length > 0;
      sentences.push({ placed, sentence, forms, isCorrection, whole, signs, isCarried, isRule, list });
    }
  }
  if (areRules(sentences)) for (const one of sentences) one.isRule = one.placed.isItem;
  const shares = readShares(sentences);
  const traits = [...findMessageTraits(text), ...shares, readOwnShare(text, lines)];
  const ownTraits = () => {
    const own = lines.map(({ sentences }) => sentences.map(({ whole }) => whole).join(" ")).join("\n");
    return [...findMessageTraits(own), ...shares, readOwnShare(own, lines)];
  };
  return { sentences, traits, ownTraits, restore };
}

function readForms(forms: readonly Form[], isCorrection: boolean): string[] {
  const [first] = forms;
  if (!first) return isCorrection ? ["x:some", "x:feedback"] : ["x:none"];
  const isPlain = forms.some((form) => form.isPlain);
  return [
    "x:some",
    `x:${first.type}`,
    ...forms.map(({ name }) => `x:${name}`),
    ...(isPlain ? ["x:plain"] : []),
  ];
}

const LEAST_RULES = 6;
const MOST_OTHERS = 0.3;
const RULES: ReadonlySet<string> = new Set(["c:rule", "c:must", "c:never", "c:always"]);

/** Whether nearly every item of an unannounced list is a rule. */
function areRules(sentences: readonly WeighedSentence[]): boolean {
  const items = sentences.filter(({ placed }) => placed.isItem);
  const rules = items.filter(
    ({ forms, signs }) => signs.some((sign) => RULES.has(sign)) || forms[0]?.type === "directive",
  );
  return rules.length >= LEAST_RULES && rules.length >= (1 - MOST_OTHERS) * items.length;
}

/** Signs whose share among the sentences shows what kind of message it is. */
const SHARED = [
  "asks?",
  "c:order",
  "c:state",
  "plain",
  "c:canYou",
  "c:isA",
  "c:now",
  "c:here",
  "c:must",
  "c:should",
  "c:did",
  "c:look",
  "c:domain",
  "c:rule",
  "label",
  "c:hedge",
];
const COUNTS = [1, 3, 8, 20];
const SHARES = [0, 0.33, 0.66];
/** With fewer sentences a share says little. */
const SEVERAL = 4;

function readShares(sentences: readonly { signs: readonly string[] }[]): string[] {
  const count = sentences.length;
  const shares = SHARED.flatMap((name) => {
    const having = sentences.filter(({ signs }) => signs.includes(name)).length;
    const share = bucket(having / Math.max(1, count), SHARES);
    return [`a:${name}:${share}`, ...(count >= SEVERAL ? [`A:${name}:${share}`] : [])];
  });
  return [...shares, `a:n${bucket(count, COUNTS)}`];
}

const OWN = [0.3, 0.7, 0.9];

/** The share of the text that is in sentences; logs and code are not. */
function readOwnShare(text: string, lines: PlacedText["lines"]): string {
  const own = lines.reduce(
    (sum, { sentences }) => sum + sentences.reduce((all, { whole }) => all + whole.length, 0),
    0,
  );
  return `a:own${bucket(own / Math.max(1, text.length), OWN)}`;
}
