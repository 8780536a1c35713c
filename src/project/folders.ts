/** Absolute paths: of Strata's files and folders, all below the project, and of OpenCode's own. */
import { dirname, join, resolve } from "node:path";
import { type Files, readText } from "../io/files.js";
import type { ConfigFile } from "../io/host.js";

export type Folders = ReturnType<typeof planFolders>;

export const isFileName = (id: string): boolean => /^[\w-]{1,200}$/.test(id);

export function planFolders(project: string, memoryProject = project) {
  const own = join(project, ".opencode");
  const strata = join(own, "strata");
  /** Machine state: it may be deleted at any time, unless it says otherwise. */
  const state = join(strata, "state");
  return {
    project,
    /** The project that holds the memories: in a linked git worktree the main one, if they are shared. */
    memoryProject,
    // For people.
    memory: join(memoryProject, ".opencode", "memory"),
    sessionMemory: join(own, "session-memory"),
    toolResults: join(own, "tool-results"),
    errorLog: join(own, "memory", "errors.log"),
    strata,
    log: join(strata, "strata.log"),
    savings: join(strata, "savings"),
    /** Of the sessions: decisions, a digest of what was sent last, what the screen shows, titles and sums. */
    decisions: join(state, "decisions"),
    views: join(state, "views"),
    screens: join(state, "screen"),
    sessions: join(state, "sessions.json"),
    /** Sessions for which compaction does not help. */
    breakers: join(state, "breakers"),
    /** Spending of Strata's own model calls, one file per day; deleting today's file restores today's budget. */
    background: join(state, "background"),
    /** Vectors of memories, one file per embedding model; deleting it costs new calls. */
    vectors: join(state, "vectors"),
    prices: join(state, "prices.json"),
    memoryState: join(memoryProject, ".opencode", "strata", "state", "memory"),
    errorLock: join(state, "errors.lock"),
    /** Shared by the instances of a project. */
    instances: join(state, "instances"),
    leases: join(state, "leases.json"),
    mail: join(state, "mail"),
    /** Which hooks the host has called, and which tools were offered and called. */
    calls: join(state, "calls"),
    tools: join(state, "tools"),
    /** How far each session was read for memories; after deleting it nothing is read twice. */
    extraction: join(state, "extraction"),
    dreamState: join(state, "dream.json"),
    dreamLock: join(state, "dream.lock"),
  };
}

/** Creates the folder's `.gitignore` if there is none. An existing one is checked when the plugin starts. */
export async function hideNewFolder(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  if (!(await files.stat(path))) await files.writeWhole(path, "*\n");
}

/** Creates the folder's `.gitignore`, or appends to the existing one, so that these rules hold. */
export async function hideFromGit(
  files: Files,
  folder: string,
  rules: readonly string[] = ["*"],
): Promise<void> {
  const path = join(folder, ".gitignore");
  const text = await readText(files, path);
  if (text === undefined) return files.writeWhole(path, `${rules.join("\n")}\n`);
  const lacking = planRules(text, rules);
  if (lacking.length > 0) await files.appendLine(path, lacking.join("\n"));
}

/* What a `.gitignore` keeps out of git, and which of Strata's rules it lacks. Pure. */

/** Matches half-written files, whose names end with a UUID: `tornOf` in file-kinds.ts. */
export const TORN_RULE = "*.????????-????-????-????-????????????";

/** Patterns that match everything in the folder; git then does not descend into subfolders. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "/*", "**", "/**", "**/*"]);

/** Strata's rules are appended, so the end of a longer file says whether they hold. */
const MOST_CHARACTERS = 50_000;

/** The rules that have to be appended so that all of `rules` hold: those not there, and those before a negation. */
export function planRules(text: string, rules: readonly string[]): string[] {
  const holding = new Set<string>();
  const end = text.slice(-MOST_CHARACTERS);
  for (const line of (end.length < text.length ? end.slice(end.indexOf("\n") + 1) : end).split(/\r?\n/)) {
    const rule = line.replace(/(?<! ) +$/, "");
    // This one lets the `.gitignore` itself be committed.
    if (/^!\/?\.gitignore$/.test(rule)) continue;
    if (rule.startsWith("!")) holding.clear();
    for (const one of rules) if (isSame(rule, one) || EVERYTHING.has(rule)) holding.add(one);
  }
  return rules.filter((rule) => !holding.has(rule));
}

/** A name without a slash matches here and below. Strata's files are here, so a leading slash makes no difference. */
const isSame = (rule: string, other: string): boolean => rule.replace(/^\//, "") === other.replace(/^\//, "");

/** Does this `.gitignore` keep the whole folder out of git? */
export const hidesAll = (text: string): boolean => planRules(text, ["*"]).length === 0;

/* OpenCode's own folders and configuration files. */

export interface ConfigFilesInput {
  /** Where the session works. */
  directory: string;
  /** Root of the project; `directory` is in it or is it. */
  project: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * The files in which OpenCode 1.18.33 looks for its configuration, weakest first (measured): the global folder, the
 * file named by OPENCODE_CONFIG, every folder from the project's root down to the session's directory, then the
 * `.opencode` folders from there up to the root, the one in the home folder, OPENCODE_CONFIG_DIR, and the text of
 * OPENCODE_CONFIG_CONTENT.
 *
 * A file's role makes it the user's own, not its location: the home folder may be or lie in a project, and a variable
 * may name a project file. A file in both roles is the user's. A repository cannot set these variables: this OpenCode
 * reads no `.env`.
 */
export function listConfigFiles({ directory, project, home, env }: ConfigFilesInput): ConfigFile[] {
  const globalFolder = findGlobalFolder({ home, env });
  const users = (path: string): ConfigFile => ({ path: resolve(path), origin: "user" });
  const projects = (path: string): ConfigFile => ({ path, origin: "project" });
  const inFolder = (folder: string): string[] =>
    ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));

  const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) =>
    users(join(globalFolder, name)),
  );
  if (env.OPENCODE_CONFIG) files.push(users(env.OPENCODE_CONFIG));
  const folders = env.OPENCODE_DISABLE_PROJECT_CONFIG ? [] : listFolders(project, directory);
  for (const folder of folders) files.push(...inFolder(folder).reverse().map(projects));
  for (const folder of [...folders].reverse())
    files.push(...inFolder(join(folder, ".opencode")).map(projects));
  files.push(...inFolder(join(home, ".opencode")).map(users));
  if (env.OPENCODE_CONFIG_DIR) files.push(...inFolder(env.OPENCODE_CONFIG_DIR).map(users));
  const text = env.OPENCODE_CONFIG_CONTENT;
  if (text) files.push({ path: "OPENCODE_CONFIG_CONTENT", origin: "user", text });
  return withoutDoubles(files);
}

/** Keeps each file once, at its strongest position. */
function withoutDoubles(files: readonly ConfigFile[]): ConfigFile[] {
  const users = new Set(files.filter(({ origin }) => origin === "user").map(({ path }) => path));
  return files
    .filter(({ path }, index) => !files.some((other, place) => place > index && other.path === path))
    .map((file) => (users.has(file.path) ? { ...file, origin: "user" } : file));
}

/** Folder for the plugin's machine-wide state, outside every repository. */
export function findStateFolder({ home, env }: Pick<ConfigFilesInput, "home" | "env">): string {
  return join(env.XDG_STATE_HOME || env.LOCALAPPDATA || join(home, ".local", "state"), "opencode-strata");
}

export function findGlobalFolder({ home, env }: Pick<ConfigFilesInput, "home" | "env">): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** Folders from `top` down to `bottom`; only `bottom` if it is not inside `top`. */
export function listFolders(top: string, bottom: string): string[] {
  const folders = [bottom];
  for (let folder = bottom; folder !== top; folder = dirname(folder)) {
    if (dirname(folder) === folder) return [bottom];
    folders.unshift(dirname(folder));
  }
  return folders;
}

/* What OpenCode 1.18.33 loads into its TUI, and where it records that (measured). */

/**
 * Configuration files of the TUI, weakest first: the global folder's, the one named by OPENCODE_TUI_CONFIG, those of every
 * folder from the project's root down, then those of the `.opencode` folders and of OPENCODE_CONFIG_DIR.
 */
export function listScreenFiles({ directory, env, home, project }: ConfigFilesInput): ConfigFile[] {
  const inFolder = (folder: string): string[] => ["tui.json", "tui.jsonc"].map((name) => join(folder, name));
  const users = [
    ...inFolder(findGlobalFolder({ home, env })),
    ...(env.OPENCODE_TUI_CONFIG ? [env.OPENCODE_TUI_CONFIG] : []),
  ];
  const folders = env.OPENCODE_DISABLE_PROJECT_CONFIG ? [] : listFolders(project, directory);
  const projects = [...folders, ...folders.map((folder) => join(folder, ".opencode"))].flatMap(inFolder);
  const last = env.OPENCODE_CONFIG_DIR ? inFolder(env.OPENCODE_CONFIG_DIR) : [];
  return [
    ...users.map((path): ConfigFile => ({ path, origin: "user" })),
    ...projects.map((path): ConfigFile => ({ path, origin: "project" })),
    ...last.map((path): ConfigFile => ({ path, origin: "user" })),
  ];
}

/** File in which the TUI records, by plugin id, when it last loaded each plugin: `last_time`, ms since 1970. */
export function findScreenRecord({ env, home }: Pick<ConfigFilesInput, "home" | "env">): string {
  const state = join(env.XDG_STATE_HOME || join(home, ".local", "state"), "opencode");
  return env.OPENCODE_PLUGIN_META_FILE || join(state, "plugin-meta.json");
}
