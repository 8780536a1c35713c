/**
 * How likely it is that a message holds something to know in later sessions, from its shape alone: how much of it is
 * statements and how much questions, how long they are, whether they name numbers and paths. The same for every
 * language; no word is looked at. The filter before a judge, never the judge. Pure.
 */
import { isDense } from "../../../src/base/text.js";
import type { Statement } from "./statements.js";

/** Learned by `npm run learn:words`: each feature's mean and spread, by which it is centred and scaled, and its weight. */
const BIAS = -1.778;
const FEATURES: Readonly<Record<string, readonly [mean: number, spread: number, weight: number]>> = {
  length: [4.575, 1.558, 0.176],
  statements: [0.991, 0.854, 0.231],
  questions: [0.194, 0.327, -0.211],
  items: [0.029, 0.144, -0.015],
  own: [0.877, 0.282, 0.119],
  short: [0.345, 0.475, -0.136],
  long: [0.023, 0.151, -0.09],
  number: [0.24, 0.427, 0.119],
  path: [0.287, 0.452, 0.183],
  colon: [0.163, 0.369, 0.056],
};

export interface Shape {
  statements: readonly Statement[];
  /** Characters of the whole message, with what is pasted. */
  characters: number;
}

/** A candidate has at least this probability; learned with the weights, so that about a third of messages have it. */
export const LEAST_WORTH = 0.18;

/** 0 to 1; 0 for a message without a statement. */
export function weighShape(shape: Shape): number {
  if (shape.statements.every(({ isQuestion }) => isQuestion)) return 0;
  const sum = Object.entries(findShape(shape)).reduce((sum, [name, value]) => {
    const [mean = 0, spread = 1, weight = 0] = FEATURES[name] ?? [];
    return sum + (weight * (value - mean)) / spread;
  }, BIAS);
  return 1 / (1 + Math.exp(-sum));
}

const SHORT = 80;
const LONG = 3_000;

export function findShape({ characters, statements }: Shape): Record<string, number> {
  const text = statements.map((one) => one.text).join(" ");
  const length = readLength(text);
  const count = Math.max(1, statements.length);
  const questions = statements.filter(({ isQuestion }) => isQuestion).length;
  const said = statements.flatMap((one) => (one.isQuestion ? [] : splitClauses(one.text)));
  return {
    length: Math.log(length + 1),
    statements: Math.log(said.length + 1),
    questions: questions / count,
    items: statements.filter(({ isItem }) => isItem).length / count,
    own: Math.min(1, text.length / Math.max(1, characters)),
    short: Number(length < SHORT),
    long: Number(length > LONG),
    number: Number(/\d/.test(text)),
    path: Number(/\w[/\\]\w|\w\.\w{2,4}\b/.test(text)),
    colon: Number(/[:：]/.test(text)),
  };
}

/** As many as the sentences of another script would be. */
const splitClauses = (text: string): string[] =>
  isDense(text) ? text.split(/[，、；,]/).filter((clause) => clause.trim().length > 1) : [text];

/** In Latin letters: a character of these scripts says as much as several. */
export function readLength(text: string): number {
  const han = text.match(/\p{Script=Han}/gu) ?? [];
  const others = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu) ?? [];
  return text.length + 2.5 * han.length + others.length;
}

const LONGEST_CORE = 300;

/** The place of the sentence that a person is shown first: the fullest one that asks nothing. */
export function findCore(statements: readonly Statement[]): number {
  const fullness = ({ isQuestion, text }: Statement): number =>
    (isQuestion ? 0 : 1_000) + Math.min(LONGEST_CORE, readLength(text));
  return statements.reduce(
    (best, one, index) => (fullness(one) > fullness(statements[best] as Statement) ? index : best),
    0,
  );
}
