/**
 * Sentences that are likely worth keeping and not sure. They wait outside of what a model sees; a candidate becomes a
 * memory when the same is said in another session, or when somebody agrees, and fades when nothing of it happens. Pure.
 */

import { compareStatements } from "../../../src/gate/compare.js";
import type { MemoryType } from "../../../src/memory/memory.js";
import type { Sliced } from "../../../src/slices.js";

/** Where and when it was said. */
export interface Saying {
  session: string;
  message: string;
  saidMs: number;
}

export interface Candidate {
  type: MemoryType;
  /** In the user's words. */
  text: string;
  when: readonly string[];
  /** How likely it is worth keeping, from 0 to 1. */
  chance: number;
  /** Oldest first. */
  said: readonly Saying[];
}

export interface PlannedCandidates {
  /** Those that go on waiting, the likeliest first. */
  waiting: readonly Candidate[];
  /** Said in two sessions: to be kept, as it was said last. */
  agreed: readonly Candidate[];
}

const FADES_AFTER_MS = 30 * 24 * 60 * 60 * 1_000;
/** More than anybody looks through. */
const MOST_WAITING = 200;

/** Those known and those found, joined where they say the same. */
export function* planCandidates(
  known: readonly Candidate[],
  found: readonly Candidate[],
  nowMs: number,
): Sliced<PlannedCandidates> {
  const waiting = known.filter(({ said }) => nowMs - (said.at(-1)?.saidMs ?? 0) < FADES_AFTER_MS);
  const agreed: Candidate[] = [];
  for (const one of found) {
    const place = yield* findSame(waiting, one);
    const same = waiting[place];
    if (!same) {
      waiting.push(one);
      continue;
    }
    const said = join(same.said, one.said);
    const joined = { ...one, chance: Math.max(same.chance, one.chance), said };
    if (new Set(said.map(({ session }) => session)).size < 2) waiting[place] = joined;
    else {
      waiting.splice(place, 1);
      agreed.push(joined);
    }
  }
  waiting.sort((a, b) => b.chance - a.chance);
  return { waiting: waiting.slice(0, MOST_WAITING), agreed };
}

function* findSame(waiting: readonly Candidate[], { text }: Candidate): Sliced<number> {
  for (const [place, other] of waiting.entries()) {
    yield;
    if (compareStatements(other.text, text) === "same") return place;
  }
  return -1;
}

/** The same message may be read twice, after a crash. */
function join(before: readonly Saying[], now: readonly Saying[]): Saying[] {
  const known = new Set(before.map(({ message }) => message));
  return [...before, ...now.filter(({ message }) => !known.has(message))];
}
