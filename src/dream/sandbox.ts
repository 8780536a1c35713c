/**
 * What the dream's model may do with tools: read the project and its memories, and write one file in the staging
 * folder. The host's permissions say the same; this is asked before every call of its sessions all the same, because
 * patterns of commands can be got round (`ls > file`, `cat x | tee y`) and a parse of the simplest commands cannot.
 *
 * All that is not known to be harmless is refused: other tools, tools in another spelling, commands with anything in
 * them that a shell would act on, paths out of the project.
 */
import { isAbsolute, relative, resolve } from "node:path";

export interface Sandbox {
  /** Absolute; nothing outside is read. */
  project: string;
  /** Absolute; the one file that may be written. */
  stagedFile: string;
  /** Absolute; what must not reach a model. Searches leave it out, since git ignores it. */
  privateFolders: readonly string[];
}

/** Why the call must not be made; `undefined` where it may. */
export function findEscape(tool: string, args: unknown, sandbox: Sandbox): string | undefined {
  const given = (typeof args === "object" && args !== null ? args : {}) as Record<string, unknown>;
  const check = CHECKS.get(tool);
  if (!check)
    return `the tool ${JSON.stringify(tool)} is not for a dream; it has read, list, glob, grep, bash and write`;
  return check(given, sandbox);
}

type Check = (args: Record<string, unknown>, sandbox: Sandbox) => string | undefined;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["read", ({ filePath }, sandbox) => findOutside(filePath, sandbox)],
  ["list", ({ path = "." }, sandbox) => findOutside(path, sandbox)],
  ["glob", ({ path = ".", pattern }, sandbox) => findOutside(path, sandbox) ?? findWayUp(pattern)],
  ["grep", ({ path = "." }, sandbox) => findOutside(path, sandbox)],
  ["write", ({ filePath }, sandbox) => findOtherFile(filePath, sandbox)],
  ["bash", ({ command, workdir = ".", ...rest }, sandbox) => findUnsafe(command, rest, workdir, sandbox)],
]);

function findOtherFile(path: unknown, { project, stagedFile }: Sandbox): string | undefined {
  // As it is spelt: what has to be resolved first may be resolved in another way by the tool.
  const isStaged = path === stagedFile || path === relative(project, stagedFile);
  return isStaged ? undefined : `${JSON.stringify(path)} is not the file to write, which is ${stagedFile}`;
}

function findOutside(path: unknown, { privateFolders, project }: Sandbox): string | undefined {
  if (typeof path !== "string" || path.includes("\0")) return "a path was expected";
  const place = resolve(project, path);
  if (path.startsWith("~") || !isWithin(place, project))
    return `${JSON.stringify(path)} is outside of the project`;
  const isPrivate = privateFolders.some((folder) => isWithin(place, folder));
  return isPrivate ? `${JSON.stringify(path)} is private` : undefined;
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
  /** What its options must be made of. */
  options: RegExp;
  /** The first argument is what to look for, not a path. */
  hasPattern?: boolean;
}

/** Commands that cannot write, follow a file for ever, or run another program, with options of which the same holds. */
const COMMANDS: Readonly<Record<string, CommandRule>> = {
  ls: { options: /^-[1aAhlrSt]+$/ },
  cat: { options: /^-[bnsA]+$/ },
  head: { options: /^-(?:n|c|\d+|[nc]\d+)$/ },
  tail: { options: /^-(?:n|c|\d+|[nc]\d+)$/ },
  wc: { options: /^-[clmwL]+$/ },
  stat: { options: /^-[Lt]+$/ },
  diff: { options: /^-[abBiqrsuw]+$/ },
  grep: { options: /^-(?:[cEFHhiIlLnosvwx]+|[ABCm]\d+)$/, hasPattern: true },
};

function findUnsafe(command: unknown, rest: object, workdir: unknown, sandbox: Sandbox): string | undefined {
  if (typeof command !== "string") return "a command was expected";
  const other = Object.keys(rest).find((name) => !["description", "timeout"].includes(name));
  if (other !== undefined) return `bash has no argument ${JSON.stringify(other)} in a dream`;
  const words = splitCommand(command);
  if (!words)
    return "only one plain command, without redirections, pipes, variables, wildcards or line breaks";
  const [name = "", ...others] = words;
  const rule = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!rule) return `only ${Object.keys(COMMANDS).join(", ")} may be run, not ${JSON.stringify(name)}`;
  const option = others.find((word) => word.startsWith("-") && !rule.options.test(word));
  if (option !== undefined) return `${name} may not be run with ${option}`;
  const plain = others.filter((word) => !word.startsWith("-"));
  const paths = rule.hasPattern ? plain.slice(1) : plain;
  return [workdir, ...paths].map((path) => findOutside(path, sandbox)).find((why) => why !== undefined);
}

/**
 * The words of a command that no shell reads in another way: of letters, digits and a few signs, or in quotation marks
 * with nothing in them that means something there.
 */
function splitCommand(command: string): string[] | undefined {
  const WORD = /[A-Za-z0-9_./:=@%+,-]+|'[^'\p{C}]*'|"[^"$`\\!\p{C}]*"/u;
  if (!new RegExp(`^(?:${WORD.source})(?: +(?:${WORD.source}))*$`, "u").test(command)) return undefined;
  const words = command.match(new RegExp(WORD.source, "gu")) ?? [];
  return words.map((word) => (/^['"]/.test(word) ? word.slice(1, -1) : word));
}
