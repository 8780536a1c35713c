/**
 * Finds the calls of an answer that only look at what Strata has taken out of sight: without it they would not have been
 * made. Pure.
 *
 *     a call of Strata's own tools, or one that names its folder of whole results
 *     a file read again: every line of it was shown before, and lines that were up to date when they went are gone
 *     another looking call made again, if nothing had changed between its result and the time when that went
 */
import type { History, Result } from "../../../src/conversation/history.js";
import { isToolPart, type Message, type ToolPart } from "../../../src/conversation/message.js";
import { isLooking } from "../../../src/notes/looking.js";

export interface LooksOptions {
  history: Pick<History, "messages" | "results">;
  /** Index of the first message that the host would have word for word without Strata. */
  from: number;
  /** When the result went out of sight, before this answer; `undefined` if the model had it in full. */
  goneAt(result: Result): number | undefined;
  isOwnTool(name: string): boolean;
  /** Folder of whole results, as calls name it. */
  resultsFolder: string;
}

/** An earlier result of the same target. */
interface Seen {
  result: Result;
  goneAt: number | undefined;
}

/** Lines of a file, the last one excluded. */
type Range = readonly [from: number, to: number];

const LOOKING: ReadonlySet<string> = new Set(["read", "grep", "glob", "list", "bash"]);
/** Lines that `read` shows without a limit. */
const READ_LINES = 2_000;

export function findLooks(answer: Message, options: LooksOptions): ToolPart[] {
  return answer.parts.filter(isToolPart).filter((call) => isLook(call, answer, options));
}

function isLook(call: ToolPart, answer: Message, options: LooksOptions): boolean {
  const { from, goneAt, history, isOwnTool, resultsFolder } = options;
  if (isOwnTool(call.tool)) return true;
  if (!looks(call)) return false;
  if (namesText(call, resultsFolder)) return true;
  const end = history.messages.indexOf(answer);
  const earlier = history.results(from).filter(({ index }) => index < end);
  const F = String(call.state.input?.filePath ?? "").split("/").slice(-2).join("/");
  const touching = F === "" ? earlier.filter(({part}) => hasSameTarget(part, call)) : earlier.filter(({ part }) => JSON.stringify(part.state.input ?? {}).includes(F));
  (globalThis as any).__dbg = [...((globalThis as any).__dbg ?? []), `${call.tool} ${F} ${call.state.input?.offset ?? ""}+${call.state.input?.limit ?? ""} ${String(call.state.input?.command ?? call.state.input?.pattern ?? "").slice(0,60)} {{${touching.slice(-12).map((r) => `${end - r.index}:${r.part.tool}${r.part.tool === "read" ? `${r.part.state.input?.offset ?? ""}+${r.part.state.input?.limit ?? ""}` : ""}${goneAt(r) === undefined ? "VIS" : `gone@${end - history.messages.findIndex((m) => (m.info.time?.created ?? 0) > (goneAt(r) ?? 0))}${isOutdated(r, goneAt(r) ?? 0, earlier) ? "OLD" : ""}`}`).join(",")}}}`];
  const same = earlier.filter(({ part }) => part.state.status === "completed" && hasSameTarget(part, call));
  const seen = same.map((result): Seen => ({ result, goneAt: goneAt(result) }));
  const isMissed = ({ result, goneAt: at }: Seen): boolean =>
    at !== undefined && !isOutdated(result, at, earlier);
  if (call.tool !== "read") return !seen.some((one) => one.goneAt === undefined) && seen.some(isMissed);
  const range = readRange(call);
  const overlapping = seen.filter((one) => overlaps(range, readRange(one.result.part)));
  const inSight = overlapping.filter((one) => one.goneAt === undefined);
  const gone = overlapping.filter((one) => one.goneAt !== undefined);
  const last = gone.at(-1);
  if (!last || !isMissed(last) || isCovered(range, inSight)) return false;
  return isCovered(range, [...inSight, ...gone.filter(isMissed)]);
}

function overlaps([from, to]: Range, [start, end]: Range): boolean {
  return start < to && end > from;
}

/** Whether something had changed what the result showed, before the result went. */
function isOutdated({ part }: Result, goneAt: number, earlier: readonly Result[]): boolean {
  const shownAt = part.state.time?.start ?? 0;
  return earlier.some(({ part: other }) => {
    const at = other.state.time?.start ?? 0;
    if (at < shownAt || at >= goneAt || looks(other) || other.state.status !== "completed") return false;
    return part.tool === "read" ? namesText(other, String(part.state.input?.filePath)) : true;
  });
}

function looks({ state, tool }: ToolPart): boolean {
  return LOOKING.has(tool) && (tool !== "bash" || isLooking(String(state.input?.command)));
}

function namesText({ state: { input = {} } }: ToolPart, text: string): boolean {
  return Object.values(input).some((value) => typeof value === "string" && value.includes(text));
}

function hasSameTarget({ state: { input = {} }, tool }: ToolPart, call: ToolPart): boolean {
  const { input: wanted = {} } = call.state;
  if (tool !== call.tool) return false;
  if (tool === "read") return input.filePath === wanted.filePath;
  if (tool === "bash") return input.command === wanted.command;
  return JSON.stringify(input) === JSON.stringify(wanted);
}

function readRange({ state: { input = {} } }: ToolPart): Range {
  // Lines are counted from 1; older calls count from 0.
  const from = Math.max(1, Number(input.offset) || 1);
  return [from, from + (Number(input.limit) || READ_LINES)];
}

function isCovered([from, to]: Range, seen: readonly Seen[]): boolean {
  const ranges = seen.map(({ result }) => readRange(result.part)).sort(([a], [b]) => a - b);
  let reached = from;
  for (const [start, end] of ranges) if (start <= reached) reached = Math.max(reached, end);
  return reached >= to;
}
