/** How much of what was kept is worth it, and how much of what is worth it was kept; with intervals over repositories. */
import { usersTypes } from "../../../src/memory/memory.js";
import type { Expected, LabelledMessage } from "./labelled.js";
import type { Kept } from "./match.js";

export interface Outcome {
  message: LabelledMessage;
  hits: readonly { kept: Kept; of: readonly Expected[] }[];
  missed: readonly Expected[];
}

export interface Measured {
  messages: number;
  kept: number;
  good: number;
  /** Kept as a rule of the user's, and of these worth it. */
  rules: number;
  goodRules: number;
  strong: number;
  strongFound: number;
  weak: number;
  weakFound: number;
  /** Of the good ones, those of a type that the label gives. */
  typed: number;
}

export function measure(outcomes: readonly Outcome[]): Measured {
  const hits = outcomes.flatMap(({ hits }) => hits);
  const good = hits.filter(({ of }) => of.length > 0);
  const isRule = ({ kept }: { kept: Kept }) => (usersTypes as ReadonlySet<string>).has(kept.type);
  const count = (strength: Expected["strength"], from: readonly (readonly Expected[])[]) =>
    from.flat().filter((one) => one.strength === strength).length;
  const expected = outcomes.map(({ message }) => message.expected);
  const missed = outcomes.map(({ missed }) => missed);
  return {
    messages: outcomes.length,
    kept: hits.length,
    good: good.length,
    rules: hits.filter(isRule).length,
    goodRules: good.filter(isRule).length,
    strong: count("strong", expected),
    strongFound: count("strong", expected) - count("strong", missed),
    weak: count("weak", expected),
    weakFound: count("weak", expected) - count("weak", missed),
    typed: good.filter(({ kept, of }) => of.some(({ type }) => type === kept.type)).length,
  };
}

const DRAWS = 1_000;

/** The middle 95 % of a figure when the repositories are drawn again and again. */
export function interval(
  outcomes: readonly Outcome[],
  figure: (measured: Measured) => number,
): [low: number, high: number] {
  const names = [...new Set(outcomes.map(({ message }) => message.repo))];
  const repos = names.map((name) => measure(outcomes.filter(({ message }) => message.repo === name)));
  const chance = createChance(14);
  const drawn: number[] = [];
  for (let draw = 0; draw < DRAWS; draw++) {
    const some = repos.map(() => repos[Math.floor(chance() * repos.length)] as Measured);
    const value = figure(some.reduce(add));
    if (Number.isFinite(value)) drawn.push(value);
  }
  drawn.sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.floor(share * (drawn.length - 1))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}

function add(a: Measured, b: Measured): Measured {
  const keys = Object.keys(a) as (keyof Measured)[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as unknown as Measured;
}

/** Numbers from 0 to 1, the same each time. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const figures = {
  precision: ({ good, kept }: Measured) => good / kept,
  rules: ({ goodRules, rules }: Measured) => goodRules / rules,
  recall: ({ strong, strongFound }: Measured) => strongFound / strong,
  per100: ({ kept, messages }: Measured) => (100 * kept) / messages,
  typed: ({ good, typed }: Measured) => typed / good,
};
