/**
 * The candidates of a project, in the user's state folder, out of reach of the project and its repository.
 *
 *     offer    merges what was found with what waits; dropped and secret sentences are left out
 *     settle   a candidate has become a memory, or a judge has kept nothing of it: it waits no longer
 *     drop     the user does not want it: neither its words nor its message bring it back
 *     follow   an undone message no longer counts; a redone one does
 *
 * The code is loaded with the first call.
 */
import { formatError } from "../../base/error.js";
import { openLater } from "../store/memory-store.js";
import type { Candidate, WaitingCandidate } from "./candidate.js";
import type { CandidateStore, CandidateStoreOptions } from "./candidate-store.js";

export interface Candidates extends CandidateStore {
  /** As in the store. If this user may not write there, nothing waits; the log says so once. */
  offer(found: readonly Candidate[]): Promise<readonly WaitingCandidate[]>;
  /** Number of those listed; `undefined` if they cannot be read. */
  count(): Promise<number | undefined>;
  /** Is told after `offer` has stored something. */
  onChange(listener: () => void): void;
}

const CALLS = [
  ...(["offer", "list", "settle", "noteAnswers", "noteAsked", "countRepeats"] as const),
  ...(["note", "judgements", "drop", "droppedMs", "follow"] as const),
];

export function createCandidates(options: CandidateStoreOptions): Candidates {
  const { log } = options;
  const listeners: (() => void)[] = [];
  let hasComplained = false;
  const store = openLater<CandidateStore, (typeof CALLS)[number]>(CALLS, async () =>
    (await import("./candidate-store.js")).createCandidateStore(options),
  );

  return {
    ...store,
    onChange: (listener) => void listeners.push(listener),

    async offer(found) {
      if (found.length === 0) return [];
      try {
        const agreed = await store.offer(found);
        for (const listener of listeners) listener();
        return agreed;
      } catch (thrown) {
        // Trying again would not help, and would keep the rest of what was said from being taken in.
        if (!isForbidden(thrown)) throw thrown;
        complain("candidates cannot wait, so what was only likely is not kept", thrown);
        return [];
      }
    },

    async count() {
      try {
        return (await store.list()).length;
      } catch (thrown) {
        complain("candidates cannot be read", thrown);
        return undefined;
      }
    },

    async note(judgements) {
      try {
        await store.note(judgements);
      } catch (thrown) {
        complain("why something was kept or not cannot be noted", thrown);
      }
    },
  };

  function complain(what: string, thrown: unknown): void {
    if (!hasComplained) log.warn("candidates", `${what}: ${formatError(thrown)}`);
    hasComplained = true;
  }
}

const FORBIDDEN: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR"]);
const isForbidden = (thrown: unknown): boolean => FORBIDDEN.has((thrown as { code?: unknown }).code);
