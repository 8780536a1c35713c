/**
 * The candidates of a project on disk, behind the lazy import of `candidates.ts`: those that wait, those that were dropped,
 * why each message was kept or not, and what was said before. One process changes them at a time, under a lock.
 */
import { formatError, StrataError } from "../../base/error.js";
import { finite, isRecord, list, object, oneOf, optional, parseJson, string } from "../../base/shape.js";
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

export interface CandidateStoreOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  log: Pick<Log, "warn">;
  locateRecord(): Promise<ProjectRecord>;
}

const MOST_TRIES = 2;

export function createCandidateStore(options: CandidateStoreOptions): CandidateStore {
  const { clock, files, locateRecord } = options;
  const { change, changeThose, dropped, underLock, waiting } = openLists(options);
  const judgements = createJudgementLog(files);
  const repeats = createRepeats(files);

  return {
    async offer(found) {
      const fit = found.flatMap((one) => clean(one) ?? []);
      let agreed: readonly WaitingCandidate[] = [];
      if (fit.length > 0)
        await change(async (known, record) => {
          const wanted = withoutDropped(fit, await dropped.readToWrite(record.dropped));
          const next = planCandidates(known, wanted, clock.now());
          agreed = next.agreed;
          return [...next.agreed, ...next.waiting];
        });
      return agreed;
    },

    async list() {
      const record = await locateRecord();
      const all = await waiting.read(record.candidates);
      return withoutDroppedWords(all, await dropped.read(record.dropped)).filter(
        (one) => readLatest(one) && !hasExpired(one, clock.now()),
      );
    },

    settle: (ids) => changeThose(ids, () => undefined),
    noteTried: (ids) =>
      changeThose(ids, (one) => {
        const tries = (one.tries ?? 0) + 1;
        return { ...one, tries, ...(tries >= MOST_TRIES && { isJudged: true as const }) };
      }),
    noteJudged: (ids) => changeThose(ids, (one) => ({ ...one, isJudged: true as const })),
    noteAsked: (all) =>
      changeThose([...all.keys()], (one) => {
        const asked = all.get(one.id);
        return { ...one, ...(asked && { asked }) };
      }),

    hear: (texts, heard) => underLock(({ repeats: path }) => repeats.hear(path, texts, heard)),
    async note(judged) {
      if (judged.length > 0) await underLock(({ judgements: path }) => judgements.add(path, judged));
    },
    judgements: async () => judgements.read((await locateRecord()).judgements),

    async drop(ids) {
      if (ids.length === 0) return;
      let said: Saying[] = [];
      await change(async (known, record, lock) => {
        const wanted = known.filter(({ id }) => ids.includes(id));
        if (wanted.length === 0) return known;
        said = wanted.flatMap((one) => one.said);
        // Written first: what is in both files counts as dropped.
        const all = planDropped(await dropped.readToWrite(record.dropped), wanted, clock.now());
        await lock.check();
        await dropped.write(record.dropped, all);
        return known.filter((one) => !wanted.includes(one));
      });
      if (said.length > 0) await underLock(({ judgements: path }) => judgements.forget(path, said));
    },

    async droppedMs(words) {
      return findDropped(await dropped.read((await locateRecord()).dropped), words)?.atMs;
    },

    async follow(sessionID, messages) {
      const record = await locateRecord();
      const followSaid = async (isDry: boolean): Promise<boolean> => {
        const isJudged = await judgements.follow(record.judgements, sessionID, messages, isDry);
        return (await repeats.follow(record.repeats, sessionID, messages, isDry)) || isJudged;
      };
      // Most undone messages were neither judged, nor said before, nor are they candidates: then no lock is needed.
      if (await followSaid(true)) await underLock(() => followSaid(false));
      if (!planUndone(await waiting.read(record.candidates), sessionID, messages)) return false;
      let hasChanged = false;
      await change(async (known) => {
        const next = planUndone(known, sessionID, messages);
        hasChanged = next !== undefined;
        return next ?? known;
      });
      return hasChanged;
    },
  };
}

type PlanChange = (
  known: readonly WaitingCandidate[],
  record: ProjectRecord,
  lock: Pick<HeldLock, "check">,
) => Promise<readonly WaitingCandidate[]>;

/** The two lists and their lock. */
function openLists({ files, locateRecord, locks, log }: CandidateStoreOptions) {
  const waiting = openList("waiting", isCandidate, { files, log });
  const dropped = openList("dropped", isDropped, { files, log });
  return { waiting, dropped, underLock, change, changeThose };

  async function underLock<T>(action: (record: ProjectRecord, lock: HeldLock) => Promise<T>): Promise<T> {
    const record = await locateRecord();
    return locks.withLock(record.candidatesLock, (lock) => action(record, lock));
  }

  /** Stores the planned list, if it is another one. */
  function change(plan: PlanChange): Promise<void> {
    return underLock(async (record, lock) => {
      const known = await waiting.readToWrite(record.candidates);
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

/* Plans which sayings count after the user has undone or redone messages. Pure. */

/** In the place of a secret. */
const REMOVED = "[removed: ";

/** The candidates with the sayings of this session marked by all its messages; `undefined` if none changes. */
function planUndone(
  candidates: readonly WaitingCandidate[],
  sessionID: string,
  messages: readonly Message[],
): WaitingCandidate[] | undefined {
  const texts = new Map<string, string>();
  for (const { info, parts } of messages)
    if (info.role === "user")
      texts.set(info.id ?? nameMessage(info), foldLetters(readOwnTexts(parts).join(" ")));
  let hasChanged = false;
  const mark = (saying: Saying): Saying => {
    const isTakenBack = !isSaid(saying, texts);
    if (saying.session !== sessionID || isTakenBack === (saying.isTakenBack ?? false)) return saying;
    hasChanged = true;
    const { isTakenBack: _, ...rest } = saying;
    return isTakenBack ? { ...rest, isTakenBack } : rest;
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

/** A list in a file of this machine's record of the project. A damaged file counts as empty, which the log says. */
export interface ListFile<T> {
  /** Rejects with the system's error. */
  read(path: string): Promise<readonly T[]>;
  /** For the holder of the lock: renames a damaged file to `<name>.corrupt`. */
  readToWrite(path: string): Promise<readonly T[]>;
  /** Rejects with the system's error. */
  write(path: string, entries: readonly T[]): Promise<void>;
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

/** Two hundred long sentences, each said ten times, take half of it. */
const MOST_BYTES = 8_000_000;

export function openList<T>(
  name: string,
  isEntry: (value: unknown) => value is T,
  { files, log }: Pick<CandidateStoreOptions, "files" | "log">,
): ListFile<T> {
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
  return {
    read: (path) => readOr(path, async () => "it is kept aside when the next candidate is stored"),
    readToWrite: (path) =>
      readOr(path, async () => {
        await files.rename(path, `${path}.corrupt`);
        return `begun anew, it is kept as ${path}.corrupt`;
      }),
    write: stored.write,
  };

  async function readOr(path: string, mend: () => Promise<string>): Promise<readonly T[]> {
    const bytes = (await files.statItself(path))?.bytes ?? 0;
    try {
      if (bytes > MOST_BYTES) throw damage(`expected at most ${MOST_BYTES} bytes, ${bytes} came`);
      return await stored.read(path);
    } catch (thrown) {
      // A link counts as damage: this file is never one.
      if (![DAMAGED, "ELOOP"].includes(String((thrown as { code?: unknown }).code))) throw thrown;
      log.warn("candidates", `${path} cannot be read, ${await mend()}: ${formatError(thrown)}`);
      return [];
    }
  }
}

const DAMAGED = "EDAMAGED";
const damage = (why: string): StrataError => new StrataError(DAMAGED, why);
