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

export function createCandidates(options: CandidateStoreOptions): Candidates {
  const { log } = options;
  const listeners: (() => void)[] = [];
  let opening: Promise<CandidateStore> | undefined;
  let hasComplained = false;

  return {
    async offer(found) {
      if (found.length === 0) return [];
      try {
        const agreed = await (await open()).offer(found);
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
        return (await (await open()).list()).length;
      } catch (thrown) {
        complain("candidates cannot be read", thrown);
        return undefined;
      }
    },

    list: async () => (await open()).list(),
    settle: async (ids) => (await open()).settle(ids),
    noteAnswers: async (answers) => (await open()).noteAnswers(answers),
    noteAsked: async (asked) => (await open()).noteAsked(asked),
    countRepeats: async (texts, heard) => (await open()).countRepeats(texts, heard),
    judgements: async () => (await open()).judgements(),

    async note(judgements) {
      try {
        await (await open()).note(judgements);
      } catch (thrown) {
        complain("why something was kept or not cannot be noted", thrown);
      }
    },

    drop: async (ids) => (await open()).drop(ids),
    droppedMs: async (words) => (await open()).droppedMs(words),
    follow: async (sessionID, messages) => (await open()).follow(sessionID, messages),
    onChange: (listener) => void listeners.push(listener),
  };

  function open(): Promise<CandidateStore> {
    opening ??= import("./candidate-store.js").then(({ createCandidateStore }) =>
      createCandidateStore(options),
    );
    return opening;
  }

  function complain(what: string, thrown: unknown): void {
    if (!hasComplained) log.warn("candidates", `${what}: ${formatError(thrown)}`);
    hasComplained = true;
  }
}

const FORBIDDEN: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR"]);
const isForbidden = (thrown: unknown): boolean => FORBIDDEN.has((thrown as { code?: unknown }).code);
