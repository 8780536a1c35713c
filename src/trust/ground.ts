/** What is known of one place that memories lie in: a project, or the user's own folder for what holds everywhere. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DAY_MS } from "../days.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import { type AcceptedPlaces, isAccepted } from "./accepted.js";
import { findBroughtFiles } from "./brought-files.js";
import { readLogEnd, readOwnCommits } from "./git-log.js";
import { type Identity, identify } from "./identity.js";
import {
  type Acceptance,
  createTrustRecord,
  type NamedContents,
  type RecordLine,
  type TrustRecord,
} from "./record.js";
import type { ForeignCause, TrustTeller } from "./teller.js";
import { KEPT_DAYS, type Turns } from "./turns.js";
import { type FoundFile, judge } from "./verdict.js";

export interface TrustGround {
  /** Another one whenever `isOwn` may answer otherwise. */
  readonly version: number;
  identify(): Promise<Identity>;
  /** Takes in what others have written down since. */
  refresh(): Promise<void>;
  prepareLook(shelf: string): Promise<void>;
  settle(shelf: string, found: readonly FoundFile[]): Promise<void>;
  isOwn(file: NamedContents): boolean;
  isDecided(file: NamedContents): boolean;
  own(files: readonly NamedContents[]): Promise<void>;
  disown(files: readonly NamedContents[], why: ForeignCause): Promise<void>;
  accept(files: readonly NamedContents[], why: string): Promise<void>;
  acceptances(): readonly Acceptance[];
  revoke(run: string): Promise<void>;
}

export interface GroundOptions {
  clock: Clock;
  files: Files;
  /** Where this machine keeps what it knows of all projects. */
  stateFolder: string;
  /** Without it every change that git might have brought is foreign. */
  git: Git | undefined;
  /** Those that the user's own configuration names. */
  accepted: AcceptedPlaces;
  /** Was what is found at the first look kept here by an earlier version? */
  isKeptHere?: () => Promise<boolean | "unknown">;
  teller?: TrustTeller;
  /** Only looks: nothing is written down but what the user does. */
  isBrief?: boolean;
  kind: "project" | "global";
  folder: string;
  turns: Turns;
}

interface Open {
  identity: Identity;
  record: TrustRecord;
  isAcceptedForGood: boolean;
}

/** At the files of a shelf, the first one of this process. */
interface Look {
  /** When they were looked at before that; `undefined` when they never were. */
  sinceMs: number | undefined;
  atMs: number;
}

/** As the records have it: why something is not the user's. */
const FROM_AGENT = "agent" as const;

export function createGround(options: GroundOptions): TrustGround {
  const { accepted, clock, files, folder, git, kind, stateFolder, teller, turns } = options;
  let { isBrief = false } = options;
  const looks = new Map<string, Promise<Look>>();
  /** Held here where they cannot be written down. */
  const mine = new Set<string>();
  let opening: Promise<Open> | undefined;
  let opened: Open | undefined;
  let kept: Promise<boolean | "unknown"> | undefined;

  return {
    get version() {
      return mine.size + (opened ? 1 + opened.record.version : 0);
    },

    identify: async () => (await open()).identity,

    async refresh() {
      const { identity, record } = await open();
      // Somebody may have made the project known since.
      if (identity.id === "") opening = keep(readOpen(isBrief));
      await (identity.id === "" ? opening : record.readOn());
    },

    /** The time is taken before the files are looked at: what changes meanwhile is newer. */
    async prepareLook(shelf) {
      const begun = looks.get(shelf) ?? beginLook(shelf);
      looks.set(shelf, begun);
      begun.catch(() => looks.delete(shelf));
      await begun;
    },

    async settle(shelf, found) {
      const { identity, record } = await open();
      const look = await looks.get(shelf);
      if (!look) return;
      const { sinceMs } = look;
      await record.readOn();
      const undecided = found.filter((file) => !record.isDecided(file));
      // What is there by now is decided here; the next time is about what has come since.
      const finish = (): void => {
        look.sinceMs = look.atMs;
      };
      if (undecided.length === 0) return finish();
      const ground = {
        sinceMs,
        isForeign: record.isForeign,
        isKnownOwn: record.isKnownOwn,
        isInTurn: await turns.findWindows(sinceMs ?? 0),
        firstSeen: kind === "project" ? ("foreign" as const) : ("own" as const),
      };
      const wasKept = sinceMs === undefined && kind === "project" && (await isKeptHere());
      if (wasKept === "unknown") return;
      if (wasKept) {
        await accept(record, undecided, "an earlier version kept them here");
        teller?.tellAccepted(undecided.length);
        return finish();
      }
      const verdicts = undecided.map((file) => ({ file, verdict: judge(file, ground) }));
      const of = (wanted: string) =>
        verdicts.flatMap(({ file, verdict }) => (verdict === wanted ? [file] : []));
      const byHand = await splitBrought({ identity, record }, of("unless-brought"));
      const own = [...of("own"), ...byHand.own];
      const put = async (line: RecordLine & { files: readonly NamedContents[] }): Promise<void> => {
        if (line.files.length === 0) return;
        if (line.op === "foreign") teller?.tellForeign(line.why, line.files.length);
        if (isBrief) record.note(line);
        else await record.add(line);
      };
      await put({
        op: "foreign",
        why: "repository",
        files: [...of("found"), ...byHand.brought].map(toNamed),
      });
      await put({ op: "foreign", why: FROM_AGENT, files: of(FROM_AGENT).map(toNamed) });
      await put({ op: "own", files: own.map(toNamed) });
      finish();
    },

    isOwn: (file) =>
      mine.has(`${file.name}\n${file.hash}`) ||
      (opened !== undefined &&
        (opened.record.isOwn(file) ||
          (opened.isAcceptedForGood && !opened.record.isForeign(file.hash, FROM_AGENT)))),

    isDecided: (file) => opened?.record.isDecided(file) ?? false,

    async own(own) {
      for (const { hash, name } of own) mine.add(`${name}\n${hash}`);
      const { record } = await openToWrite();
      const added = own.filter((file) => !record.isOwn(file));
      if (added.length > 0) await record.add({ op: "own", files: added.map(toNamed) });
    },

    async disown(given, why) {
      const { record } = await openToWrite();
      const added = given.filter((file) => !record.isDecided(file));
      if (added.length > 0) await record.add({ op: "foreign", why, files: added.map(toNamed) });
    },

    async accept(given, why) {
      await accept((await openToWrite()).record, given, why);
    },

    acceptances: () => opened?.record.acceptances() ?? [],
    revoke: async (run) => (await openToWrite()).record.add({ op: "revoke", run }),
  };

  async function accept(record: TrustRecord, given: readonly NamedContents[], why: string): Promise<void> {
    const at = new Date(clock.now()).toISOString();
    await record.add({ op: "accept", run: randomUUID().slice(0, 8), at, why, files: given.map(toNamed) });
  }

  /** Asked until there is an answer. */
  function isKeptHere(): Promise<boolean | "unknown"> {
    kept ??= (async () => {
      const answer = (await options.isKeptHere?.()) ?? false;
      if (answer === "unknown") kept = undefined;
      return answer;
    })();
    return kept;
  }

  function open(): Promise<Open> {
    opening ??= keep(readOpen(isBrief));
    return opening;
  }

  /** What was only looked at has no place yet that something could be written to. */
  async function openToWrite(): Promise<Open> {
    const known = await open();
    if (!isBrief) return known;
    isBrief = false;
    opening = keep(readOpen(false));
    return opening;
  }

  async function keep(reading: Promise<Open>): Promise<Open> {
    try {
      opened = await reading;
      return opened;
    } catch (thrown) {
      // A disk that could not be read now may be read later.
      opening = undefined;
      throw thrown;
    }
  }

  async function readOpen(isLook: boolean): Promise<Open> {
    if (kind === "global") {
      const root = (await files.realPath(folder)) ?? folder;
      return openRecord({ id: "global", root }, isLook);
    }
    const identity = await identify({
      files,
      project: folder,
      isBrief: isLook,
      async isKnown(id, root) {
        const record = createTrustRecord(files, locate(id));
        await record.readOn();
        if (record.hasRoot(root)) return "here";
        return record.isBegun ? "elsewhere" : "nowhere";
      },
      begin: (id, place) => noteRoot(createTrustRecord(files, locate(id)), { id, ...place }),
    });
    return openRecord(identity, isLook);
  }

  function locate(id: string): string {
    return join(stateFolder, "trust", `${id || "unknown"}.jsonl`);
  }

  async function openRecord(identity: Identity, isLook: boolean): Promise<Open> {
    const record = createTrustRecord(files, locate(identity.id));
    await record.readOn();
    if (!isLook && !record.hasRoot(identity.root)) await noteRoot(record, identity);
    return { identity, record, isAcceptedForGood: await isAccepted(files, accepted, identity) };
  }

  async function noteRoot(record: TrustRecord, { git, root }: Identity): Promise<void> {
    const log = git && (await readLogEnd(files, git));
    await record.add({ op: "root", root, ...(log !== undefined && { log }) });
  }

  async function beginLook(shelf: string): Promise<Look> {
    const { identity, record } = await open();
    const sinceMs = record.lookedMs(identity.root, shelf);
    if (isBrief) return { sinceMs, atMs: clock.now() };
    const atMs = await turns.nowMs();
    await record.add({ op: "look", root: identity.root, shelf, at: atMs });
    return { sinceMs, atMs };
  }

  /** Where git is not there to say, what could have been brought counts as brought. */
  async function splitBrought(
    { identity, record }: Pick<Open, "identity" | "record">,
    given: readonly FoundFile[],
  ): Promise<{ own: FoundFile[]; brought: FoundFile[] }> {
    if (given.length === 0 || kind === "global") return { own: [...given], brought: [] };
    const broughtPaths = await findBroughtFiles(given, {
      files,
      git,
      readOwnCommits: async (place) =>
        readOwnCommits(files, place, {
          // What is no log of this work tree's has no end that is known: nobody is taken for its author.
          logEnd: record.logOf(identity.root),
          knownSinceMs: place.own === identity.git?.own ? clock.now() - KEPT_DAYS * DAY_MS : Infinity,
          isInTurn: await turns.findWindows(0),
        }),
    });
    const isBrought = ({ path }: FoundFile): boolean => broughtPaths.has(path);
    return { own: given.filter((file) => !isBrought(file)), brought: given.filter(isBrought) };
  }
}

const toNamed = ({ hash, name }: NamedContents): NamedContents => ({ name, hash });
