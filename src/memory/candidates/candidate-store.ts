/** What `candidates.ts` does, behind its lazy import. */

import { inSlices } from "../../base/slices.js";
import type { Clock } from "../../io/clock.js";
import type { Message } from "../../io/message.js";
import { checkDraft } from "../gate/check-draft.js";
import { type Candidate, planDraft, readLatest, type Saying, type WaitingCandidate } from "./candidate.js";
import { createJudgementLog, type Judgement } from "./judgements.js";
import {
  findDropped,
  hasExpired,
  planCandidates,
  planDropped,
  withoutDropped,
  withoutDroppedWords,
} from "./plan-candidates.js";
import { planUndone } from "./plan-undone.js";
import { createRepeats, type Heard } from "./repeats.js";
import {
  openStoredCandidates,
  type StoredCandidates,
  type StoredCandidatesOptions,
  type WithRecord,
} from "./stored-candidates.js";

/** Every call rejects with the system's error, or ELOCKED. */
export interface CandidateStore {
  /**
   * Stores what was found. Returns those that the user has by now said in so many sessions that they count as a rule;
   * they wait until `settle`, so that none is lost if it cannot be stored as a memory.
   */
  offer(found: readonly Candidate[]): Promise<readonly WaitingCandidate[]>;
  /** What waits: what was said in most sessions first, then by worth; without what expired or was taken back. */
  list(): Promise<readonly WaitingCandidate[]>;
  /** They have become memories, or a model has kept nothing of them. */
  settle(ids: readonly string[]): Promise<void>;
  /** A model was asked and gave no usable answer. After the last try they wait for the user only. */
  noteTried(ids: readonly string[]): Promise<void>;
  /** A model is not sure about these: they wait for the user. */
  noteJudged(ids: readonly string[]): Promise<void>;
  /** The agent was asked about these, by id; it is not asked again. */
  noteAsked(asked: ReadonlyMap<string, NonNullable<WaitingCandidate["asked"]>>): Promise<void>;
  /** Counts statements of a message; returns by place where each was said, this time included. */
  hear(texts: readonly string[], heard: Heard): Promise<readonly (readonly Heard[])[]>;
  /** Remembers why messages were kept or not. */
  note(judgements: readonly Judgement[]): Promise<void>;
  /** The judgements so far, oldest first. */
  judgements(): Promise<readonly Judgement[]>;
  /** Neither words nor message come back, and why they waited is forgotten with them. */
  drop(ids: readonly string[]): Promise<void>;
  /** When the user dropped these words; `undefined` if never. */
  droppedMs(words: string): Promise<number | undefined>;
  /** Adapts the sayings of a session to all of its messages; returns whether one changed. */
  follow(sessionID: string, messages: readonly Message[]): Promise<boolean>;
}

export interface CandidateStoreOptions extends StoredCandidatesOptions {
  clock: Clock;
}

const MOST_TRIES = 2;

/** A longer sentence would not be stored whole as the evidence of a memory. */
const LONGEST_TEXT = 1_300;

export function createCandidateStore(options: CandidateStoreOptions): CandidateStore {
  const { clock, files, locateRecord, locks } = options;
  const stored = openStoredCandidates(options);
  const judgements = createJudgementLog(files);
  const repeats = createRepeats(files);
  const withRecord: WithRecord = async (change) => {
    const record = await locateRecord();
    return locks.withLock(record.candidatesLock, () => change(record));
  };

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
    noteTried: (ids) =>
      changeThose(stored, ids, (one) => {
        const tries = (one.tries ?? 0) + 1;
        return { ...one, tries, ...(tries >= MOST_TRIES && { isJudged: true as const }) };
      }),
    noteJudged: (ids) => changeThose(stored, ids, (one) => ({ ...one, isJudged: true as const })),
    noteAsked: (asked) =>
      changeThose(stored, [...asked.keys()], (one) => {
        const how = asked.get(one.id);
        return how ? { ...one, asked: how } : one;
      }),

    hear: (texts, heard) => withRecord((record) => repeats.hear(record.repeats, texts, heard)),
    note: (judged) =>
      judged.length === 0
        ? Promise.resolve()
        : withRecord((record) => judgements.add(record.judgements, judged)),
    judgements: async () => judgements.read((await locateRecord()).judgements),

    async drop(ids) {
      if (ids.length === 0) return;
      const said = await stored.change(async ({ readDropped, waiting, writeDropped }) => {
        const wanted = waiting.filter(({ id }) => ids.includes(id));
        if (wanted.length === 0) return { next: waiting, result: [] };
        // Written first: what is in both files counts as dropped.
        await writeDropped(planDropped(await readDropped(), wanted, clock.now()));
        const next = waiting.filter((one) => !wanted.includes(one));
        return { next, result: wanted.flatMap((one) => one.said) };
      });
      if (said && said.length > 0) await withRecord((record) => judgements.forget(record.judgements, said));
    },

    droppedMs: async (words) => findDropped((await stored.read()).dropped, words)?.atMs,

    async follow(sessionID, messages) {
      // Most undone messages were neither judged, nor said before, nor are they candidates: then no lock is needed.
      const record = await locateRecord();
      const isAhead =
        (await judgements.isAhead(record.judgements, sessionID, messages)) ||
        (await repeats.isAhead(record.repeats, sessionID, messages));
      if (isAhead)
        await withRecord(async () => {
          await judgements.follow(record.judgements, sessionID, messages);
          await repeats.follow(record.repeats, sessionID, messages);
        });
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
  const draft = planDraft({ ...candidate, said: [{ ...saying, heading: undefined }] }, { how: "confirmed" });
  const checked = draft && checkDraft(draft);
  if (checked?.kind !== "fit") return undefined;
  const { content: text, title = "" } = checked.draft;
  const isWhole = text.length <= LONGEST_TEXT && !text.includes("\n");
  return isWhole ? { ...saying, text, title } : undefined;
}
