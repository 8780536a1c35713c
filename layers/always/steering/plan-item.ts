/** What a entry in the context is to a person: its size, its state, and what each action would free and cost. Pure. */
import { formatCount } from "../../../src/base/format.js";
import { findLongInput } from "../../../src/context/clear-input.js";
import { countCharacters } from "../../../src/context/context-size.js";
import { findText, STEERING, type Standing } from "../../../src/context/replay.js";
import type { Message, ToolPart } from "../../../src/io/message.js";
import { formatInput } from "../../../src/messages/call.js";
import type { Action, ContextItem, ItemState } from "../../../src/status/context-items.js";
import { toSafeLine } from "../../../src/text/text.js";
import {
  type CutEntry,
  type Entry,
  findWords,
  formatTools,
  type InputEntry,
  type ResultEntry,
  type Surroundings,
  type TurnEntry,
} from "./entries.js";
import { findBack, planAction } from "./plan-action.js";

const NAME_CHARACTERS = 80;

export function planItem(entry: Entry, given: Surroundings): ContextItem {
  const { answersSince, seen, turns } = given;
  const standing = seen.find(entry.key.key);
  const measured = measure(entry, given);
  const planned: ContextItem = {
    id: entry.id,
    kind: entry.kind,
    turn: turns[entry.index] ?? 0,
    ...describe(entry, given),
    ...measured,
    age: answersSince(entry.index),
    isPinned: standing?.pinned !== undefined,
    ...findFile(entry, standing),
    actions: {},
  };
  const not: ContextItem["not"] = {};
  for (const action of POSSIBLE[entry.kind]) {
    const found = planAction(action, planned, { entry, standing, given });
    if (typeof found === "string") not[action] = found;
    else if (found) planned.actions[action] = found;
  }
  return Object.keys(not).length > 0 ? { ...planned, not } : planned;
}

const OF_TEXTS = ["drop", "pin", "unpin", "expand"] as const;
const POSSIBLE: Readonly<Record<Entry["kind"], readonly Action[]>> = {
  result: OF_TEXTS,
  input: OF_TEXTS,
  turn: OF_TEXTS,
  cut: ["undo-cut"],
  summary: ["undo-cut"],
};

type Measured = Pick<ContextItem, "tokens" | "wholeTokens" | "state">;

/** Its tokens as sent and whole, and its state. */
export function measure(entry: Entry, given: Surroundings): Measured {
  const standing = given.seen.find(entry.key.key);
  switch (entry.kind) {
    case "result":
      return measureResult(entry, standing, given);
    case "input":
      return measureInput(entry, standing, given);
    case "turn":
      return measureTurn(entry, standing, given);
    case "cut":
      return measureCut(entry, given);
    case "summary": {
      const tokens = toTokens(countCharacters(messagesFrom(given, entry.index, entry.index + 1)), given);
      return { tokens, wholeTokens: tokens, state: "cut" };
    }
  }
}

function measureResult(
  { result }: ResultEntry,
  standing: Standing | undefined,
  given: Surroundings,
): Measured {
  const shown = toTokens((findText(result, standing) ?? result.text).length, given);
  const file = (standing?.cleared ?? standing?.judged)?.file;
  const bytes = file === undefined ? undefined : given.bytesOf(file);
  const wholeTokens = toTokens(Math.max(result.text.length, bytes ?? 0), given);
  const back = countBack(standing, given);
  return { tokens: shown + back, wholeTokens, state: back > 0 ? "expanded" : findState(standing) };
}

function measureInput({ result }: InputEntry, standing: Standing | undefined, given: Surroundings): Measured {
  const wholeTokens = toTokens(measureLong(result.part), given);
  const cleared = standing?.cleared?.text;
  const back = countBack(standing, given);
  const shown = cleared === undefined ? wholeTokens : toTokens(cleared.length, given);
  return { tokens: shown + back, wholeTokens, state: back > 0 ? "expanded" : findState(standing) };
}

const measureLong = (part: ToolPart): number =>
  findLongInput(part)?.characters ?? JSON.stringify(part.state.input ?? {}).length;

function measureTurn(
  { end, index }: TurnEntry,
  standing: Standing | undefined,
  given: Surroundings,
): Measured {
  const shown = toTokens(countCharacters(messagesFrom(given, index, end)), given);
  const whole = toTokens(countCharacters(given.seen.history.messages.slice(index, end)), given);
  const back = countBack(standing, given);
  return {
    tokens: shown + back,
    wholeTokens: Math.max(shown, whole),
    state: back > 0 ? "expanded" : standing?.dropped ? "dropped" : "whole",
  };
}

function measureCut(entry: CutEntry, given: Surroundings): Measured {
  const tokens = toTokens(entry.cut.text?.length ?? 0, given);
  const added = toTokens(countCharacters(given.showUncut(entry)) - countCharacters(given.view), given);
  return { tokens, wholeTokens: Math.max(0, tokens + added), state: "cut" };
}

const toTokens = (characters: number, { tokensPerCharacter }: Surroundings): number =>
  Math.ceil(characters * tokensPerCharacter);

/** Messages of the view by their indexes in the history. */
function messagesFrom({ seen, view }: Surroundings, index: number, end: number): readonly Message[] {
  const shift = seen.history.messages.length - view.length;
  return view.slice(Math.max(0, index - shift), Math.max(0, end - shift));
}

function findState(standing: Standing | undefined): ItemState {
  if (standing?.cleared) return standing.cleared.layer === STEERING ? "dropped" : "cleared";
  return standing?.judged?.outcome === "replaced" ? "spilled" : "whole";
}

/** Tokens of what was brought back and still stands behind a message that is sent. */
function countBack(standing: Standing | undefined, given: Surroundings): number {
  const back = findBack(standing, given.seen);
  return back ? toTokens(back.text.length, given) : 0;
}

function describe(entry: Entry, given: Surroundings): Pick<ContextItem, "name" | "superseded" | "tool"> {
  const { nameOnce, project, seen, superseded } = given;
  const { messages } = seen.history;
  if (entry.kind === "turn") {
    const words = nameOnce(entry.id, () => toSafeLine(findWords(messages, entry.index), NAME_CHARACTERS));
    return { name: words === "" ? formatTools(messages.slice(entry.index, entry.end)) : words };
  }
  if (entry.kind === "cut") return { name: `the first ${formatCount(entry.index)} messages` };
  if (entry.kind === "summary") return { name: "what came before it" };
  const { part } = entry.result;
  const why = entry.kind === "result" ? superseded.get(part) : undefined;
  return {
    tool: part.tool,
    name: nameOnce(entry.id, () => formatInput(part, NAME_CHARACTERS).replaceAll(`${project}/`, "")),
    ...(why !== undefined && { superseded: why }),
  };
}

function findFile({ kind }: Entry, standing: Standing | undefined): Pick<ContextItem, "file"> {
  if (kind === "cut" || kind === "summary") return {};
  const file = (standing?.dropped ?? standing?.cleared ?? standing?.judged ?? standing?.pinned)?.file;
  return file === undefined ? {} : { file };
}
