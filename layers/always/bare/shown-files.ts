/** What a looking call shows: parts of files, or what only the same call would show again. Pure. */
import type { ToolPart } from "../../../src/io/message.js";
import { isLooking } from "../../../src/notes/looking.js";

/** Lines of a file, the last one excluded. */
export type Range = readonly [from: number, to: number];

export interface Shown {
  /** A file's path without the project's, or the whole call. */
  target: string;
  isFile: boolean;
  tool: string;
  range: Range;
}

const LOOKING: ReadonlySet<string> = new Set(["read", "grep", "glob", "list", "bash"]);
/** Lines that `read` shows without a limit. */
const READ_LINES = 2_000;
const WHOLE: Range = [1, Number.POSITIVE_INFINITY];
const PATH = `["']?([^\\s"'|;&<>()*$]+)["']?`;
/** `cat`, `nl` and `sed -n 'A,Bp'`, alone or one after the other, are how agents without `read` read a file. */
const PRINTING = new RegExp(`^(?:cat|nl)(?: -\\w+)* ${PATH}$`);
const CUTTING = new RegExp(`^sed -n ["']?(\\d+),(\\d+)p["']?(?: ${PATH})?$`);

/** Does it show what is there, and change nothing? */
export function isLookingCall({ state, tool }: ToolPart): boolean {
  return LOOKING.has(tool) && (tool !== "bash" || isLooking(String(state.input?.command)));
}

export function findShown({ state: { input = {} }, tool }: ToolPart, project: string): Shown[] {
  const toFile = (path: string, range: Range): Shown => ({
    target: shorten(path, project),
    isFile: true,
    tool,
    range,
  });
  if (tool === "read") {
    // Lines are counted from 1, in some versions from 0.
    const from = Math.max(1, Number(input.offset) || 1);
    return [toFile(String(input.filePath), [from, from + (Number(input.limit) || READ_LINES)])];
  }
  const { command } = input;
  if (tool !== "bash" || typeof command !== "string")
    return [{ target: `${tool} ${JSON.stringify(input)}`, isFile: false, tool, range: WHOLE }];
  const parts = command.split(/;|&&|\n/).map((part) => readPrinted(part.trim()));
  const files = parts.flatMap((part) => (part ? toFile(part.path, part.range) : []));
  return files.length === parts.length ? files : [{ target: command, isFile: false, tool, range: WHOLE }];
}

/** `undefined` if the command does something else than printing a file. */
function readPrinted(command: string): { path: string; range: Range } | undefined {
  const [first = "", second, ...more] = command.split("|").map((part) => part.trim());
  if (more.length > 0) return undefined;
  const printed = PRINTING.exec(first)?.[1];
  const [, from, to, path = printed] = CUTTING.exec(second ?? first) ?? [];
  if (from === undefined)
    return second === undefined && printed !== undefined ? { path: printed, range: WHOLE } : undefined;
  return path === undefined ? undefined : { path, range: [Number(from), Number(to) + 1] };
}

/** As the session's own calls may name it. */
function shorten(path: string, project: string): string {
  return path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path.replace(/^\.\//, "");
}
