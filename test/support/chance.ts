/** Random numbers that are the same in every run. */

/** Returns the next integer from 0 to `below` − 1. */
export type Chance = (below: number) => number;

/** A linear congruential generator (Numerical Recipes' constants). */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Hash of a text (FNV-1a, 32 bits, mixed so that the low bits are usable). */
export function numberOf(text: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
}
