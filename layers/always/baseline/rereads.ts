/**
 * Finds the calls of an answer that only look at what Strata has taken out of sight: without it they would not have been
 * made. Pure.
 *
 *     a call of one of Strata's tools, or one that names its folder of whole results
 *     a looking call whose target was shown before: no result in sight has it, and the last one that went was up to date then
 */
import { basename } from "node:path";
import { shortenPath } from "../../../src/base/text.js";
import type { Find } from "../../../src/context/replay.js";
import { isToolPart, type Message, type ToolPart } from "../../../src/io/message.js";
import type { History, Result } from "../../../src/messages/history.js";
import { isLooking } from "../../../src/notes/wording.js";

interface RereadOptions {
  history: Pick<History, "messages" | "results">;
  /** Index of the first message that the host would have word for word without Strata. */
  from: number;
  /** When the result went out of sight, before this answer; `undefined` if the model had it in full. */
  goneAt(result: Result): number | undefined;
  isOwnTool(name: string): boolean;
  project: string;
  resultsFolder: string;
}

export function findRereads(answer: Message, options: RereadOptions): ToolPart[] {
  const { from, history, isOwnTool, resultsFolder } = options;
  const calls = answer.parts.filter(isToolPart);
  const isOwn = (call: ToolPart): boolean => isOwnTool(call.tool) || namesText(call, resultsFolder);
  if (calls.every((call) => isOwn(call) || !isLookingCall(call))) return calls.filter(isOwn);
  const end = history.messages.indexOf(answer);
  const earlier = history.results(from).filter(({ index }) => index < end);
  return calls.filter((call) => isOwn(call) || (isLookingCall(call) && isShownAgain(call, earlier, options)));
}

function isShownAgain(call: ToolPart, earlier: readonly Result[], { goneAt, project }: RereadOptions) {
  const shown = findShown(call, project);
  const before = earlier
    .filter(({ part }) => {
      // Few results name the file, and they are quickly found.
      const isLike = shown.isFile ? namesText(part, basename(shown.target)) : part.tool === call.tool;
      return isLike && part.state.status === "completed" && isLookingCall(part);
    })
    .filter(({ part }) => contains(findShown(part, project), shown));
  // What went last is what the model last knew.
  const [last, times] = [before.at(-1), before.map(goneAt)];
  const at = times.at(-1);
  if (at === undefined || times.includes(undefined)) return false;
  return !earlier.some(({ part }) => {
    const started = part.state.time?.start ?? 0;
    const isBetween = started >= (last?.part.state.time?.start ?? 0) && started < at;
    const isChange = !isLookingCall(part) && part.state.status === "completed";
    return isBetween && isChange && (!shown.isFile || namesText(part, shown.target));
  });
}

function namesText({ state: { input = {} } }: ToolPart, text: string): boolean {
  return Object.values(input).some((value) => typeof value === "string" && value.includes(text));
}

/** Lines of a file, or what only the same call would show again. */
interface Shown {
  /** A file's path without the project's, or the whole call. */
  target: string;
  isFile: boolean;
  range: readonly [from: number, to: number];
}

const contains = (one: Shown, other: Shown): boolean =>
  one.target === other.target && one.range[0] <= other.range[0] && one.range[1] >= other.range[1];

const LOOKING: ReadonlySet<string> = new Set(["read", "grep", "glob", "list", "bash"]);
const READ_LINES = 2_000;
const PATH = `["']?([^\\s"'|;&<>()*$]+)["']?`;
/** `cat`, `nl` and `sed -n 'A,Bp'`, alone or one after the other, are how agents without `read` read a file. */
const PRINTING = new RegExp(`^(?:cat|nl)(?: -\\w+)* ${PATH}$`);
const CUTTING = new RegExp(`^sed -n ["']?(\\d+),(\\d+)p["']?(?: ${PATH})?$`);

/** Does it show what is there, and change nothing? */
function isLookingCall({ state, tool }: ToolPart): boolean {
  return LOOKING.has(tool) && (tool !== "bash" || isLooking(String(state.input?.command)));
}

function findShown({ state: { input = {} }, tool }: ToolPart, project: string): Shown {
  const printed = tool === "bash" ? readPrinted(String(input.command)) : undefined;
  if (tool !== "read" && !printed) {
    const target = `${tool} ${JSON.stringify(input)}`;
    return { target, isFile: false, range: [1, Number.POSITIVE_INFINITY] };
  }
  // Lines are counted from 1, in some versions from 0.
  const from = Math.max(1, Number(input.offset) || 1);
  const { path, range } = printed ?? {
    path: String(input.filePath),
    range: [from, from + (Number(input.limit) || READ_LINES)] as const,
  };
  return { target: shortenPath(path, project), isFile: true, range };
}

/** `undefined` if the command does something else than printing a file. */
function readPrinted(command: string): { path: string; range: Shown["range"] } | undefined {
  const [first = "", second, ...more] = command.split("|").map((part) => part.trim());
  const printed = PRINTING.exec(first)?.[1];
  const [, from, to, path = printed] = CUTTING.exec(second ?? first) ?? [];
  if (more.length > 0) return undefined;
  if (path !== undefined && from !== undefined) return { path, range: [Number(from), Number(to) + 1] };
  const isWhole = second === undefined && printed !== undefined;
  return isWhole ? { path: printed, range: [1, Number.POSITIVE_INFINITY] } : undefined;
}

/** When a result went out of sight, by the decisions made for the answer or before. */
export function createGoneAt(history: History, find: Find, answer: Message) {
  const { completed, created = 0 } = answer.info.time ?? {};
  const isEarly = ({ at }: { at: number }): boolean => at <= (completed ?? created);
  const cuts = [...history.messages.keys()].flatMap((index) => {
    const key = history.keyOf(index);
    const cut = key && find(key.key)?.cut;
    return cut?.text !== undefined && isEarly(cut) ? [{ index, at: cut.at }] : [];
  });
  return ({ index, key }: Result): number | undefined => {
    const { cleared, judged } = find(key) ?? {};
    const answerKey = history.keyOf(index);
    const dropped = answerKey && find(answerKey.key)?.dropped;
    if (dropped && isEarly(dropped)) return dropped.at;
    // Of a shrunk result the model has what counts.
    const decided = [cleared, judged?.outcome === "shrunk" ? undefined : judged].flatMap((one) =>
      one?.text !== undefined && isEarly(one) ? one.at : [],
    );
    const times = [...decided, ...cuts.filter((cut) => cut.index > index).map(({ at }) => at)];
    return times.length === 0 ? undefined : Math.min(...times);
  };
}
