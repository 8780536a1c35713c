/** What `candidates.ts` does, behind its lazy import. */
import { formatError, StrataError } from "../../base/error.js";
import { finite, isRecord, list, object, oneOf, optional, parseJson, string } from "../../base/shape.js";
import { inSlices } from "../../base/slices.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { HeldLock, Locks } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import type { Message } from "../../io/message.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { nameMessage, readOwnTexts } from "../../messages/call.js";
import type { ProjectRecord } from "../../project/state-owner.js";
import { foldLetters } from "../../text/text.js";
import { checkDraft } from "../gate/gate.js";
import { memoryTypes } from "../memory.js";
import {
  type Candidate,
  planDraft,
  readLatest,
  type SaidStatement,
  type Saying,
  type WaitingCandidate,
} from "./candidate.js";
import { createJudgementLog, type Judgement } from "./judgements.js";
import {
  type Dropped,
  findDropped,
  hasExpired,
  planCandidates,
  planDropped,
  withoutDropped,
  withoutDroppedWords,
} from "./plan-candidates.js";
import { createRepeats, type Heard } from "./repeats.js";

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

/* Plans which sayings count after the user has undone or redone messages. Pure. */

/** In the place of a secret. */
const REMOVED = "[removed: ";

/** The candidates with the sayings of this session marked by all its messages; `undefined` if none changes. */
export function planUndone(
  candidates: readonly WaitingCandidate[],
  sessionID: string,
  messages: readonly Message[],
): WaitingCandidate[] | undefined {
  if (candidates.every(({ said }) => said.every(({ session }) => session !== sessionID))) return undefined;
  const texts = new Map<string, string>();
  for (const { info, parts } of messages)
    if (info.role === "user")
      texts.set(info.id ?? nameMessage(info), foldLetters(readOwnTexts(parts).join(" ")));
  let hasChanged = false;
  const mark = (saying: Saying): Saying => {
    if (saying.session !== sessionID) return saying;
    const isTakenBack = !isSaid(saying, texts);
    if (isTakenBack === (saying.isTakenBack ?? false)) return saying;
    hasChanged = true;
    const { isTakenBack: _, ...standing } = saying;
    return isTakenBack ? { ...standing, isTakenBack } : standing;
  };
  const marked = candidates.map((one) => ({ ...one, said: one.said.map(mark) }));
  return hasChanged ? marked : undefined;
}

function isSaid({ message, text }: Saying, texts: ReadonlyMap<string, string>): boolean {
  const whole = texts.get(message);
  if (whole === undefined) return false;
  // The message still has the secret that was removed here.
  return text.includes(REMOVED) || whole.includes(foldLetters(text));
}

/* Candidates and dropped ones on disk. One process changes them at a time, under a lock. */

/** Every call rejects with the system's error, `change` also with ELOCKED. */
export interface StoredCandidates {
  read(): Promise<{ waiting: readonly WaitingCandidate[]; dropped: readonly Dropped[] }>;
  /** Stores the plan's `next`, if it is another list. */
  change<T>(plan: (held: HeldCandidates) => Promise<Changed<T>>): Promise<T>;
}

export interface HeldCandidates {
  waiting: readonly WaitingCandidate[];
  readDropped(): Promise<readonly Dropped[]>;
  writeDropped(dropped: readonly Dropped[]): Promise<void>;
}

export interface Changed<T> {
  next: readonly WaitingCandidate[];
  result: T;
}

/** With the record's paths, under its lock. */
export type WithRecord = <T>(change: (record: ProjectRecord) => Promise<T>) => Promise<T>;

export interface StoredCandidatesOptions {
  files: Files;
  locks: Locks;
  log: Pick<Log, "warn">;
  locateRecord(): Promise<ProjectRecord>;
}

export function openStoredCandidates(options: StoredCandidatesOptions): StoredCandidates {
  const { locateRecord, locks } = options;
  const { dropped, waiting } = openCandidateFiles(options);

  return {
    async read() {
      const record = await locateRecord();
      return {
        waiting: await waiting.read(record.candidates),
        dropped: await dropped.read(record.dropped),
      };
    },

    async change(plan) {
      const record = await locateRecord();
      return locks.withLock(record.candidatesLock, async (lock) => {
        const known = await waiting.readToWrite(record.candidates);
        const { next, result } = await plan({ waiting: known, ...holdDropped(record, lock) });
        if (next === known) return result;
        await lock.check();
        await waiting.write(record.candidates, next);
        return result;
      });
    },
  };

  function holdDropped(record: ProjectRecord, lock: HeldLock): Omit<HeldCandidates, "waiting"> {
    return {
      readDropped: () => dropped.readToWrite(record.dropped),
      async writeDropped(list) {
        await lock.check();
        await dropped.write(record.dropped, list);
      },
    };
  }
}

/* The file of candidates, and that of dropped ones, in this machine's record of the project. */

/** Reading rejects with the system's error. A damaged file counts as empty, which the log says. */
export interface CandidateFile<T> {
  read(path: string): Promise<readonly T[]>;
  /** For the holder of the lock: renames a damaged file to `<name>.corrupt`. */
  readToWrite(path: string): Promise<readonly T[]>;
  /** Rejects with the system's error. */
  write(path: string, entries: readonly T[]): Promise<void>;
}

export interface CandidateFiles {
  waiting: CandidateFile<WaitingCandidate>;
  dropped: CandidateFile<Dropped>;
}

export function openCandidateFiles(options: { files: Files; log: Pick<Log, "warn"> }): CandidateFiles {
  return {
    waiting: openList("waiting", isCandidate, options),
    dropped: openList("dropped", isDropped, options),
  };
}

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
const isCandidate = object<WaitingCandidate>({
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

/** Two hundred long sentences, each said ten times, take half of it. */
const MOST_BYTES = 8_000_000;

function openList<T>(
  name: string,
  isEntry: (value: unknown) => value is T,
  { files, log }: { files: Files; log: Pick<Log, "warn"> },
): CandidateFile<T> {
  const stored = createStateFile<readonly T[]>({
    files: { read: (path) => files.read(path, { links: "refused" }), writeWhole: files.writeWhole },
    parse(text) {
      const value = parseJson(text);
      const entries = isRecord(value) ? value[name] : undefined;
      if (!Array.isArray(entries)) throw damage(`expected a JSON object with a list "${name}"`);
      return entries.filter(isEntry);
    },
    format: (entries) => formatState({ [name]: entries }),
    fresh: [],
  });

  const aside = (path: string): string => `${path}.corrupt`;
  return {
    read: (path) => readOr(path, async () => "it is kept aside when the next candidate is stored"),
    readToWrite: (path) =>
      readOr(path, async () => {
        await files.rename(path, aside(path));
        return `begun anew, it is kept as ${aside(path)}`;
      }),
    write: stored.write,
  };

  async function readOr(path: string, mend: () => Promise<string>): Promise<readonly T[]> {
    const bytes = (await files.statItself(path))?.bytes ?? 0;
    try {
      if (bytes > MOST_BYTES) throw damage(`expected at most ${MOST_BYTES} bytes, ${bytes} came`);
      return await stored.read(path);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      log.warn("candidates", `${path} cannot be read, ${await mend()}: ${formatError(thrown)}`);
      return [];
    }
  }
}

const DAMAGED = "EDAMAGED";
const damage = (why: string): StrataError => new StrataError(DAMAGED, why);

/** A link counts as damage: this file is never one. */
const isDamage = (thrown: unknown): boolean =>
  [DAMAGED, "ELOOP"].includes(String((thrown as { code?: unknown }).code));
