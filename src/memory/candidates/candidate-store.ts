/**
 * The candidates of a project on disk, behind the lazy import of `candidates.ts`: those that wait, those that were dropped,
 * why each message was kept or not, and what was said before. One process changes them at a time, under a lock.
 */
import { finite, isRecord, isVersion, list, object, oneOf, optional, string } from "../../base/shape.js";
import { toLine } from "../../base/text.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { createLineLog } from "../../io/json-lines.js";
import type { HeldLock, Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import type { Message } from "../../io/message.js";
import { formatState, readState } from "../../io/state-file.js";
import type { ProjectRecord } from "../../project/state-owner.js";
import { checkDraft } from "../gate/gate.js";
import { memoryTypes } from "../memory.js";
import {
  type Candidate,
  type Judgement,
  judges,
  outcomes,
  planDraft,
  readLatest,
  type SaidStatement,
  type Saying,
  type WaitingCandidate,
} from "./candidate.js";
import {
  type Dropped,
  findDropped,
  hasExpired,
  nameSaying,
  planCandidates,
  planDropped,
  planRepeats,
  planUndone,
  type Repeat,
  type Utterance,
  withoutDropped,
  withoutDroppedWords,
  withoutUndone,
  withoutUnheard,
} from "./plan-candidates.js";

export type CandidateStore = ReturnType<typeof createCandidateStore>;

export interface CandidateStoreOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  log: Pick<Log, "warn">;
  locateRecord(): Promise<ProjectRecord>;
}

/** `settled`: it waits no longer; `unsure`: the user decides; `unusable`: asked in vain, and after the last try the user decides. */
export type ModelAnswer = "settled" | "unsure" | "unusable";

const MOST_TRIES = 2;

/** Every call rejects with the system's error, or ELOCKED. */
export function createCandidateStore(options: CandidateStoreOptions) {
  const { clock, locateRecord } = options;
  const { change, changeThose, dropped, follow, judgements, repeats, underLock, waiting } =
    openLists(options);

  return {
    /**
     * Stores what was found. Returns those that the user has by now said in so many sessions that they count as a rule;
     * they wait until `settle`, so that none is lost if it cannot be stored as a memory.
     */
    async offer(found: readonly Candidate[]): Promise<readonly WaitingCandidate[]> {
      const fit = found.flatMap((one) => clean(one) ?? []);
      let agreed: readonly WaitingCandidate[] = [];
      if (fit.length > 0)
        await change(async (known, record) => {
          const wanted = withoutDropped(fit, await dropped.read(record.dropped));
          const next = planCandidates(known, wanted, clock.now());
          agreed = next.agreed;
          return [...next.agreed, ...next.waiting];
        });
      return agreed;
    },

    /** What waits: what was said in most sessions first, then by worth; without what expired or was taken back. */
    async list(): Promise<readonly WaitingCandidate[]> {
      const record = await locateRecord();
      const all = await waiting.read(record.candidates);
      return withoutDroppedWords(all, await dropped.read(record.dropped)).filter(
        (one) => readLatest(one) && !hasExpired(one, clock.now()),
      );
    },

    follow,
    /** They have become memories, or a judge has kept nothing of them: they wait no longer. */
    settle: (ids: readonly string[]) => changeThose(ids, () => undefined),
    /** A model was asked about these, by id. */
    noteAnswers: (answers: ReadonlyMap<string, ModelAnswer>) =>
      changeThose([...answers.keys()], (one) => {
        const answer = answers.get(one.id);
        if (answer === "settled") return undefined;
        const tries = (one.tries ?? 0) + (answer === "unusable" ? 1 : 0);
        const isJudged = answer === "unsure" || tries >= MOST_TRIES;
        return { ...one, ...(tries > 0 && { tries }), ...(isJudged && { isJudged }) };
      }),
    /** The agent was asked about these, by id; it is not asked again. */
    noteAsked: (all: ReadonlyMap<string, NonNullable<WaitingCandidate["asked"]>>) =>
      changeThose([...all.keys()], (one) => {
        const asked = all.get(one.id);
        return { ...one, ...(asked && { asked }) };
      }),

    /** Counts statements of a message; returns by place where each was said, this time included. */
    countRepeats: (texts: readonly string[], heard: Utterance): Promise<readonly (readonly Utterance[])[]> =>
      underLock(async ({ repeats: path }) => {
        const known = await repeats.read(path);
        const { found, next } = planRepeats(known, texts, heard);
        if (next !== known) await repeats.write(path, next);
        return found;
      }),

    /** Remembers why messages were kept or not. */
    async note(judged: readonly Judgement[]): Promise<void> {
      if (judged.length > 0) await underLock(({ judgements: path }) => judgements.note(path, judged));
    },
    /** The judgements so far, oldest first. */
    judgements: async (): Promise<readonly Judgement[]> => judgements.read((await locateRecord()).judgements),

    /** Neither words nor message come back, and why they waited is forgotten with them. */
    async drop(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      let said: Saying[] = [];
      await change(async (known, record, lock) => {
        const wanted = known.filter(({ id }) => ids.includes(id));
        if (wanted.length === 0) return known;
        said = wanted.flatMap((one) => one.said);
        // Written first: what is in both files counts as dropped.
        const all = planDropped(await dropped.read(record.dropped), wanted, clock.now());
        await lock.check();
        await dropped.write(record.dropped, all);
        return known.filter((one) => !wanted.includes(one));
      });
      if (said.length > 0) await underLock(({ judgements: path }) => judgements.forget(path, said));
    },

    /** When the user dropped these words; `undefined` if never. */
    async droppedMs(words: string): Promise<number | undefined> {
      return findDropped(await dropped.read((await locateRecord()).dropped), words)?.atMs;
    },
  };
}

type PlanChange = (
  known: readonly WaitingCandidate[],
  record: ProjectRecord,
  lock: Pick<HeldLock, "check">,
) => Promise<readonly WaitingCandidate[]>;

/** What is on disk, its lock, and what changes all of it. */
function openLists({ files, locateRecord, locks, log }: CandidateStoreOptions) {
  const waiting = openList("waiting", isCandidate, { files, log });
  const dropped = openList("dropped", isDropped, { files, log });
  const repeats = openList("repeats", isRepeat, { files, log });
  const judgements = openJudgements(files);
  return { waiting, dropped, judgements, repeats, underLock, change, changeThose, follow };

  async function underLock<T>(action: (record: ProjectRecord, lock: HeldLock) => Promise<T>): Promise<T> {
    const record = await locateRecord();
    return locks.withLock(record.candidatesLock, (lock) => action(record, lock));
  }

  /** Stores the planned list, if it is another one. */
  function change(plan: PlanChange): Promise<void> {
    return underLock(async (record, lock) => {
      const known = await waiting.read(record.candidates);
      const next = await plan(known, record, lock);
      if (next === known) return;
      await lock.check();
      await waiting.write(record.candidates, next);
    });
  }

  /** `edit` returns `undefined` for one that waits no longer. */
  async function changeThose(
    ids: readonly string[],
    edit: (candidate: WaitingCandidate) => WaitingCandidate | undefined,
  ): Promise<void> {
    if (ids.length === 0) return;
    await change(async (known) => {
      if (!known.some(({ id }) => ids.includes(id))) return known;
      return known.flatMap((one) => (ids.includes(one.id) ? (edit(one) ?? []) : [one]));
    });
  }

  /** Adapts what is known of a session to all of its messages: what they no longer say counts no more, and what they say again does. */
  async function follow(sessionID: string, messages: readonly Message[]): Promise<void> {
    const planAll = async (record: ProjectRecord) => ({
      waiting: planUndone(await waiting.read(record.candidates), sessionID, messages),
      judgements: withoutUndone(await judgements.read(record.judgements), sessionID, messages),
      repeats: withoutUnheard(await repeats.read(record.repeats), sessionID, messages),
    });
    // Most undone messages left nothing here: then no lock is needed.
    const planned = await planAll(await locateRecord());
    if (Object.values(planned).every((one) => one === undefined)) return;
    await underLock(async (record) => {
      const next = await planAll(record);
      if (next.waiting) await waiting.write(record.candidates, next.waiting);
      if (next.judgements) await judgements.write(record.judgements, next.judgements);
      if (next.repeats) await repeats.write(record.repeats, next.repeats);
    });
  }
}

/** A longer sentence would not be stored whole as the evidence of a memory. */
const LONGEST_TEXT = 1_300;

/** Without secrets, as the gate would store it; `undefined` if the gate would refuse it. Pure. */
function clean(candidate: Candidate): Candidate | undefined {
  const said = candidate.said.flatMap((saying): Saying[] => {
    const draft = planDraft(
      { ...candidate, said: [{ ...saying, heading: undefined }] },
      { how: "confirmed" },
    );
    const checked = draft && checkDraft(draft);
    if (checked?.kind !== "fit") return [];
    const { content: text, title = "" } = checked.draft;
    const isWhole = text.length <= LONGEST_TEXT && !text.includes("\n");
    return isWhole ? [{ ...saying, text, title }] : [];
  });
  return said.length === 0 ? undefined : { ...candidate, said };
}

/* What is on disk, in this machine's record of the project. */

const isStatement = object<SaidStatement>({
  text: string,
  heading: optional(string),
  isQuestion: optional(oneOf([true])),
});
const isSaying = object<Saying>({
  session: string,
  message: string,
  saidMs: finite,
  title: string,
  text: string,
  heading: optional(string),
  statements: optional(list(isStatement)),
  place: optional(finite),
  context: optional(string),
  isTakenBack: optional(oneOf([true])),
  isHandedOver: optional(oneOf([true])),
});
export const isCandidate = object<WaitingCandidate>({
  id: string,
  type: oneOf(memoryTypes),
  when: list(string),
  worth: finite,
  said: list(isSaying),
  offeredMs: finite,
  tries: optional(finite),
  isJudged: optional(oneOf([true])),
  asked: optional(object<{ session: string; letter: string }>({ session: string, letter: string })),
});
const isDropped = object<Dropped>({ words: list(string), messages: list(string), atMs: finite });
const isUtterance = object<Utterance>({ session: string, message: string, saidMs: finite });
const isRepeat = object<Repeat>({ words: string, heard: list(isUtterance) });

/** Entries that are none are left out; a file that is none counts as empty, which the log says. */
function openList<T>(
  name: string,
  isEntry: (value: unknown) => value is T,
  { files, log }: Pick<CandidateStoreOptions, "files" | "log">,
) {
  return {
    read: async (path: string): Promise<readonly T[]> => (await readState(files, path, parse)) ?? [],
    write: (path: string, entries: readonly T[]): Promise<void> =>
      files.writeWhole(path, formatState({ [name]: entries })),
  };

  function parse(value: unknown): T[] {
    const entries = isRecord(value) ? value[name] : undefined;
    if (Array.isArray(entries)) return entries.filter(isEntry);
    log.warn("candidates", `expected a JSON object with a list "${name}", got something else; begun anew`);
    return [];
  }
}

type JudgementLine = Judgement & { v: 1 };

const isLine = object<JudgementLine>({
  v: isVersion,
  atMs: finite,
  session: string,
  message: string,
  text: string,
  by: oneOf(judges),
  outcome: oneOf(outcomes),
  why: string,
  id: optional(string),
});

/** Of about two months; the older half goes first. */
const MOST_JUDGEMENTS = 4_000;
const LONGEST_JUDGED = 400;

/** The same may be judged twice: after a crash, or when past sessions are read again. */
const nameJudgement = ({ by, id, message, outcome, session, text, why }: Judgement): string =>
  JSON.stringify([by, id, message, outcome, session, text, why]);

function openJudgements(files: Files) {
  const lines = createLineLog<JudgementLine>({
    files,
    parse: (value) => (isLine(value) ? value : undefined),
  });
  const read = async (path: string): Promise<readonly JudgementLine[]> => (await lines.read(path)).records;
  const write = (path: string, all: readonly Judgement[]): Promise<void> =>
    files.writeWhole(path, all.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return {
    read,
    write,

    async note(path: string, judged: readonly Judgement[]): Promise<void> {
      const before = await read(path);
      const known = new Set(before.map(nameJudgement));
      const added = judged
        .map((one): JudgementLine => ({ v: 1, ...one, text: toLine(one.text, LONGEST_JUDGED) }))
        .filter((one) => !known.has(nameJudgement(one)));
      const all = [...before, ...added];
      if (all.length > MOST_JUDGEMENTS) await write(path, all.slice(-MOST_JUDGEMENTS / 2));
      else if (added.length > 0) await lines.append(path, added);
    },

    async forget(path: string, messages: readonly Saying[]): Promise<void> {
      const names = new Set(messages.map(nameSaying));
      await write(
        path,
        (await read(path)).filter((one) => !names.has(nameSaying(one))),
      );
    },
  };
}
