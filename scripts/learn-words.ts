/**
 * `npm run learn:words -- FILE…`: learns the weights of layers/5-auto-memory/words/worth.ts from files of labelled
 * messages (see test/bench/words/labelled.ts), which are not in this repository, prints what leaving one repository out
 * gives, and the weights of all. A few numbers of a message's shape, strongly drawn towards zero: there are few
 * messages, and what is learned from some people's must hold for others'.
 */

import { readStatements } from "../layers/5-auto-memory/words/statements.js";
import { findShape, type Shape } from "../layers/5-auto-memory/words/worth.js";
import { type LabelledMessage, readLabelled } from "../test/bench/words/labelled.js";

const DRAWN_TO_ZERO = 30;
const ROUNDS = 4_000;
const STEP = 0.004;
/** What one may keep or not. */
const WEAK = 0.4;
/** Share of messages that become candidates. */
const CANDIDATES = 0.34;

interface Example {
  repo: string;
  values: readonly number[];
  target: number;
  strong: number;
}

const messages = readLabelled(process.argv.slice(2));
const shapes = messages.map(readShape);
const names = Object.keys(findShape(shapes[0] as Shape));
const raw = shapes.map((shape) => Object.values(findShape(shape)));
const scales = names.map((_, at) => scaleOf(raw.map((values) => values[at] ?? 0)));
const examples = messages.map(({ expected, repo }, at): Example => {
  const strong = expected.filter(({ strength }) => strength === "strong").length;
  const values = (raw[at] ?? []).map((value, place) => {
    const { mean, spread } = scales[place] as Scale;
    return (value - mean) / spread;
  });
  return { repo, values, strong, target: strong > 0 ? 1 : expected.length > 0 ? WEAK : 0 };
});

printLeftOut();
const weights = learn(examples);
const chances = examples.map(({ values }) => chanceOf(values, weights)).sort((a, b) => b - a);
const round = (value: number): number => Math.round(value * 1_000) / 1_000;
const least = round(chances[Math.floor(CANDIDATES * chances.length)] ?? 0.5);
console.log(
  `\nfor layers/5-auto-memory/words/worth.ts: BIAS ${round(weights[0] ?? 0)}, LEAST_WORTH ${least}`,
);
for (const [at, name] of names.entries()) {
  const { mean, spread } = scales[at] as Scale;
  console.log(`  ${name}: [${[mean, spread, weights[at + 1] ?? 0].map(round).join(", ")}],`);
}

function readShape({ text }: LabelledMessage): Shape {
  return { statements: readStatements({ id: "", text }), characters: text.length };
}

interface Scale {
  mean: number;
  spread: number;
}

function scaleOf(values: readonly number[]): Scale {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, spread: Math.sqrt(square) || 1 };
}

function chanceOf(values: readonly number[], weights: readonly number[]): number {
  const sum = values.reduce((sum, value, at) => sum + value * (weights[at + 1] ?? 0), weights[0] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

/** Logistic regression by gradient descent; the bias first, which alone is free. */
function learn(examples: readonly Example[]): number[] {
  const weights = new Array<number>(names.length + 1).fill(0);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = weights.map((weight, at) => (at === 0 ? 0 : DRAWN_TO_ZERO * weight));
    for (const { target, values } of examples) {
      const error = chanceOf(values, weights) - target;
      slope[0] = (slope[0] ?? 0) + error;
      for (const [at, value] of values.entries()) slope[at + 1] = (slope[at + 1] ?? 0) + error * value;
    }
    for (const [at, value] of slope.entries()) weights[at] = (weights[at] ?? 0) - STEP * value;
  }
  return weights;
}

/** What the messages of a repository give with the weights of all others. */
function printLeftOut(): void {
  const scored = [...new Set(examples.map(({ repo }) => repo))].flatMap((repo) => {
    const weights = learn(examples.filter((one) => one.repo !== repo));
    return examples
      .filter((one) => one.repo === repo)
      .map((one) => ({ chance: chanceOf(one.values, weights), strong: one.strong }));
  });
  scored.sort((a, b) => b.chance - a.chance);
  const all = scored.reduce((sum, { strong }) => sum + strong, 0);
  for (const share of [0.25, 0.3, 0.35, 0.4]) {
    const top = scored.slice(0, Math.floor(share * scored.length));
    const found = top.reduce((sum, { strong }) => sum + strong, 0);
    console.log(`${100 * share} candidates per 100 messages: ${found} of ${all} strong items in them`);
  }
}
