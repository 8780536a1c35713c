/**
 * What the dream's model may do with tools: read the project and its memories, and write one file in the staging folder.
 * The host's permissions say the same. This check still runs before every call of the model's session, because command
 * patterns can be bypassed (`ls > file`, `cat x | tee y`) and a parser for the simplest commands cannot.
 *
 * Everything not known to be harmless is refused: other tools, other spellings of tools, commands with shell syntax, paths
 * outside the project.
 */
import { isAbsolute, relative, resolve } from "node:path";

export interface Sandbox {
  /** Absolute; files outside it are not read. */
  project: string;
  /** Absolute; the one file that may be written. */
  stagedFile: string;
  /** Absolute; their contents must not reach a model. */
  privateFolders: readonly string[];
  /** With git, searches skip ignored files, which include the private folders. */
  hasGit: boolean;
}

/** Why the call is refused; `undefined` if it is allowed. */
export function findEscape(tool: string, args: unknown, sandbox: Sandbox): string | undefined {
  const rule = TOOLS.get(tool);
  if (!rule)
    return `the tool ${JSON.stringify(tool)} is not for a dream; it has read, list, glob, grep, bash and write`;
  const given = readArguments(args);
  const other = Object.keys(given).find((name) => !rule.takes.includes(name));
  if (other !== undefined) return `${tool} has no argument ${JSON.stringify(other)} in a dream`;
  return rule.check(given, sandbox);
}

/** The absolute paths that an allowed call names; the caller resolves links. */
export function readNamedPaths(tool: string, args: unknown, project: string): readonly string[] {
  const { command, filePath, path, workdir = "." } = readArguments(args);
  if (tool !== "bash") return [filePath ?? path ?? "."].map((one) => resolve(project, String(one)));
  const base = resolve(project, String(workdir));
  const [name = "", ...others] = splitCommand(String(command)) ?? [];
  return [base, ...readPathWords(others, findRule(name)).map((word) => resolve(base, word))];
}

type Arguments = Record<string, unknown>;

const readArguments = (args: unknown): Arguments =>
  (typeof args === "object" && args !== null ? args : {}) as Arguments;

interface ToolRule {
  takes: readonly string[];
  check(args: Arguments, sandbox: Sandbox): string | undefined;
}

const TOOLS: ReadonlyMap<string, ToolRule> = new Map<string, ToolRule>([
  [
    "read",
    {
      takes: ["filePath", "offset", "limit"],
      check: ({ filePath }, sandbox) => findOutside(filePath, sandbox),
    },
  ],
  ["list", { takes: ["path", "ignore"], check: ({ path = "." }, sandbox) => findSearched(path, sandbox) }],
  [
    "glob",
    {
      takes: ["path", "pattern"],
      check: ({ path = ".", pattern }, sandbox) => findSearched(path, sandbox) ?? findWayUp(pattern),
    },
  ],
  [
    "grep",
    {
      takes: ["path", "pattern", "include"],
      check: ({ include = "*", path = "." }, sandbox) => findSearched(path, sandbox) ?? findWayUp(include),
    },
  ],
  [
    "write",
    {
      takes: ["filePath", "content"],
      check: ({ filePath }, sandbox) => findOtherFile(filePath, sandbox),
    },
  ],
  [
    "bash",
    {
      takes: ["command", "workdir", "description", "timeout"],
      check: ({ command, workdir = "." }, sandbox) => findUnsafe(command, workdir, sandbox),
    },
  ],
]);

function findOtherFile(path: unknown, { project, stagedFile }: Sandbox): string | undefined {
  // Compared as written: the tool may resolve a path differently.
  const isStaged = path === stagedFile || path === relative(project, stagedFile);
  return isStaged ? undefined : `${JSON.stringify(path)} is not the file to write, which is ${stagedFile}`;
}

/** Why a path must not be read; `undefined` if it may. */
export function findOutside(
  path: unknown,
  sandbox: Pick<Sandbox, "privateFolders" | "project">,
  base = sandbox.project,
): string | undefined {
  const { privateFolders, project } = sandbox;
  if (typeof path !== "string" || path.includes("\0")) return "a path was expected";
  const place = resolve(base, path);
  if (path.startsWith("~") || !isWithin(place, project))
    return `${JSON.stringify(path)} is outside of the project`;
  // Some file systems ignore case.
  const isPrivate = privateFolders.some((folder) => isWithin(place.toLowerCase(), folder.toLowerCase()));
  return isPrivate || SECRET.test(relative(project, place))
    ? `${JSON.stringify(path)} is private`
    : undefined;
}

/**
 * Files that hold keys; `.git`, since a remote's address may contain a token; and the host's folder of full tool outputs,
 * which lies inside the project if the project is a home directory.
 */
const SECRET =
  /(?:^|[\\/])(?:\.env[^\\/]*|\.git|\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.npmrc|\.pypirc|\.netrc|\.pgpass|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|[^\\/]*(?:secret|credential)s?(?:\.[^\\/]*)?|opencode[\\/](?:tool-output|(?:mcp-)?auth\.json))(?:[\\/]|$)|\.(?:env|pem|key|p12|pfx|jks|keystore|kdbx)$/i;

/** Checks a folder that is searched recursively. */
function findSearched(path: unknown, sandbox: Sandbox): string | undefined {
  const why = findOutside(path, sandbox);
  if (why !== undefined || sandbox.hasGit) return why;
  const place = resolve(sandbox.project, String(path));
  const isAbove = sandbox.privateFolders.some((folder) => isWithin(folder, place));
  return isAbove ? `${JSON.stringify(path)} holds what is private; name a folder below it` : undefined;
}

function isWithin(place: string, folder: string): boolean {
  const way = relative(folder, place);
  return way === "" || (!/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way));
}

function findWayUp(pattern: unknown): string | undefined {
  const isInside = typeof pattern === "string" && !pattern.includes("..") && !/^[/~\\]/.test(pattern);
  return isInside ? undefined : `${JSON.stringify(pattern)} may lead out of the project`;
}

interface CommandRule {
  /** Matches each allowed option. */
  options: RegExp;
  /** The first argument is a pattern, not a path. */
  hasPattern?: boolean;
  /** With fewer paths the command waits on standard input; default 1. */
  leastPaths?: number;
}

const LONGEST_COMMAND = 2_000;

/**
 * Commands that cannot write, follow a file for ever, or run another program, with options of which the same holds. The
 * options keep lines whole and unchanged, because half a key is not recognised.
 */
const COMMANDS: Readonly<Record<string, CommandRule>> = {
  ls: { options: /^-[1aAhlrSt]+$/, leastPaths: 0 },
  cat: { options: /^-[bns]+$/ },
  head: { options: /^-(?:n|\d+|n\d+)$/ },
  tail: { options: /^-(?:n|\d+|n\d+)$/ },
  wc: { options: /^-[clmwL]+$/ },
  stat: { options: /^-[Lt]+$/ },
  diff: { options: /^-[abBiqsuw]+$/, leastPaths: 2 },
  grep: { options: /^-(?:[cEFHhiIlLnsvwx]+|[ABCm]\d+)$/, hasPattern: true },
};

function findUnsafe(command: unknown, workdir: unknown, sandbox: Sandbox): string | undefined {
  if (typeof command !== "string") return "a command was expected";
  if (command.length > LONGEST_COMMAND)
    return `the command has ${command.length} characters, ${LONGEST_COMMAND} are allowed`;
  const words = splitCommand(command);
  if (!words)
    return "only one plain command, without redirections, pipes, variables, wildcards or line breaks";
  const [name = "", ...others] = words;
  const rule = findRule(name);
  if (!rule) return `only ${Object.keys(COMMANDS).join(", ")} may be run, not ${JSON.stringify(name)}`;
  const option = others.find((word) => word.startsWith("-") && !rule.options.test(word));
  if (option !== undefined) return `${name} may not be run with ${option}`;
  const paths = readPathWords(others, rule);
  const { leastPaths = 1 } = rule;
  const isLines = (path: string): boolean =>
    others.some((word, n) => word === "-n" && others[n + 1] === path);
  if (paths.filter((path) => !isLines(path)).length < leastPaths)
    return `${name} needs ${leastPaths === 1 ? "a file" : `${leastPaths} files`}`;
  const away = findOutside(workdir, sandbox);
  if (away !== undefined) return away;
  const base = resolve(sandbox.project, String(workdir));
  return paths.map((path) => findOutside(path, sandbox, base)).find((why) => why !== undefined);
}

const findRule = (name: string): CommandRule | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

/** Includes the number after -n. */
function readPathWords(words: readonly string[], rule: CommandRule | undefined): string[] {
  const plain = words.filter((word) => !word.startsWith("-"));
  return rule?.hasPattern ? plain.slice(1) : plain;
}

/**
 * Splits a command into words that every shell reads alike: letters, digits and a few signs, or quoted text without special
 * characters. `undefined` for any other command.
 */
function splitCommand(command: string): string[] | undefined {
  const WORD = /[A-Za-z0-9_./:=@%+,-]+|'[^'\p{C}]*'|"[^"$`\\!\p{C}]*"/u;
  if (!new RegExp(`^(?:${WORD.source})(?: +(?:${WORD.source}))*$`, "u").test(command)) return undefined;
  const words = command.match(new RegExp(WORD.source, "gu")) ?? [];
  return words.map((word) => (/^['"]/.test(word) ? word.slice(1, -1) : word));
}
