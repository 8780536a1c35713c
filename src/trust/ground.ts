/** What is known of one place that memories lie in: a project, or the user's own folder for what holds everywhere. */
import type { Identity } from "./identity.js";
import { createOpening, type OpeningOptions } from "./opening.js";
import type { Acceptance, NamedContents } from "./record.js";
import { createSettling, FROM_AGENT, planAcceptance, type SettlingOptions, toNamed } from "./settling.js";
import type { ForeignCause } from "./teller.js";
import type { FoundFile } from "./verdict.js";

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

export type GroundOptions = OpeningOptions & SettlingOptions;

/** At the files of a shelf, the first one of this process. */
interface Look {
  /** When they were looked at before that; `undefined` when they never were. */
  sinceMs: number | undefined;
  atMs: number;
}

export function createGround(options: GroundOptions): TrustGround {
  const { clock, turns } = options;
  const opening = createOpening(options);
  const { open, openToWrite } = opening;
  const settle = createSettling(options);
  const looks = new Map<string, Promise<Look>>();
  /** Held here where they cannot be written down. */
  const mine = new Set<string>();

  return {
    get version() {
      const opened = opening.current();
      return mine.size + (opened ? 1 + opened.record.version : 0);
    },

    identify: async () => (await open()).identity,

    async refresh() {
      const { identity, record } = await open();
      // Another process may have made the project known since.
      await (identity.id === "" ? opening.again() : record.readOn());
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
      await record.readOn();
      const undecided = found.filter((file) => !record.isDecided(file));
      const isBrief = opening.isBrief();
      const isSettled =
        undecided.length === 0 ||
        (await settle(undecided, { identity, isBrief, record, sinceMs: look.sinceMs }));
      // What is there by now is decided; the next time is about what has come since.
      if (isSettled) look.sinceMs = look.atMs;
    },

    isOwn(file) {
      if (mine.has(`${file.name}\n${file.hash}`)) return true;
      const opened = opening.current();
      if (!opened) return false;
      const { isAcceptedForGood, record } = opened;
      return record.isOwn(file) || (isAcceptedForGood && !record.isForeign(file.hash, FROM_AGENT));
    },

    isDecided: (file) => opening.current()?.record.isDecided(file) ?? false,

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
      await (await openToWrite()).record.add(planAcceptance(given, why, clock.now()));
    },

    acceptances: () => opening.current()?.record.acceptances() ?? [],
    revoke: async (run) => (await openToWrite()).record.add({ op: "revoke", run }),
  };

  async function beginLook(shelf: string): Promise<Look> {
    const { identity, record } = await open();
    const sinceMs = record.lookedMs(identity.root, shelf);
    if (opening.isBrief()) return { sinceMs, atMs: clock.now() };
    const atMs = await turns.nowMs();
    await record.add({ op: "look", root: identity.root, shelf, at: atMs });
    return { sinceMs, atMs };
  }
}
