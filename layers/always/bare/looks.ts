/**
 * Finds the calls of an answer that only look at what Strata has taken out of sight: without it they would not have been
 * made. Pure.
 *
 *     a call of one of Strata's tools, or one that names its folder of whole results
 *     a part of a file read again: every line was shown before, and lines that were up to date when they went are gone
 *     another looking call made again: nothing had changed between its result and the time when that went
 */
import { basename } from "node:path";
import { isToolPart, type Message, type ToolPart } from "../../../src/io/message.js";
import type { History, Result } from "../../../src/messages/history.js";
import { isLooking } from "../../../src/notes/draft.js";

export interface LooksOptions {
  history: Pick<History, "messages" | "results">;
  /** Index of the first message that the host would have word for word without Strata. */
  from: number;
  /** When the result went out of sight, before this answer; `undefined` if the model had it in full. */
  goneAt(result: Result): number | undefined;
  isOwnTool(name: string): boolean;
  /** Root of the project. */
  project: string;
  /** Folder of whole results, as calls name it. */
  resultsFolder: string;
}

/** An earlier result of the same target. */
interface Seen {
  range: Range;
  isInSight: boolean;
  /** It is gone, and was up to date when it went. */
  isMissed: boolean;
}

export function findLooks(answer: Message, options: LooksOptions): ToolPart[] {
  const { from, history, isOwnTool, resultsFolder } = options;
  const calls = answer.parts.filter(isToolPart);
  const isOwn = (call: ToolPart): boolean => isOwnTool(call.tool) || namesText(call, resultsFolder);
  if (calls.every((call) => isOwn(call) || !isLookingCall(call))) return calls.filter(isOwn);
  const end = history.messages.indexOf(answer);
  const earlier = history.results(from).filter(({ index }) => index < end);
  return calls.filter((call) => isOwn(call) || (isLookingCall(call) && isSeenAgain(call, earlier, options)));
}

/** Every part of what the call shows was shown before, and at least one is missed. */
function isSeenAgain(call: ToolPart, earlier: readonly Result[], options: LooksOptions): boolean {
  const seen = findShown(call, options.project).map((shown) => ({
    shown,
    before: findSeen(shown, earlier, options),
  }));
  const isInSight = ({ before, shown: { range } }: (typeof seen)[number]): boolean =>
    isCovered(
      range,
      before.filter((one) => one.isInSight),
    );
  return (
    !seen.every(isInSight) &&
    seen.every((one) => {
      const { before, shown } = one;
      // What went last is what the model last knew.
      const isMissed = before.findLast((part) => !part.isInSight)?.isMissed === true;
      const known = before.filter((part) => part.isInSight || part.isMissed);
      return isInSight(one) || (isMissed && isCovered(shown.range, known));
    })
  );
}

function findSeen(
  { isFile, range, target, tool }: Shown,
  earlier: readonly Result[],
  { goneAt, project }: LooksOptions,
): Seen[] {
  return earlier.flatMap((result): Seen[] => {
    const { part } = result;
    // Few results name the file, and they are quickly found.
    if (isFile ? !namesText(part, basename(target)) : part.tool !== tool) return [];
    if (part.state.status !== "completed" || !isLookingCall(part)) return [];
    const same = findShown(part, project).filter(
      (one) => one.target === target && overlaps(range, one.range),
    );
    if (same.length === 0) return [];
    const at = goneAt(result);
    const isMissed = at !== undefined && same.every((one) => !isOutdated(one, part, { goneAt: at, earlier }));
    return same.map((one) => ({ range: one.range, isInSight: at === undefined, isMissed }));
  });
}

/** Whether something changed what the result showed before it went. */
function isOutdated(
  { isFile, target }: Shown,
  part: ToolPart,
  { earlier, goneAt }: { earlier: readonly Result[]; goneAt: number },
): boolean {
  const shownAt = part.state.time?.start ?? 0;
  return earlier.some(({ part: other }) => {
    const at = other.state.time?.start ?? 0;
    if (at < shownAt || at >= goneAt || isLookingCall(other) || other.state.status !== "completed")
      return false;
    return !isFile || namesText(other, target);
  });
}

function namesText({ state: { input = {} } }: ToolPart, text: string): boolean {
  return Object.values(input).some((value) => typeof value === "string" && value.includes(text));
}

function overlaps([from, to]: Range, [start, end]: Range): boolean {
  return start < to && end > from;
}

function isCovered([from, to]: Range, seen: readonly Seen[]): boolean {
  let reached = from;
  for (const { range } of seen.toSorted((a, b) => a.range[0] - b.range[0]))
    if (range[0] <= reached) reached = Math.max(reached, range[1]);
  return reached >= to;
}

/* What a looking call shows: parts of files, or what only the same call would show again. Pure. */

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
