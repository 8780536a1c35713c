/**
 * The candidates of a project, in the user's state folder, out of reach of the project and its repository. The code of
 * `candidate-store.ts` is loaded with the first call.
 */
import { formatError } from "../../base/error.js";
import { openLater } from "../store/memory-store.js";
import type { Candidate, Judgement, WaitingCandidate } from "./candidate.js";
import type { CandidateStore, CandidateStoreOptions } from "./candidate-store.js";

export type Candidates = ReturnType<typeof createCandidates>;

const CALLS = [
  ...(["offer", "list", "settle", "noteAnswers", "noteAsked", "countRepeats"] as const),
  ...(["note", "judgements", "drop", "droppedMs", "follow"] as const),
];

export function createCandidates(options: CandidateStoreOptions) {
  const { log } = options;
  const listeners: (() => void)[] = [];
  const complain = (what: string) => (thrown: unknown) =>
    void log.warn("candidates", `${what}: ${formatError(thrown)}`);
  const store = openLater<CandidateStore, (typeof CALLS)[number]>(CALLS, async () =>
    (await import("./candidate-store.js")).createCandidateStore(options),
  );

  return {
    ...store,
    /** Is told after `offer` has stored something. */
    onChange: (listener: () => void) => void listeners.push(listener),

    /** As in the store. If this user may not write there, nothing waits, which the log says. */
    async offer(found: readonly Candidate[]): Promise<readonly WaitingCandidate[]> {
      if (found.length === 0) return [];
      try {
        const agreed = await store.offer(found);
        for (const listener of listeners) listener();
        return agreed;
      } catch (thrown) {
        // Trying again would not help, and would keep the rest of what was said from being taken in.
        if (!isForbidden(thrown)) throw thrown;
        complain("candidates cannot wait, so what was only likely is not kept")(thrown);
        return [];
      }
    },

    /** Number of those listed; `undefined` if they cannot be read. */
    count: (): Promise<number | undefined> =>
      store.list().then(({ length }) => length, complain("candidates cannot be read")),

    note: (judgements: readonly Judgement[]): Promise<void> =>
      store.note(judgements).catch(complain("why something was kept or not cannot be noted")),
  };
}

const FORBIDDEN: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR"]);
const isForbidden = (thrown: unknown): boolean => FORBIDDEN.has((thrown as { code?: unknown }).code);
