/** `strata sync`: shares memories over a git remote. */
import { join, resolve } from "node:path";
import { StrataError } from "../../base/error.js";
import { countMemories, formatAge, formatCounted } from "../../base/format.js";
import { createRemoteGit } from "../../host/remote-git.js";
import { type Files, readPlainText } from "../../io/files.js";
import type { OpenMemories } from "../../memory/store/store.js";
import { findGitFolder } from "../../memory/trust/git-folder.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type OptionValues,
  type Run,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { isInAgentsShell, withMemories } from "../../operations/open-memories.js";
import { openLocks, openProject, type Project } from "../../operations/project.js";
import { listRemotes } from "../../sources/entities/forges.js";
import { UNREACHABLE } from "../../sync/bare-repository.js";
import { createSync, type Sync, type Synced } from "../../sync/sync.js";
import {
  locateSync,
  NO_SYNC,
  openSyncFiles,
  type SyncConfig,
  type SyncFiles,
  type SyncPlace,
  type SyncState,
} from "../../sync/sync-state.js";
import { findSecrets, withoutCredentials } from "../../text/secrets/secrets.js";
import { toLine } from "../../text/text.js";

const ACTIONS = ["init", "push", "pull", "status"] as const;
type Action = (typeof ACTIONS)[number];
const BRANCH = "strata-memory";
const GLOBAL_BRANCH = "strata-memory-global";
const NONE = "No remote is set up. Share these memories with: strata sync init REMOTE";

export const run: Run = async (cli, options, [word = "status", ...words]) => {
  const action = readAction(word, words, options);
  const project = await openProject(cli);
  if (action === "init") return init(project, options, words.join(" "));
  const places = await listPlaces(project, options.global === true);
  if (action === "status") return showStatus(project, places, options.json === true);
  if (places.length === 0)
    throw new StrataError(NO_SYNC, "no remote is set up; set one up with: strata sync init REMOTE");
  return withMemories(project, (memories) => syncAll(project, memories, { action, options, places }));
};

function readAction(word: string, words: readonly string[], { branch, mine, team }: OptionValues): Action {
  const action = ACTIONS.find((one) => one === word);
  const isInit = action === "init";
  if (!action || (isInit ? words.length !== 1 : words.length > 0))
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected init REMOTE, push, pull or status, "${[word, ...words].join(" ")}" came`,
    );
  if (mine && team) throw new StrataError(WRONG_ARGUMENT, "use --mine or --team, not both");
  if (!isInit && (branch !== undefined || mine || team))
    throw new StrataError(WRONG_ARGUMENT, "--branch, --mine and --team belong to strata sync init");
  return action;
}

/** The places that have a remote. */
async function listPlaces(
  project: Project,
  isGlobal: boolean,
): Promise<(SyncPlace & { config: SyncConfig })[]> {
  const places: (SyncPlace & { config: SyncConfig })[] = [];
  for (const scope of isGlobal ? (["global"] as const) : (["project", "global"] as const)) {
    const place = await locatePlace(project, scope);
    const config = await openSyncFiles(project.cli.files, place).readConfig();
    if (config) places.push({ ...place, config });
  }
  return places;
}

async function init(project: Project, options: OptionValues, given: string): Promise<ExitCode> {
  const { cli, root } = project;
  const { files, folder, say } = cli;
  if (await isInAgentsShell(cli))
    throw new StrataError(
      "AGENT",
      "an agent cannot choose where your memories go, and this is an agent's shell; run it in a terminal of your own",
    );
  const scope = options.global ? ("global" as const) : ("project" as const);
  const { isProjects, url } = await chooseRemote(files, given, { folder, root });
  const usual = scope === "global" ? GLOBAL_BRANCH : BRANCH;
  const branch = checkBranch(typeof options.branch === "string" ? options.branch : usual);
  const isOwn = options.mine === true || (options.team !== true && !isProjects);
  const place = await locatePlace(project, scope);
  const stored = openSyncFiles(files, place);
  const config = { url, branch, isOwn };
  const before = await stored.readConfig();
  await stored.writeConfig(config);
  if (before?.url !== url || before.branch !== branch) await stored.forget();
  return withMemories(project, async (memories) => {
    const { sync } = await openSync(project, memories, place);
    const outcome = await attempt(sync.pull).catch(async (thrown) => {
      // A branch that cannot be used replaces none that can.
      if (thrown instanceof StrataError && thrown.code === NO_SYNC) await stored.writeConfig(before);
      throw thrown;
    });
    say(`${nameScope(scope)} are shared over ${withoutCredentials(url)}, branch ${branch}.`);
    say(isOwn ? MINE : TEAM);
    const code = report(cli, outcome, { isPush: false, scope });
    const { lines } = await sync.plan();
    if (lines.length === 0) say("Nothing to push.");
    else say(`${formatCounted(lines.length, "change")} to push; send with: strata sync push`);
    return code;
  });
}

const MINE =
  "Memories from there count as yours. If others write there too, run strata sync init with --team.";
const TEAM =
  "Memories from there count as the repository's until you accept them with strata trust. If only you write there, run strata sync init with --mine.";

interface SyncAllOptions {
  action: "push" | "pull";
  options: OptionValues;
  places: readonly SyncPlace[];
}

async function syncAll(
  project: Project,
  memories: OpenMemories,
  { action, options, places }: SyncAllOptions,
): Promise<ExitCode> {
  const { cli } = project;
  const isPush = action === "push";
  const all: Partial<Record<SyncPlace["scope"], SyncOutcome>> = {};
  let worst: ExitCode = exitCodes.fine;
  for (const place of places) {
    const { sync } = await openSync(project, memories, place);
    const outcome = await attempt(sync[action]);
    all[place.scope] = outcome;
    const code = options.json ? codeOf(outcome) : report(cli, outcome, { isPush, scope: place.scope });
    if (code > worst) worst = code;
  }
  if (options.json) cli.say(JSON.stringify(all, null, 2));
  return worst;
}

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

function codeOf(outcome: SyncOutcome): ExitCode {
  return "unreachable" in outcome || hasProblems(outcome) ? exitCodes.problems : exitCodes.fine;
}

function report(
  cli: CliContext,
  outcome: SyncOutcome,
  how: { isPush: boolean; scope: SyncPlace["scope"] },
): ExitCode {
  if ("unreachable" in outcome) cli.warn(`${cli.style.yellow("Not reached")}  ${outcome.unreachable}`);
  else reportSynced(cli, outcome, how);
  return codeOf(outcome);
}

async function showStatus(
  project: Project,
  places: readonly (SyncPlace & { config: SyncConfig })[],
  isJson: boolean,
): Promise<ExitCode> {
  const { cli } = project;
  const found: Partial<Record<SyncPlace["scope"], SyncStatus>> = {};
  if (places.length > 0)
    await withMemories(project, async (memories) => {
      for (const { config, ...place } of places) {
        const { stored, sync } = await openSync(project, memories, place);
        const { lines, refused } = await sync.plan();
        found[place.scope] = { config, state: await stored.readState(), pending: lines.length, refused };
      }
    });
  if (isJson) cli.say(JSON.stringify(found, null, 2));
  else if (places.length === 0) cli.say(NONE);
  else
    for (const [scope, status] of Object.entries(found))
      cli.say(formatStatus(scope as SyncPlace["scope"], status, cli.clock.now()));
  return exitCodes.fine;
}

/** Long, since the user waits and can press Ctrl-C. */
const NETWORK_MS = 300_000;

export const locatePlace = (
  { cli, folders, stateFolder }: Project,
  scope: SyncPlace["scope"],
): Promise<SyncPlace> => locateSync(cli.files, scope, { project: folders.memoryProject, stateFolder });

export interface OpenedSync {
  sync: Sync;
  stored: SyncFiles;
}

/** Opens the sync of this place, with the user's git. */
export async function openSync(
  project: Project,
  memories: Pick<OpenMemories, "exchange">,
  place: SyncPlace,
): Promise<OpenedSync> {
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

export interface ChosenRemote {
  url: string;
  /** A remote of the project's code, so others may write there. */
  isProjects: boolean;
}

export async function chooseRemote(
  files: Files,
  given: string,
  { folder, root }: { folder: string; root: string },
): Promise<ChosenRemote> {
  if (given === "" || given.startsWith("-")) throw wrong(`"${given}"`);
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

export function checkBranch(branch: string): string {
  const isName = /^[\w][\w./-]{0,100}$/.test(branch) && !/\.\.|\/\/|\.lock(\/|$)|[./]$/.test(branch);
  if (isName) return branch;
  throw new StrataError(
    WRONG_ARGUMENT,
    `--branch must be a branch name, such as strata-memory, not "${branch}"`,
  );
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

const wrong = (came: string): StrataError =>
  new StrataError(
    WRONG_ARGUMENT,
    `expected a git remote, such as origin, git@github.com:me/memories.git or /mnt/usb/memories.git, ${came} came`,
  );

/* Reports what a sync has done. */

const SHOWN = 20;

export const nameScope = (scope: SyncPlace["scope"]): string =>
  scope === "global" ? "Global memories" : "Memories of this project";

export function reportSynced(
  cli: CliContext,
  { conflicts, deferred, earlier, foreign, ids, refused, sent }: Synced,
  { isPush, scope }: { isPush: boolean; scope: SyncPlace["scope"] },
): void {
  const { say, style, warn } = cli;
  const changed = `${countMemories(ids.length)} changed here`;
  say(`${nameScope(scope)}: ${changed}${isPush ? `, ${formatCounted(sent, "change")} sent` : ""}.`);
  listSome(cli, "Changed", ids);
  if (earlier > 0)
    say(`${formatCounted(earlier, "earlier version stays", "earlier versions stay")} on this machine.`);
  if (foreign > 0)
    say(`${countMemories(foreign)} came with the repository and stayed here; strata trust lists them.`);
  for (const path of conflicts)
    warn(`${style.yellow("Conflict")}  both versions are in ${path}; settle it with strata reconcile`);
  listSome(
    cli,
    "Not sent",
    refused.map(({ id, why }) => `${id}: ${why}`),
  );
  listSome(
    cli,
    "Left out",
    deferred.map(({ id, why }) => `${id}: ${why}`),
  );
}

export const hasProblems = ({ conflicts, deferred, refused }: Synced): boolean =>
  conflicts.length + refused.length + deferred.length > 0;

function listSome({ style, warn }: CliContext, title: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, SHOWN)) warn(`${style.yellow(title)}  ${toLine(line, 400)}`);
  if (lines.length > SHOWN) warn(`${style.yellow(title)}  and ${lines.length - SHOWN} more`);
}

export interface SyncStatus {
  config: SyncConfig;
  state: SyncState;
  /** Number of changes that a push would send. */
  pending: number;
  refused: SyncState["refused"];
}

export function formatStatus(
  scope: SyncPlace["scope"],
  { config, pending, refused, state }: SyncStatus,
  nowMs: number,
): string {
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
