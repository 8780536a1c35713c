/**
 * Whose the files of one place are: a project, or the user's own folder for what holds everywhere. Contents whose hash the
 * record does not know are judged once:
 *
 *     at the first check of a project                                  foreign
 *     unpacked, copied or moved here: older than the last check        foreign
 *     changed while an agent worked on this machine                    the agent's
 *     from git: a pull, checkout, merge, or somebody else's commit     foreign
 *     anything else was written here by hand                           the user's
 *
 * Without git all that is new after the first check is by hand. In the user's own folder nothing comes with a repository,
 * so only what an agent changed is not theirs.
 *
 * A command that only looks (`isBrief`) makes no project known. Its judgements are written with its first change, so that
 * a change never loses one.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Git } from "../../io/host.js";
import { ID_FILE, type Identity, identify, isFromGit, readLogEnd } from "./git.js";
import {
  createTrustRecord,
  type ForeignCause,
  type NamedContents,
  type RecordLine,
  type TrustRecord,
  type Turns,
} from "./record.js";
import type { AcceptedPlaces, KnownFile, SeenRemotes } from "./team.js";

export interface TrustPlaceOptions {
  accepted: AcceptedPlaces;
  clock: Clock;
  files: Files;
  folder: string;
  /** Without it every change in a repository is foreign. */
  git: Git | undefined;
  /** Only looks: nothing is written down before the user changes something. */
  isBrief?: boolean;
  kind: "project" | "global";
  /** Called when files turn out to be foreign. */
  onForeign?: ((cause: ForeignCause, count: number) => void) | undefined;
  /** Where this machine keeps what it knows of all projects. */
  stateFolder: string;
  turns: Turns;
}

interface Opened {
  identity: Identity;
  record: TrustRecord;
  /** Does the user's own configuration accept this project? */
  isAcceptedForGood: boolean;
}

/** The first check of a collection by this process. */
interface Look {
  /** When its files were checked before; `undefined` if never. */
  sinceMs: number | undefined;
  atMs: number;
  isNoted: boolean;
}

/** A command that writes nothing cannot ask for the disk's time, which may lag behind the clock. */
const LAG_MS = 2_000;

export type TrustPlace = ReturnType<typeof createTrustPlace>;

/** Its calls reject with the system's error, and are tried again the next time. */
export function createTrustPlace(options: TrustPlaceOptions) {
  const { clock, kind } = options;
  const opening = createOpening(options);
  const { note, openToWrite } = opening;
  /** Written by this process, also where the record cannot be. */
  const mine = new Set<string>();
  const looks = new Map<string, Promise<Look>>();
  const team = createTeam(options, opening);

  return {
    /** Differs whenever `isOwn` and `authorOf` may answer otherwise. */
    version: () => mine.size + opening.version() + team.version(),

    isOwn,
    isDecided,
    team,
    acceptances: () => opening.current()?.record.acceptances() ?? [],
    /** Reads what other processes have decided since. */
    refresh: async (): Promise<void> => void (await opening.readOn()),

    /** Call before the files of a collection are checked: what changes meanwhile is newer. */
    async prepareLook(collection: string): Promise<void> {
      const look = looks.get(collection) ?? beginLook(collection, opening, options);
      looks.set(collection, look);
      look.catch(() => looks.delete(collection));
      await look;
    },

    /** Decides whose the files of a collection are. */
    async classify(collection: string, all: readonly KnownFile[]): Promise<void> {
      const look = await looks.get(collection);
      if (!look) return;
      const { identity, record } = await opening.readOn();
      const undecided = all.filter(({ hash }) => !isDecided(hash));
      const lines = await judge(undecided, options, { identity, record, sinceMs: look.sinceMs });
      for (const line of lines) await note(line);
      if (kind === "project" && collection === "") await team.look(all.filter(({ hash }) => !isOwn(hash)));
      for (const line of lines) {
        const waiting = line.files.filter(({ hash }) => team.authorOf(hash) === undefined).length;
        if (line.op === "foreign" && waiting > 0) options.onForeign?.(line.why, waiting);
      }
      // Noted when all is decided: if the process is killed before, no file looks older than the last check.
      if (!look.isNoted) await note({ op: "look", root: identity.root, collection, at: look.atMs });
      Object.assign(look, { isNoted: true, sinceMs: look.atMs });
    },

    async own(own: readonly NamedContents[]): Promise<void> {
      for (const { hash } of own) mine.add(hash);
      const { record } = await openToWrite();
      const added = own.filter(({ hash }) => !record.isOwn(hash));
      if (added.length > 0) await note({ op: "own", files: named(added) });
    },

    async disown(given: readonly NamedContents[], why: ForeignCause): Promise<void> {
      await openToWrite();
      const added = given.filter(({ hash }) => !isDecided(hash));
      if (added.length > 0) await note({ op: "foreign", why, files: named(added) });
    },

    async accept(given: readonly NamedContents[], why: string): Promise<void> {
      await openToWrite();
      const at = new Date(clock.now()).toISOString();
      await note({ op: "accept", run: randomUUID().slice(0, 8), at, why, files: named(given) });
    },

    async revoke(run: string): Promise<void> {
      await openToWrite();
      await note({ op: "revoke", run });
    },
  };

  function isOwn(hash: string): boolean {
    const opened = opening.current();
    if (mine.has(hash) || !opened) return mine.has(hash);
    const { isAcceptedForGood, record } = opened;
    return record.isOwn(hash) || (isAcceptedForGood && record.causeOf(hash) !== "agent");
  }

  function isDecided(hash: string): boolean {
    const record = opening.current()?.record;
    return record !== undefined && (record.isOwn(hash) || record.causeOf(hash) !== undefined);
  }
}

/** The user's team; its code is loaded once something is not the user's. */
function createTeam(options: TrustPlaceOptions, opening: ReturnType<typeof createOpening>) {
  const { clock, files } = options;
  const { current, note, openToWrite } = opening;
  let seen: SeenRemotes | undefined;
  let version = 0;

  return {
    /** Who of the team wrote these contents that are not the user's. */
    authorOf: (hash: string): string | undefined =>
      seen?.addresses.map((one) => current()?.record.authorOf(hash, one)).find(Boolean),
    /** What the user is to be asked about a remote, as of the last look. */
    question: () => seen?.question,
    version: () => version,

    async look(others: readonly KnownFile[]): Promise<void> {
      const opened = current();
      if (!opened || others.length === 0) return;
      const before = seen;
      seen = await (await import("./team.js")).lookAtRemotes({ ...options, ...opened, note }, others, before);
      if (seen !== before) version++;
    },

    /** The user's answer about the remote at this address. Returns what it means. Rejects with StrataError REFUSED. */
    async answer(remote: string, isTeam: boolean): Promise<string> {
      const { identity } = await openToWrite();
      const at = new Date(clock.now()).toISOString();
      return (await import("./team.js")).noteAnswer({ files, identity, note }, { at, isTeam, remote });
    },
  };
}

async function beginLook(
  collection: string,
  { isBrief, open }: Pick<ReturnType<typeof createOpening>, "isBrief" | "open">,
  { clock, turns }: Pick<TrustPlaceOptions, "clock" | "turns">,
): Promise<Look> {
  const { identity, record } = await open();
  const atMs = isBrief() ? clock.now() - LAG_MS : await turns.nowMs();
  return { sinceMs: record.lookedMs(identity.root, collection), atMs, isNoted: false };
}

const named = (given: readonly NamedContents[]): NamedContents[] =>
  given.map(({ hash, name }) => ({ name, hash }));

/** Whose these files are, by the table above. */
async function judge(
  undecided: readonly KnownFile[],
  { clock, files, git, kind, turns }: TrustPlaceOptions,
  { identity, record, sinceMs }: Pick<Opened, "identity" | "record"> & Pick<Look, "sinceMs">,
): Promise<(RecordLine & { op: "own" | "foreign" })[]> {
  if (undecided.length === 0) return [];
  const isInTurn = await turns.findWindows(sinceMs ?? 0);
  const history = { logEnd: record.logOf(identity.root), nowMs: clock.now(), ownFolder: identity.git?.own };
  const origin = { files, git, isInTurn: await turns.findWindows(0), ...history };
  const verdicts = await Promise.all(undecided.map(judgeOne));
  const of = (wanted: "own" | ForeignCause): NamedContents[] =>
    named(undecided.filter((_, n) => verdicts[n] === wanted));
  return [
    { op: "foreign" as const, why: "repository" as const, files: of("repository") },
    { op: "foreign" as const, why: "agent" as const, files: of("agent") },
    { op: "own" as const, files: of("own") },
  ].filter((line) => line.files.length > 0);

  async function judgeOne(file: KnownFile): Promise<"own" | ForeignCause | undefined> {
    const isProject = kind === "project";
    if (sinceMs === undefined) return isProject ? "repository" : "own";
    const stat = await files.statItself(file.path);
    if (!stat) return undefined;
    const { changedMs, modifiedMs } = stat;
    if (isProject && Math.min(changedMs, modifiedMs) < sinceMs) return "repository";
    if (isInTurn(changedMs)) return "agent";
    return isProject && (await isFromGit(file, origin)) ? "repository" : "own";
  }
}

/** Finds out which project it is, and reads what this machine knows of it. */
function createOpening(options: TrustPlaceOptions) {
  const { accepted, files, folder, kind } = options;
  const unwritten: RecordLine[] = [];
  let { isBrief = false } = options;
  let opening: Promise<Opened> | undefined;
  let opened: Opened | undefined;
  let openings = 0;

  return {
    /** Opened once; after a failure it is tried again. */
    open,
    /** As opened last. */
    current: () => opened,
    isBrief: () => isBrief,
    version: () => openings + (opened?.record.version() ?? 0),

    /** Gives a project that was only looked at an ID, and writes down what was noted about it. */
    async openToWrite(): Promise<Opened> {
      await open();
      if (!isBrief) return open();
      isBrief = false;
      return reopen();
    },

    /** Opened, with what other processes have written since. */
    async readOn(): Promise<Opened> {
      const { identity, record } = await open();
      // Another process may have made the project known since.
      if (identity.id === "") return reopen();
      await record.readOn();
      return open();
    },

    /** Adds the line to the record; while nothing may be written, it waits for the first write. */
    async note(line: RecordLine): Promise<void> {
      const { record } = await open();
      if (!isBrief) return record.add(line);
      record.take(line);
      unwritten.push(line);
    },
  };

  function open(): Promise<Opened> {
    return opening ?? reopen();
  }

  function reopen(): Promise<Opened> {
    opening = read();
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  async function read(): Promise<Opened> {
    const root = (await files.realPath(folder)) ?? folder;
    const identity =
      kind === "global" ? { id: "global", root } : await identifyProject({ ...options, isBrief });
    const record = openRecord(identity.id, options);
    await record.readOn();
    if (!isBrief && !record.hasRoot(identity.root)) await noteRoot(record, identity, files);
    for (let [line] = unwritten; line && !isBrief; [line] = unwritten) {
      await record.add(line);
      unwritten.shift();
    }
    for (const line of unwritten) record.take(line);
    const mayBe = accepted.projects.length > 0 || accepted.remotes.length > 0;
    const isAcceptedForGood =
      mayBe && (await (await import("./team.js")).isAccepted(files, accepted, identity));
    opened = { identity, record, isAcceptedForGood };
    openings++;
    return opened;
  }
}

function identifyProject(
  options: Pick<TrustPlaceOptions, "files" | "folder" | "isBrief" | "stateFolder">,
): Promise<Identity> {
  const { files, folder, isBrief = false } = options;
  return identify({
    ...{ files, isBrief, project: folder },
    async isKnown(id, root) {
      const record = openRecord(id, options);
      await record.readOn();
      if (record.hasRoot(root)) return "here";
      return record.isBegun() ? "elsewhere" : "nowhere";
    },
    begin: (id, place) => noteRoot(openRecord(id, options), { id, ...place }, files),
  });
}

/** What says whose a project's memories are, if no other project shares it as one repository or worktree does. */
export async function findIdentityFiles(
  options: Pick<TrustPlaceOptions, "files" | "folder" | "stateFolder">,
): Promise<string[]> {
  const { git, id, root } = await identifyProject({ ...options, isBrief: true });
  if (id === "" || (git && (git.top !== root || git.own !== git.common))) return [];
  const record = join(options.stateFolder, "trust", `${id}.jsonl`);
  return git ? [record, join(git.common, ID_FILE)] : [record];
}

const openRecord = (
  id: string,
  { files, stateFolder }: Pick<TrustPlaceOptions, "files" | "stateFolder">,
): TrustRecord => createTrustRecord(files, join(stateFolder, "trust", `${id || "unknown"}.jsonl`));

async function noteRoot(record: TrustRecord, { git, root }: Identity, files: Files): Promise<void> {
  const log = git && (await readLogEnd(files, git));
  await record.add({ op: "root", root, ...(log !== undefined && { log }) });
}
