/**
 * How likely it is that a message holds something to know in later sessions, from its shape alone: how much of it is
 * statements and how much questions, how long they are, whether they name numbers and paths. The same for every
 * language; no word is looked at. The filter before a judge, never the judge. Pure.
 */
import type { Statement } from "./statements.js";

/** Written by `npm run learn:words`; each feature is centred and scaled before it is weighed. */
export const learned: {
  bias: number;
  least: number;
  features: Readonly<Record<string, { mean: number; spread: number; weight: number }>>;
} = {
  bias: -1.778,
  least: 0.18,
  features: {
    length: {
      mean: 4.575,
      spread: 1.558,
      weight: 0.176,
    },
    statements: {
      mean: 0.991,
      spread: 0.854,
      weight: 0.231,
    },
    questions: {
      mean: 0.194,
      spread: 0.327,
      weight: -0.211,
    },
    items: {
      mean: 0.029,
      spread: 0.144,
      weight: -0.015,
    },
    own: {
      mean: 0.877,
      spread: 0.282,
      weight: 0.119,
    },
    short: {
      mean: 0.345,
      spread: 0.475,
      weight: -0.136,
    },
    long: {
      mean: 0.023,
      spread: 0.151,
      weight: -0.09,
    },
    number: {
      mean: 0.24,
      spread: 0.427,
      weight: 0.119,
    },
    path: {
      mean: 0.287,
      spread: 0.452,
      weight: 0.183,
    },
    colon: {
      mean: 0.163,
      spread: 0.369,
      weight: 0.056,
    },
  },
};

export interface Shape {
  statements: readonly Statement[];
  /** Characters of the whole message, with what is pasted. */
  characters: number;
}

/** A candidate has at least this probability; learned with the weights, so that about a third of messages have it. */
export const LEAST_WORTH = learned.least;

/** 0 to 1; 0 for a message without a statement. */
export function weighShape(shape: Shape): number {
  if (shape.statements.every(({ isQuestion }) => isQuestion)) return 0;
  const sum = Object.entries(findShape(shape)).reduce((sum, [name, value]) => {
    const { mean = 0, spread = 1, weight = 0 } = learned.features[name] ?? {};
    return sum + (weight * (value - mean)) / spread;
  }, learned.bias);
  return 1 / (1 + Math.exp(-sum));
}

const SHORT = 80;
const LONG = 3_000;

/** What is weighed, by name. */
export function findShape({ characters, statements }: Shape): Record<string, number> {
  const text = statements.map((one) => one.text).join(" ");
  const length = readLength(text);
  const count = Math.max(1, statements.length);
  const questions = statements.filter(({ isQuestion }) => isQuestion).length;
  return {
    length: Math.log(length + 1),
    statements: Math.log(statements.length - questions + 1),
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

/** In Latin letters: a character of these scripts says as much as several. */
export function readLength(text: string): number {
  const count = (script: RegExp): number => text.match(script)?.length ?? 0;
  return (
    text.length +
    2.5 * count(/\p{Script=Han}/gu) +
    count(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)
  );
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
