/** `strata sync`: shares memories over a git remote. */
import { StrataError } from "../../base/error.js";
import { formatCounted } from "../../base/format.js";
import type { OpenMemories } from "../../memory/store.js";
import { isInAgentsShell } from "../../operations/agents-shell.js";
import { WRONG_ARGUMENT } from "../../operations/arguments.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type OptionValues,
  type Run,
} from "../../operations/command.js";
import { withMemories } from "../../operations/open-memories.js";
import { openProject } from "../../operations/open-project.js";
import type { Project } from "../../operations/project.js";
import { UNREACHABLE } from "../../sync/bare-repository.js";
import type { SyncPlace } from "../../sync/places.js";
import type { Synced } from "../../sync/sync.js";
import { NO_SYNC, openSyncFiles, type SyncConfig } from "../../sync/sync-state.js";
import { withoutCredentials } from "../../text/secrets/credentials.js";
import { checkBranch, chooseRemote } from "./choose-remote.js";
import { locatePlace, openSync } from "./open-sync.js";
import { formatStatus, hasProblems, nameScope, reportSynced, type SyncStatus } from "./report.js";

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
