/** Shares memories over a git remote. */
import { join, resolve } from "node:path";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { countMemories, formatAge, formatCounted } from "../base/format.js";
import { toLine } from "../base/text.js";
import { type Files, readPlainText } from "../io/files.js";
import type { OpenMemories } from "../memory/store/store.js";
import { findGitFolder, listRemotes } from "../memory/trust/git.js";
import { UNREACHABLE } from "../sync/bare-repository.js";
import { createRemoteGit } from "../sync/remote-git.js";
import { createSync, type Synced } from "../sync/sync.js";
import {
  locateSync,
  NO_SYNC,
  openSyncFiles,
  type SyncConfig,
  type SyncPlace,
  type SyncState,
} from "../sync/sync-state.js";
import { findSecrets, withoutCredentials } from "../text/secrets/secrets.js";
import { type Style, WRONG_ARGUMENT } from "./command.js";
import { withMemories } from "./open-memories.js";
import { defineTerminalOperation, flag, option, text } from "./operation.js";
import { openLocks, type Project } from "./project.js";

const BRANCH = "strata-memory";
const GLOBAL_BRANCH = "strata-memory-global";
const NONE = "No remote is set up. Share these memories with: strata sync init REMOTE";

type Scope = SyncPlace["scope"];
type ConfiguredPlace = SyncPlace & { config: SyncConfig };

const isGlobal = flag.default(false).describe("only the global memories, which have a separate remote");

async function listPlaces(project: Project, isOnlyGlobal: boolean): Promise<ConfiguredPlace[]> {
  const places: ConfiguredPlace[] = [];
  for (const scope of isOnlyGlobal ? (["global"] as const) : (["project", "global"] as const)) {
    const place = await locatePlace(project, scope);
    const config = await openSyncFiles(project.cli.files, place).readConfig();
    if (config) places.push({ ...place, config });
  }
  return places;
}

const initInput = z.object({
  remote: text("must name a remote, such as origin or git@github.com:me/memories.git"),
  branch: option(z.string(), "name", `the branch on the remote (default ${BRANCH})`),
  mine: flag.default(false).describe("all memories there count as yours (default for a separate repository)"),
  team: flag
    .default(false)
    .describe("they are others' until you accept them (default for a remote of the project)"),
  global: isGlobal,
});

export const init = defineTerminalOperation(initInput, async (project, wanted) => {
  const { cli, root } = project;
  const { files, folder } = cli;
  const { mine, remote, team } = wanted;
  if (mine && team) throw new StrataError(WRONG_ARGUMENT, "use --mine or --team, not both");
  const scope = wanted.global ? ("global" as const) : ("project" as const);
  const { isProjects, url } = await chooseRemote(files, remote, { folder, root });
  const branch = checkBranch(wanted.branch ?? (scope === "global" ? GLOBAL_BRANCH : BRANCH));
  const isOwn = mine || (!team && !isProjects);
  const place = await locatePlace(project, scope);
  const stored = openSyncFiles(files, place);
  const before = await stored.readConfig();
  await stored.writeConfig({ url, branch, isOwn });
  if (before?.url !== url || before.branch !== branch) await stored.forget();
  return withMemories(project, async (memories) => {
    const { sync } = await openSync(project, memories, place);
    const outcome = await attempt(sync.pull).catch(async (thrown) => {
      // A branch that cannot be used replaces none that can.
      if (thrown instanceof StrataError && thrown.code === NO_SYNC) await stored.writeConfig(before);
      throw thrown;
    });
    const { notes, text } = describeOutcome(outcome, { isPush: false, scope, style: cli.style });
    const { lines } = await sync.plan();
    const waiting = `${formatCounted(lines.length, "change")} to push; send with: strata sync push`;
    const shown = [
      `${nameScope(scope)} are shared over ${withoutCredentials(url)}, branch ${branch}.`,
      isOwn ? MINE : TEAM,
      ...text,
      lines.length === 0 ? "Nothing to push." : waiting,
    ];
    return { text: shown.join("\n"), notes, isProblem: hasProblems(outcome) };
  });
});

const MINE =
  "Memories from there count as yours. If others write there too, run strata sync init with --team.";
const TEAM =
  "Memories from there count as the repository's until you accept them with strata trust. If only you write there, run strata sync init with --mine.";

const createExchange = (action: "push" | "pull") =>
  defineTerminalOperation(z.object({ global: isGlobal }), async (project, wanted) => {
    const places = await listPlaces(project, wanted.global);
    if (places.length === 0)
      throw new StrataError(NO_SYNC, "no remote is set up; set one up with: strata sync init REMOTE");
    return withMemories(project, async (memories) => {
      const data: Partial<Record<Scope, SyncOutcome>> = {};
      const told: ReturnType<typeof describeOutcome>[] = [];
      for (const place of places) {
        const { sync } = await openSync(project, memories, place);
        const outcome = await attempt(sync[action]);
        data[place.scope] = outcome;
        const how = { isPush: action === "push", scope: place.scope, style: project.cli.style };
        told.push(describeOutcome(outcome, how));
      }
      return {
        text: told.flatMap(({ text }) => text).join("\n"),
        notes: told.flatMap(({ notes }) => notes),
        data,
        isProblem: Object.values(data).some(hasProblems),
      };
    });
  });

export const push = createExchange("push");
export const pull = createExchange("pull");

/** An unreachable remote is a result to report, not an error. */
type SyncOutcome = Synced | { unreachable: string };

async function attempt(run: () => Promise<Synced>): Promise<SyncOutcome> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof StrataError) || thrown.code !== UNREACHABLE) throw thrown;
    return { unreachable: thrown.message };
  }
}

const hasProblems = (outcome: SyncOutcome): boolean =>
  "unreachable" in outcome || outcome.conflicts.length + outcome.refused.length + outcome.deferred.length > 0;

const SHOWN = 20;

const nameScope = (scope: Scope): string =>
  scope === "global" ? "Global memories" : "Memories of this project";

function describeOutcome(
  outcome: SyncOutcome,
  { isPush, scope, style }: { isPush: boolean; scope: Scope; style: Style },
): { text: string[]; notes: string[] } {
  const listSome = (title: string, lines: readonly string[]): string[] => [
    ...lines.slice(0, SHOWN).map((line) => `${style.yellow(title)}  ${toLine(line, 400)}`),
    ...(lines.length > SHOWN ? [`${style.yellow(title)}  and ${lines.length - SHOWN} more`] : []),
  ];
  if ("unreachable" in outcome) return { text: [], notes: listSome("Not reached", [outcome.unreachable]) };
  const { conflicts, deferred, earlier, foreign, ids, refused, sent } = outcome;
  const changed = `${countMemories(ids.length)} changed here`;
  const settle = conflicts.map((path) => `both versions are in ${path}; settle it with strata reconcile`);
  const explain = ({ id, why }: { id: string; why: string }): string => `${id}: ${why}`;
  return {
    text: [
      `${nameScope(scope)}: ${changed}${isPush ? `, ${formatCounted(sent, "change")} sent` : ""}.`,
      ...(earlier > 0
        ? [`${formatCounted(earlier, "earlier version stays", "earlier versions stay")} on this machine.`]
        : []),
      ...(foreign > 0
        ? [`${countMemories(foreign)} came with the repository and stayed here; strata trust lists them.`]
        : []),
    ],
    notes: [
      ...listSome("Changed", ids),
      ...listSome("Conflict", settle),
      ...listSome("Not sent", refused.map(explain)),
      ...listSome("Left out", deferred.map(explain)),
    ],
  };
}

type SyncStatus = { config: SyncConfig; state: SyncState; pending: number; refused: SyncState["refused"] };

export const status = defineTerminalOperation(z.object({ global: isGlobal }), async (project, wanted) => {
  const places = await listPlaces(project, wanted.global);
  if (places.length === 0) return { text: NONE, data: {} };
  const data: Partial<Record<Scope, SyncStatus>> = {};
  await withMemories(project, async (memories) => {
    for (const { config, ...place } of places) {
      const { stored, sync } = await openSync(project, memories, place);
      const { lines, refused } = await sync.plan();
      data[place.scope] = { config, state: await stored.readState(), pending: lines.length, refused };
    }
  });
  const nowMs = project.cli.clock.now();
  const lines = Object.entries(data).map(([scope, found]) => formatStatus(scope as Scope, found, nowMs));
  return { text: lines.join("\n"), data };
});

function formatStatus(scope: Scope, { config, pending, refused, state }: SyncStatus, nowMs: number): string {
  const age = (ms: number | undefined): string => (ms === undefined ? "never" : formatAge(ms, nowMs));
  const whose = config.isOwn ? "all yours" : "others' until you accept them";
  return [
    `${nameScope(scope)}: ${withoutCredentials(config.url)}, branch ${config.branch} (${whose})`,
    `  pulled ${age(state.pulledMs)}, pushed ${age(state.pushedMs)}, ${formatCounted(pending, "change")} to push`,
    ...(state.failure === undefined ? [] : [`  the last attempt failed: ${toLine(state.failure, 300)}`]),
    ...refused.slice(0, SHOWN).map(({ id, why }) => `  not sent: ${id}: ${toLine(why, 300)}`),
    ...state.deferred.slice(0, SHOWN).map(({ id, why }) => `  left out: ${id}: ${toLine(why, 300)}`),
  ].join("\n");
}

/** Long, since the user waits and can press Ctrl-C. */
const NETWORK_MS = 300_000;

const locatePlace = ({ cli, folders, stateFolder }: Project, scope: Scope): Promise<SyncPlace> =>
  locateSync(cli.files, scope, { project: folders.memoryProject, stateFolder });

/** Opens the sync of this place, with the user's git. */
async function openSync(project: Project, memories: Pick<OpenMemories, "exchange">, place: SyncPlace) {
  const { cli, instance } = project;
  const { clock, files } = cli;
  const sync = createSync({
    ...{ clock, files, instance, place },
    exchange: memories.exchange,
    git: createRemoteGit(cli.env, clock),
    locks: openLocks(project, `${instance} sync`),
    machinePaths: await listMachinePaths(project),
    networkMs: NETWORK_MS,
  });
  return { sync, stored: openSyncFiles(files, place) };
}

/** Folders of this machine, as written and with links resolved. */
async function listMachinePaths({ cli, globalFolder, root, stateFolder }: Project): Promise<string[]> {
  const own = [cli.home, root, globalFolder, stateFolder];
  const real = await Promise.all(own.map((path) => cli.files.realPath(path).catch(() => undefined)));
  return [...own, ...real.flatMap((path) => path ?? [])];
}

/* Reads a remote as the user names it: a URL, a folder, or the name of one of the project's remotes. */

/** `isProjects`: a remote of the project's code, so others may write there. */
async function chooseRemote(
  files: Files,
  given: string,
  { folder, root }: { folder: string; root: string },
): Promise<{ url: string; isProjects: boolean }> {
  if (given.startsWith("-")) throw wrong(`"${given}"`);
  const remotes = await readRemotes(files, root);
  const named = remotes.find(({ name }) => name === given);
  const url = named?.url ?? resolveIn(folder, given);
  // An unpacked repository can bring its own configuration, and git would run the program that this option names.
  if (url.startsWith("-")) throw wrong("a URL that git reads as an option,");
  if (/^[a-z][\w.+-]*::/i.test(url)) throw wrong(`"${given}", which runs a program,`);
  const [, user = ""] = /\/\/([^/@]*)@/.exec(url) ?? [];
  if (user.includes(":") || findSecrets(url).length > 0)
    throw wrong("a URL with a password or key; use git's credential helper or ssh instead");
  return { url, isProjects: named !== undefined || remotes.some((one) => one.url === url) };
}

function checkBranch(branch: string): string {
  const isName = /^[\w][\w./-]{0,100}$/.test(branch) && !/\.\.|\/\/|\.lock(\/|$)|[./]$/.test(branch);
  const why = `--branch must be a branch name, such as strata-memory, not "${branch}"`;
  if (!isName) throw new StrataError(WRONG_ARGUMENT, why);
  return branch;
}

/** `scheme://…` or `host:path`, but not a path with a drive letter; everything else is a folder. */
const isAddress = (given: string): boolean =>
  /^[a-z][a-z0-9+.-]*(:\/\/|::)/i.test(given) || /^[^/\\]{2,}:[^\\]/.test(given);

const resolveIn = (folder: string, given: string): string =>
  isAddress(given) ? given : resolve(folder, given);

/** Resolves folders from the top of the work tree, as git does. */
async function readRemotes(files: Files, root: string): Promise<{ name: string; url: string }[]> {
  const git = await findGitFolder(files, (await files.realPath(root)) ?? root);
  if (typeof git === "string") return [];
  const remotes = listRemotes(await readPlainText(files, join(git.common, "config")));
  return remotes.map(({ name, url }) => ({ name, url: resolveIn(git.top, url) }));
}

function wrong(came: string): StrataError {
  const why = `expected a git remote, such as origin, git@github.com:me/memories.git or /mnt/usb/memories.git, got ${came}`;
  return new StrataError(WRONG_ARGUMENT, why);
}
