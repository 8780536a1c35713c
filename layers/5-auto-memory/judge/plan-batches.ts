/** What is judged in one question: so much that the task's own words cost little, so little that each is read well. Pure. */

const MOST_MESSAGES = 20;
const MOST_CHARACTERS = 24_000;

/** In their order. */
export function planBatches<T extends { statements: readonly { text: string }[] }>(all: readonly T[]): T[][] {
  const batches: T[][] = [];
  let characters = 0;
  for (const one of all) {
    const length = one.statements.reduce((sum, { text }) => sum + text.length, 0);
    const last = batches.at(-1);
    if (last && last.length < MOST_MESSAGES && characters + length <= MOST_CHARACTERS) last.push(one);
    else {
      batches.push([one]);
      characters = 0;
    }
    characters += length;
  }
  return batches;
}
