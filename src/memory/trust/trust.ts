/**
 * Tells what this user said or made on this machine from what came from elsewhere: with a repository, or from an agent
 * that wrote into the folder by itself. Only the former speaks as the user.
 *
 *     own       the store wrote it for this user, or it was changed here between turns, outside of pull, checkout, merge
 *     foreign   everything else, until the user accepts it; what changes after that waits for one more accept
 *
 * The hash of the contents counts, and is kept in the user's state folder, which no repository reaches. Without that
 * folder nothing is known but what this process has written.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { countMemories } from "../../base/format.js";
import type { Host } from "../../io/host.js";
import type { Log } from "../../io/log.js";
import type { RunningProcesses } from "../../io/running-processes.js";
import type { Toasts } from "../../io/toasts.js";
import type { Folders } from "../../project/folders.js";
import { createTrustPlace, type TrustPlace, type TrustPlaceOptions } from "./place.js";
import { type Acceptance, createTurns, type ForeignCause, type NamedContents, type Turns } from "./record.js";
import type { KnownFile } from "./team.js";

export type Trust = ReturnType<typeof createTrust>;

export interface TrustOptions extends Omit<TrustPlaceOptions, "kind" | "folder" | "turns"> {
  log: Pick<Log, "warn">;
  processes: RunningProcesses;
  instance: string;
  project: string;
  globalFolder: string;
  /** Does an agent run this? Then nothing that it writes is the user's. */
  isAgent?: boolean;
  /**
   * Serves tools to an agent outside OpenCode. Memories that they write name the agent as their source and are stored as
   * by the plugin's own tools. The user cannot accept memories through them.
   */
  isToolServer?: boolean;
}

const GLOBAL = "global/";
/** Folder of the turns in the user's state folder. */
export const TURNS = "turns";

/** `collection` is the prefix of its memories' names: `""`, `private/`, `global/`, … */
export function createTrust(options: TrustOptions) {
  const { globalFolder, instance, isBrief = false, isToolServer = false, stateFolder } = options;
  const listeners: (() => void)[] = [];
  const { guard, report } = createGuard(options);
  const turns = createTurns({
    ...options,
    folder: join(stateFolder, TURNS),
    instance: `${instance}-${randomUUID().slice(0, 8)}`,
    onFailure: report,
  });
  const project = createTrustPlace({ ...options, kind: "project", folder: options.project, turns });
  const global = createTrustPlace({ ...options, kind: "global", folder: globalFolder, turns });
  const { isAnAgents, refuseAgent } = createAgentCheck(options, () => guard(turns.isWithinTurn));
  const placeOf = (name: string): TrustPlace => (name.startsWith(GLOBAL) ? global : project);

  return {
    turns: turns as Pick<Turns, "begin" | "end" | "endAll" | "onIdle">,
    /** Does it follow the project, or only look at it once? */
    isWatching: !isBrief,
    /** Differs whenever `isOwn` and `team.authorOf` may answer otherwise. */
    get version(): number {
      return project.version() + global.version();
    },

    /** Before the files of a collection are looked at. Never rejects. */
    prepareLook: (collection: string) => guard(() => placeOf(collection).prepareLook(collection)),
    /** Decides whose the files are of which nothing is known yet, after reading what others have decided. Never rejects. */
    classify: (collection: string, all: readonly KnownFile[]) =>
      guard(() => placeOf(collection).classify(collection, all)),
    /** Reads what other processes have decided since about this collection. Never rejects. */
    refresh: (collection: string) => guard(placeOf(collection).refresh),
    isOwn: ({ hash, name }: NamedContents) => placeOf(name).isOwn(hash),
    /** Is it known to be own or foreign? */
    isDecided: ({ hash, name }: NamedContents) => placeOf(name).isDecided(hash),

    /** Call before these are written for the user. Never rejects. */
    async own(files: readonly NamedContents[]): Promise<void> {
      const isAgents = !isToolServer && (await isAnAgents());
      await inEach(files, (place, its) =>
        guard(() => (isAgents ? place.disown(its, "agent") : place.own(its))),
      );
    },

    /** Call before these are written from what is not the user's. Never rejects. */
    disown: (files: readonly NamedContents[]) =>
      inEach(files, (place, its) => guard(() => place.disown(its, "repository"))),

    /** The user accepts these files. Rejects with the system's error, and with AGENT where an agent would do it. */
    async accept(files: readonly NamedContents[], why: string): Promise<void> {
      await refuseAgent();
      await inEach(files, (place, its) => place.accept(its, why));
      for (const listener of listeners) listener();
    },

    /** Takes back what was accepted last; `undefined` where nothing is. Rejects as `accept`. */
    async revoke(): Promise<Acceptance | undefined> {
      await refuseAgent();
      const last = findLatest([project, global]);
      if (!last) return undefined;
      await last.place.revoke(last.acceptance.run);
      for (const listener of listeners) listener();
      return last.acceptance;
    },

    /** The user's team, and the question whether it is one. An answer by an agent rejects as `accept`. */
    team: {
      authorOf: project.team.authorOf,
      question: project.team.question,
      async answer(address: string, isTeam: boolean): Promise<string> {
        await refuseAgent();
        const means = await project.team.answer(address, isTeam);
        for (const listener of listeners) listener();
        return means;
      },
    },

    /** Called after `accept`, `revoke` and an answer. */
    onChange: (listener: () => void) => void listeners.push(listener),
  };

  async function inEach(
    files: readonly NamedContents[],
    action: (place: TrustPlace, its: readonly NamedContents[]) => Promise<void>,
  ): Promise<void> {
    for (const place of [project, global]) {
      const its = files.filter(({ name }) => placeOf(name) === place);
      if (its.length > 0) await action(place, its);
    }
  }
}

function createAgentCheck(
  { isAgent, isToolServer }: Pick<TrustOptions, "isAgent" | "isToolServer">,
  isWithinTurn: () => Promise<boolean | undefined>,
) {
  return { isAnAgents, refuseAgent };

  /** Everything that an agent starts, another OpenCode included, writes the agent's words. */
  async function isAnAgents(): Promise<boolean> {
    return isAgent || ((await isWithinTurn()) ?? false);
  }

  async function refuseAgent(): Promise<void> {
    if (!isToolServer && !(await isAnAgents())) return;
    throw new StrataError(
      "AGENT",
      "an agent cannot accept memories for you, and this command was run by one, or without a terminal while one works; run it in your own terminal, or type /memory-trust in the session",
    );
  }
}

/** What was accepted last, and where. */
const findLatest = (places: readonly TrustPlace[]) =>
  places
    .flatMap((place) => place.acceptances().map((acceptance) => ({ acceptance, place })))
    .sort((a, b) => (a.acceptance.at < b.acceptance.at ? -1 : 1))
    .at(-1);

/** What cannot be known is not the user's; nothing else fails because of it. */
function createGuard({ log, stateFolder }: Pick<TrustOptions, "log" | "stateFolder">) {
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
    log.warn(
      "trust",
      `${stateFolder} cannot be used, so memories that this machine made before count as the repository's: ${formatError(thrown)}`,
    );
  }
}

export interface OpenTrustOptions extends Pick<TrustOptions, "accepted" | "clock" | "files" | "instance"> {
  folders: Folders;
  host: Host;
  log: Log;
  toasts: Toasts;
}

/** Folders are checked one after the other; findings within this time are reported together. */
const TOGETHER_MS = 500;

/** Trust with a running host, which tells the user in one line about memories that are not theirs. */
export function openTrust(options: OpenTrustOptions): Trust {
  const { clock, folders, host, log, toasts } = options;
  const { git, globalFolder, processes, stateFolder } = host;
  const counts = new Map<ForeignCause, number>();
  const trust = createTrust({
    ...options,
    ...{ git, globalFolder, processes, stateFolder },
    project: folders.project,
    onForeign(cause, count) {
      if (counts.size === 0) clock.after(TOGETHER_MS, notify);
      counts.set(cause, (counts.get(cause) ?? 0) + count);
    },
  });
  return trust;

  function notify(): void {
    for (const [cause, count] of counts) {
      const { address, remote } = trust.team.question() ?? {};
      const asks = remote === undefined ? "" : `, and asks whether ${remote} (${address}) is your team's`;
      const what = `${formatForeign(cause, count)}${asks}`;
      // As information: the log reports the same warning only once a day.
      log.info("trust", what);
      toasts.show(what, "warning");
    }
    counts.clear();
  }
}

function formatForeign(cause: ForeignCause, count: number): string {
  const come =
    cause === "repository"
      ? `${countMemories(count)} came with this repository`
      : `${countMemories(count)} changed on disk while the agent worked`;
  return `${come} and ${count === 1 ? "is" : "are"} not shown as your words; /memory-trust shows and accepts them`;
}
