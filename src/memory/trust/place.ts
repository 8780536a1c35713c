/**
 * Whose the files of one place are: a project, or the user's own folder for what holds everywhere. What is known stands in
 * the record. A file whose contents are new is judged once:
 *
 *     at the first check of a project, or known to be foreign under any name      foreign
 *     unpacked, copied or moved here: older than the last check                   foreign
 *     changed while an agent worked on this machine                               the agent's
 *     brought by git: a pull, checkout, merge, or a commit of somebody else       foreign
 *     anything else was written here by hand                                      the user's
 *
 * A command that only looks (`isBrief`) writes nothing. Its judgements are written with its first change, so that a
 * change never loses one.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../io/clock.js";
import type { Git } from "../../io/host.js";
import type { Identity } from "./git-folder.js";
import { findBrought } from "./git-origin.js";
import { createOpening, type Opened, type Opening, type OpeningOptions } from "./opening.js";
import type { Acceptance, ForeignCause, NamedContents, TrustRecord } from "./record.js";
import type { Turns } from "./turns.js";

/** A file on disk whose contents are not yet known to be own or foreign. */
export interface FoundFile extends NamedContents {
  /** Absolute path. */
  path: string;
  /** Time of its last change of any kind, by the disk's clock (ctime). */
  changedMs: number;
  /** Time of its last content change (mtime), which archives preserve and programs can set. */
  modifiedMs: number;
}

/** Calls reject with the system's error, and are tried again the next time. */
export interface TrustPlace {
  /** Differs whenever `isOwn` may answer otherwise. */
  readonly version: number;
  identify(): Promise<Identity>;
  /** Reads what other processes have decided since. */
  refresh(): Promise<void>;
  /** Call before the files of a collection are checked: what changes meanwhile is newer. */
  prepareLook(collection: string): Promise<void>;
  settle(collection: string, found: readonly FoundFile[]): Promise<void>;
  isOwn(file: NamedContents): boolean;
  isDecided(file: NamedContents): boolean;
  own(files: readonly NamedContents[]): Promise<void>;
  disown(files: readonly NamedContents[], why: ForeignCause): Promise<void>;
  accept(files: readonly NamedContents[], why: string): Promise<void>;
  acceptances(): readonly Acceptance[];
  revoke(run: string): Promise<void>;
}

export interface TrustPlaceOptions extends OpeningOptions {
  clock: Clock;
  /** Without it every change that git might have brought is foreign. */
  git: Git | undefined;
  /** Called when files turn out to be foreign. */
  onForeign?: ((cause: ForeignCause, count: number) => void) | undefined;
  turns: Turns;
}

/** The first check of a collection by this process. */
interface Look {
  /** When its files were checked before; `undefined` if never. */
  sinceMs: number | undefined;
  atMs: number;
  isNoted: boolean;
}

/** Worst resolution of file times on any disk. */
const SLACK_MS = 2_000;

export function createTrustPlace(options: TrustPlaceOptions): TrustPlace {
  const { clock, turns } = options;
  const opening = createOpening(options);
  const { open, openToWrite } = opening;
  const judgeAll = createJudge(options, opening);
  const looks = new Map<string, Promise<Look>>();
  /** Written by this process, also where the record cannot be. */
  const mine = new Set<string>();

  return {
    get version() {
      return mine.size + opening.version;
    },

    identify: async () => (await open()).identity,

    async refresh() {
      await readOn();
    },

    async prepareLook(collection) {
      const begun = looks.get(collection) ?? beginLook(collection);
      looks.set(collection, begun);
      begun.catch(() => looks.delete(collection));
      await begun;
    },

    async settle(collection, found) {
      const look = await looks.get(collection);
      if (!look) return;
      const { identity, record } = await readOn();
      const undecided = found.filter((file) => !record.isDecided(file));
      if (undecided.length > 0) await judgeAll(undecided, look.sinceMs);
      // Noted when all is decided: if the process is killed before, no file looks older than the last check.
      const { atMs, isNoted } = look;
      if (!isNoted) await opening.note({ op: "look", root: identity.root, collection: collection, at: atMs });
      Object.assign(look, { isNoted: true, sinceMs: atMs });
    },

    isOwn(file) {
      if (mine.has(`${file.name}\n${file.hash}`)) return true;
      const opened = opening.current();
      if (!opened) return false;
      const { isAcceptedForGood, record } = opened;
      return record.isOwn(file) || (isAcceptedForGood && !record.isForeign(file.hash, "agent"));
    },

    isDecided: (file) => opening.current()?.record.isDecided(file) ?? false,

    async own(own) {
      for (const { hash, name } of own) mine.add(`${name}\n${hash}`);
      const { record } = await openToWrite();
      const added = own.filter((file) => !record.isOwn(file));
      if (added.length > 0) await record.add({ op: "own", files: named(added) });
    },

    async disown(given, why) {
      const { record } = await openToWrite();
      const added = given.filter((file) => !record.isDecided(file));
      if (added.length > 0) await record.add({ op: "foreign", why, files: named(added) });
    },

    async accept(given, why) {
      const { record } = await openToWrite();
      const at = new Date(clock.now()).toISOString();
      await record.add({ op: "accept", run: randomUUID().slice(0, 8), at, why, files: named(given) });
    },

    acceptances: () => opening.current()?.record.acceptances() ?? [],
    revoke: async (run) => (await openToWrite()).record.add({ op: "revoke", run }),
  };

  async function readOn(): Promise<Opened> {
    const opened = await open();
    // Another process may have made the project known since.
    if (opened.identity.id === "") return opening.reopen();
    await opened.record.readOn();
    return opened;
  }

  async function beginLook(collection: string): Promise<Look> {
    const { identity, record } = await open();
    const sinceMs = record.lookedMs(identity.root, collection);
    // Only a write tells the disk's time; a command that writes nothing stays below it.
    const atMs = opening.isBrief() ? clock.now() - SLACK_MS : await turns.nowMs();
    return { sinceMs, atMs, isNoted: false };
  }
}

type JudgeAll = (undecided: readonly FoundFile[], sinceMs: number | undefined) => Promise<void>;

/** Decides whose files are, and notes it. */
function createJudge(
  { clock, files, git, kind, onForeign, turns }: TrustPlaceOptions,
  { note, open }: Pick<Opening, "note" | "open">,
): JudgeAll {
  return async (undecided, sinceMs) => {
    const { record } = await open();
    const isInTurn = await turns.findWindows(sinceMs ?? 0);
    const verdicts = undecided.map((file) => judge(file, { isInTurn, kind, record, sinceMs }));
    const brought = await findBroughtHere(undecided.filter((_, n) => verdicts[n] === "by hand"));
    const of = (wanted: Verdict): NamedContents[] =>
      named(undecided.filter(({ path }, n) => (brought.has(path) ? "repository" : verdicts[n]) === wanted));
    for (const why of ["repository", "agent"] as const) {
      const foreign = of(why);
      if (foreign.length === 0) continue;
      onForeign?.(why, foreign.length);
      await note({ op: "foreign", why, files: foreign });
    }
    const own = [...of("own"), ...of("by hand")];
    if (own.length > 0) await note({ op: "own", files: own });
  };

  /** The paths of those that git has brought. Where git cannot say, what it could have brought counts as brought. */
  async function findBroughtHere(byHand: readonly FoundFile[]): Promise<ReadonlySet<string>> {
    if (byHand.length === 0 || kind === "global") return new Set();
    const { identity, record } = await open();
    const isInTurn = await turns.findWindows(0);
    const history = { logEnd: record.logOf(identity.root), nowMs: clock.now(), ownFolder: identity.git?.own };
    return findBrought(byHand, { files, git, isInTurn, ...history });
  }
}

const named = (given: readonly NamedContents[]): NamedContents[] =>
  given.map(({ hash, name }) => ({ name, hash }));

/** `by hand`: the user's, unless git has brought it. */
type Verdict = "own" | "by hand" | ForeignCause;

interface Evidence extends Pick<TrustPlaceOptions, "kind"> {
  isInTurn(atMs: number): boolean;
  record: Pick<TrustRecord, "isForeign" | "isKnownOwn">;
  sinceMs: number | undefined;
}

/** The table above, but for what only git knows. Pure. */
function judge(file: FoundFile, { isInTurn, kind, record, sinceMs }: Evidence): Verdict {
  if (sinceMs === undefined) return kind === "project" ? "repository" : "own";
  if (record.isForeign(file.hash) || file.changedMs < sinceMs) return "repository";
  if (file.modifiedMs < sinceMs - SLACK_MS && !record.isKnownOwn(file.hash)) return "repository";
  return isInTurn(file.changedMs) ? "agent" : "by hand";
}
