/**
 * Candidates: sentences that are probably worth keeping. They wait where no model sees them. A candidate becomes a memory
 * when the user says the same in another session or agrees to it, and expires otherwise. Pure.
 */

import type { MemoryType } from "../../../src/memory/memory.js";
import type { Sliced } from "../../../src/slices.js";
import { compareStatements } from "../../../src/statement/compare.js";

/** Where and when the user said it. */
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
  /** Probability that it is worth keeping, 0 to 1. */
  chance: number;
  /** Oldest first. */
  said: readonly Saying[];
}

export interface PlannedCandidates {
  /** Candidates that stay, most probable first. */
  waiting: readonly Candidate[];
  /** Said in two sessions: stored in the latest wording. */
  agreed: readonly Candidate[];
}

const FADES_AFTER_MS = 30 * 24 * 60 * 60 * 1_000;
/** More than a person reads through. */
const MOST_WAITING = 200;

/** Merges known and found candidates that say the same. */
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

/** After a crash the same message may be read twice. */
function join(before: readonly Saying[], now: readonly Saying[]): Saying[] {
  const known = new Set(before.map(({ message }) => message));
  return [...before, ...now.filter(({ message }) => !known.has(message))];
}
