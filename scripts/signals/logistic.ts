/** Logistic regression on few examples: signs that are there or not, a penalty on each weight, the same result each time. */

export interface Example {
  signs: readonly string[];
  isPositive: boolean;
  /** How much it counts. */
  weight: number;
}

export interface Fitting {
  /** Only these get a weight. */
  vocabulary: ReadonlySet<string>;
  /** Keeps weights small; more for fewer examples. */
  penalty: number;
}

const ROUNDS = 300;
const MOMENTUM = 0.9;
const STEP = 0.5;
/** Signs of an example are not independent; with a smaller share of the bound the steps do not overshoot. */
const SHARED_CURVE = 0.15;
/** Free to be what the data say. */
const FREE = "bias";
const FREE_PENALTY = 0.01;

/** Weights by sign, by descent along the gradient, each step scaled by a bound of the curve. */
export function fit(examples: readonly Example[], { penalty, vocabulary }: Fitting): Map<string, number> {
  const names = [...vocabulary].sort();
  const places = new Map(names.map((name, place) => [name, place]));
  const rows = examples.map(({ signs }) =>
    [...new Set(signs)].map((sign) => places.get(sign)).filter((place) => place !== undefined),
  );
  const penalties = Float64Array.from(names, (name) => (name === FREE ? FREE_PENALTY : penalty));
  const curve = new Float64Array(names.length);
  for (const [index, row] of rows.entries())
    for (const place of row) curve[place] = (curve[place] ?? 0) + (examples[index]?.weight ?? 0) / 4;
  const signsEach = rows.reduce((sum, row) => sum + row.length, 0) / Math.max(1, rows.length);
  const weights = new Float64Array(names.length);
  const speed = new Float64Array(names.length);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = findGradient(examples, rows, weights);
    for (const place of names.keys()) {
      const pull = (penalties[place] as number) * (weights[place] as number);
      const bound = (curve[place] as number) * signsEach * SHARED_CURVE + (penalties[place] as number);
      speed[place] = MOMENTUM * (speed[place] as number) - ((gradient[place] as number) + pull) / bound;
      weights[place] = (weights[place] as number) + STEP * (speed[place] as number);
    }
  }
  return new Map(names.map((name, place) => [name, weights[place] as number]));
}

function findGradient(
  examples: readonly Example[],
  rows: readonly (readonly number[])[],
  weights: Float64Array,
): Float64Array {
  const gradient = new Float64Array(weights.length);
  for (const [index, { isPositive, weight }] of examples.entries()) {
    const row = rows[index] ?? [];
    const sum = row.reduce((all, place) => all + (weights[place] as number), 0);
    const off = (1 / (1 + Math.exp(-sum)) - (isPositive ? 1 : 0)) * weight;
    for (const place of row) gradient[place] = (gradient[place] as number) + off;
  }
  return gradient;
}
