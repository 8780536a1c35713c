/**
 * The border between what this user said or made on this machine, and what came from elsewhere: with a repository, or
 * from an agent that wrote into the folder by itself. Only the former speaks as the user.
 *
 *     own       the store wrote it for this user, or it was changed here between turns, outside of pull, checkout, merge
 *     foreign   everything else, until the user accepts it; what changes after that waits for one more accept
 *
 * What counts is the hash of the contents with the name they stand under. It is kept in the user's state folder, which
 * no repository reaches. Without that folder nothing is known but what this process has written.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError, StrataError } from "../error.js";
import type { Log } from "../record/log.js";
import type { RunningProcesses } from "../seams/processes.js";
import { createGround, type GroundOptions, type TrustGround } from "./ground.js";
import type { Acceptance, NamedContents } from "./record.js";
import { createTurns, type Turns } from "./turns.js";
import type { FoundFile } from "./verdict.js";

export interface Trust {
  /** Before the files of a shelf (`""`, `private/`, `global/`, …) are looked at. Never rejects. */
  prepareLook(shelf: string): Promise<void>;
  /** Decides about contents of which nothing is known yet, and takes in what others have decided. Never rejects. */
  settle(shelf: string, found: readonly FoundFile[]): Promise<void>;
  isOwn(file: NamedContents): boolean;
  /** Takes in what other processes have written down since, of what is about this shelf. Never rejects. */
  refresh(shelf: string): Promise<void>;
  /** Is it known whose they are? */
  isDecided(file: NamedContents): boolean;
  /** Names the place of a shelf, in a way that no repository can guess; `undefined` where it has no name. Never rejects. */
  nameOwner(shelf: string): Promise<string | undefined>;
  /** Is about to be written for the user. Never rejects. */
  own(files: readonly NamedContents[]): Promise<void>;
  /** Is about to be written out of what is not the user's. Never rejects. */
  disown(files: readonly NamedContents[]): Promise<void>;
  /** The user takes these for his own. Rejects with the system's error, and with AGENT where an agent would do it. */
  accept(files: readonly NamedContents[], why: string): Promise<void>;
  /** Takes back what was accepted last; `undefined` where nothing is. Rejects with the system's error. */
  revoke(): Promise<Acceptance | undefined>;
  /** Is told when something that was not decided by `settle` counts in another way. */
  onChange(listener: () => void): void;
  readonly turns: Pick<Turns, "begin" | "end" | "endAll" | "onIdle">;
  /** Another one whenever `isOwn` may answer otherwise. */
  readonly version: number;
  /** Does it follow the project, or only look at it once? */
  readonly isWatching: boolean;
}

export interface TrustOptions extends Omit<GroundOptions, "kind" | "folder" | "turns"> {
  log: Pick<Log, "warn">;
  processes: RunningProcesses;
  instance: string;
  project: string;
  globalFolder: string;
  /** Is this an agent's doing? Then nothing of what it has written is the user's. */
  isAgent?: boolean;
  /**
   * Serves tools to an agent outside OpenCode. Memories that they write name the agent as their source and are stored as
   * by the plugin's own tools. The user cannot accept memories through them.
   */
  isToolServer?: boolean;
  /** Only looks: a folder that is not there yet is not noted. */
  isBrief?: boolean;
}

const GLOBAL = "global/";
/** Where in the user's state folder it stands when agents were at work. */
export const TURNS = "turns";

export function createTrust(options: TrustOptions): Trust {
  const { globalFolder, instance, isAgent = false, isBrief = false, isToolServer = false } = options;
  const { stateFolder } = options;
  const listeners: (() => void)[] = [];
  const { guard, report } = createGuard(options);
  const turns = createTurns({
    ...options,
    folder: join(stateFolder, TURNS),
    instance: `${instance}-${randomUUID().slice(0, 8)}`,
    onFailure: report,
  });
  const project = createGround({ ...options, kind: "project", folder: options.project, turns });
  const global = createGround({ ...options, kind: "global", folder: globalFolder, turns });
  const groundOf = (name: string): TrustGround => (name.startsWith(GLOBAL) ? global : project);

  return {
    turns,
    isWatching: !isBrief,
    get version() {
      return project.version + global.version;
    },

    prepareLook: (shelf) => guard(() => groundOf(shelf).prepareLook(shelf)),
    settle: (shelf, found) => guard(() => groundOf(shelf).settle(shelf, found)),

    refresh: (shelf) => guard(() => groundOf(shelf).refresh()),
    isOwn: (file) => groundOf(file.name).isOwn(file),
    isDecided: (file) => groundOf(file.name).isDecided(file),
    nameOwner: async (shelf) => (await guard(groundOf(shelf).identify))?.id,

    async own(files) {
      const isAgents = !isToolServer && (await isAnAgents());
      await each(files, (ground, its) => (isAgents ? ground.disown(its, "agent") : ground.own(its)));
    },

    async disown(files) {
      await each(files, (ground, its) => ground.disown(its, "repository"));
    },

    async accept(files, why) {
      await refuseAgent();
      for (const ground of [project, global]) {
        const its = files.filter(({ name }) => groundOf(name) === ground);
        if (its.length > 0) await ground.accept(its, why);
      }
      tell();
    },

    async revoke() {
      await refuseAgent();
      const last = [project, global].flatMap((ground) => {
        const acceptance = ground.acceptances().at(-1);
        return acceptance ? [{ acceptance, ground }] : [];
      });
      last.sort((a, b) => (a.acceptance.at < b.acceptance.at ? 1 : -1));
      const [newest] = last;
      await newest?.ground.revoke(newest.acceptance.run);
      if (newest) tell();
      return newest?.acceptance;
    },

    onChange: (listener) => void listeners.push(listener),
  };

  async function each(
    files: readonly NamedContents[],
    action: (ground: TrustGround, its: readonly NamedContents[]) => Promise<void>,
  ): Promise<void> {
    for (const ground of [project, global]) {
      const its = files.filter(({ name }) => groundOf(name) === ground);
      if (its.length > 0) await guard(() => action(ground, its));
    }
  }

  /** What an agent starts, another OpenCode too, has its words and not the user's. */
  async function isAnAgents(): Promise<boolean> {
    return isAgent || ((await guard(turns.isWithinTurn)) ?? false);
  }

  async function refuseAgent(): Promise<void> {
    if (!isToolServer && !(await isAnAgents())) return;
    throw new StrataError(
      "AGENT",
      "an agent cannot accept memories for you, and this shell is one's, or one is at work and this is no terminal; run it in a terminal of your own, or type /memory-trust in the session",
    );
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }
}

/** Reports a failure once. What cannot be known is not the user's; nothing else fails because of it. */
function createGuard({ log, stateFolder }: Pick<TrustOptions, "log" | "stateFolder">) {
  let isReported = false;
  return { guard, report };

  async function guard<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (thrown) {
      report(thrown);
      return undefined;
    }
  }

  function report(thrown: unknown): void {
    const what = `${stateFolder} cannot be used, so memories that this machine made before count as the repository's: ${formatError(thrown)}`;
    if (!isReported) log.warn("trust", what);
    isReported = true;
  }
}
