/** What `candidates.ts` does, behind its lazy import. */
import type { Message } from "../conversation/message.js";
import { checkDraft } from "../gate/check-draft.js";
import type { Clock } from "../seams/clock.js";
import { inSlices } from "../slices.js";
import { type Candidate, planDraft, readLatest, type Saying, type WaitingCandidate } from "./candidate.js";
import {
  hasExpired,
  planCandidates,
  planDropped,
  withoutDropped,
  withoutDroppedWords,
} from "./plan-candidates.js";
import { planUndone } from "./plan-undone.js";
import {
  openStoredCandidates,
  type StoredCandidates,
  type StoredCandidatesOptions,
} from "./stored-candidates.js";

/** Every call rejects with the system's error, or ELOCKED. */
export interface CandidateStore {
  /**
   * Stores what was found. Returns those that the user has by now said in two sessions; they wait until `settle`, so
   * that none is lost if it cannot be stored as a memory.
   */
  offer(found: readonly Candidate[]): Promise<readonly WaitingCandidate[]>;
  /** What waits, most probable first; without what expired or was taken back. */
  list(): Promise<readonly WaitingCandidate[]>;
  settle(ids: readonly string[]): Promise<void>;
  /** A small model has answered about these, and they still wait. */
  noteJudged(ids: readonly string[]): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
  /** Adapts the sayings of a session to all of its messages; returns whether one changed. */
  follow(sessionID: string, messages: readonly Message[]): Promise<boolean>;
}

export interface CandidateStoreOptions extends StoredCandidatesOptions {
  clock: Clock;
}

/** A longer sentence would not be stored whole as the evidence of a memory. */
const LONGEST_TEXT = 1_300;

export function createCandidateStore(options: CandidateStoreOptions): CandidateStore {
  const { clock } = options;
  const stored = openStoredCandidates(options);

  return {
    async offer(found) {
      const fit = found.flatMap((one) => clean(one) ?? []);
      if (fit.length === 0) return [];
      const agreed = await stored.change(async ({ readDropped, waiting }) => {
        const wanted = withoutDropped(fit, await readDropped());
        const next = await inSlices(clock, planCandidates(waiting, wanted, clock.now()));
        return { next: [...next.agreed, ...next.waiting], result: next.agreed };
      });
      return agreed ?? [];
    },

    async list() {
      const { dropped, waiting } = await stored.read();
      const nowMs = clock.now();
      return withoutDroppedWords(waiting, dropped).filter(
        (one) => readLatest(one) && !hasExpired(one, nowMs),
      );
    },

    settle: (ids) => changeThose(stored, ids, () => undefined),
    noteJudged: (ids) => changeThose(stored, ids, (one) => ({ ...one, isJudged: true })),

    async drop(ids) {
      if (ids.length === 0) return;
      await stored.change(async ({ readDropped, waiting, writeDropped }) => {
        const wanted = waiting.filter(({ id }) => ids.includes(id));
        if (wanted.length === 0) return { next: waiting, result: undefined };
        // Written first: what is in both files counts as dropped.
        await writeDropped(planDropped(await readDropped(), wanted, clock.now()));
        return { next: waiting.filter((one) => !wanted.includes(one)), result: undefined };
      });
    },

    async follow(sessionID, messages) {
      // Most undone messages hold no candidate: then no lock is needed.
      if (!planUndone((await stored.read()).waiting, sessionID, messages)) return false;
      const hasChanged = await stored.change(async ({ waiting }) => {
        const next = planUndone(waiting, sessionID, messages);
        return { next: next ?? waiting, result: next !== undefined };
      });
      return hasChanged ?? false;
    },
  };
}

async function changeThose(
  stored: StoredCandidates,
  ids: readonly string[],
  edit: (candidate: WaitingCandidate) => WaitingCandidate | undefined,
): Promise<void> {
  if (ids.length === 0) return;
  await stored.change(async ({ waiting }) => {
    if (!waiting.some(({ id }) => ids.includes(id))) return { next: waiting, result: undefined };
    const next = waiting.flatMap((one) => (ids.includes(one.id) ? (edit(one) ?? []) : [one]));
    return { next, result: undefined };
  });
}

/** Without secrets, as the gate would store it; `undefined` if the gate would refuse it. Pure. */
function clean(candidate: Candidate): Candidate | undefined {
  const said = candidate.said.flatMap((one) => cleanSaying(one, candidate) ?? []);
  return said.length === 0 ? undefined : { ...candidate, said };
}

function cleanSaying(saying: Saying, candidate: Candidate): Saying | undefined {
  const draft = planDraft({ ...candidate, said: [saying] });
  const checked = draft && checkDraft(draft);
  if (checked?.kind !== "fit") return undefined;
  const { content: text, title = "" } = checked.draft;
  const isWhole = text.length <= LONGEST_TEXT && !text.includes("\n");
  return isWhole ? { ...saying, text, title } : undefined;
}
