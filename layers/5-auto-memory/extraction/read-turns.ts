/** What a session has brought since the cursor: the user's messages, read for what may matter later, and the commands. Pure. */
import { isToolPart, type Message } from "../../../src/io/message.js";
import { type MemoryType, usersTypes } from "../../../src/memory/memory.js";
import { readOwnTexts, readTime } from "../../../src/messages/call.js";
import { compareStatements } from "../../../src/text/compare.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { cut, toLine } from "../../../src/text/text.js";
import { findMark } from "../words/marked.js";
import { readStatements, type Statement } from "../words/statements.js";
import { weighShape } from "../words/worth.js";
import { type RanCommand, readCommands } from "./commands.js";
import type { Cursor } from "./cursor.js";

/** What a user said in one message. */
export interface SaidTurn {
  messageID: string;
  saidMs: number;
  /** In the user's words, secrets taken out. */
  text: string;
  statements: readonly Statement[];
  /** Those that say themselves that they last; of the agent's own turn only what it has left out. */
  marked: readonly { statement: Statement; type: MemoryType }[];
  /** Probability that the message holds something to know; 0 where the agent has saved something itself. */
  worth: number;
  /** What the agent had asked or done before. */
  context?: string;
}

export interface Unread {
  turns: readonly SaidTurn[];
  commands: readonly RanCommand[];
  /** Where the cursor goes once all of it is written. */
  next: Pick<Cursor, "callsUntilMs" | "untilMs">;
}

/** A message of more than 20,000 characters is somebody else's text; see `readStatements`. */
const LOOKED_AT = 25_000;

/** `isTheirs`: did the user write this text? */
export function planUnread(
  messages: readonly Message[],
  cursor: Pick<Cursor, "callsUntilMs" | "untilMs">,
  isTheirs: (text: string) => boolean = () => true,
): Unread {
  const turns: SaidTurn[] = [];
  const commands: RanCommand[] = [];
  let { callsUntilMs, untilMs } = cursor;
  for (const [index, message] of messages.entries()) {
    const atMs = readTime(message.info);
    if (atMs === undefined) continue;
    for (const command of readCommands(message)) {
      if (command.atMs <= cursor.callsUntilMs) continue;
      commands.push(command);
      callsUntilMs = Math.max(callsUntilMs, command.atMs);
    }
    if (message.info.role !== "user" || atMs <= cursor.untilMs) continue;
    untilMs = Math.max(untilMs, atMs);
    const whole = readOwnTexts(message.parts).filter(isTheirs).join("\n\n");
    const { text } = redactSecrets(cut(whole, LOOKED_AT));
    if (text !== "") turns.push(readTurn(messages, index, { atMs, text }));
  }
  return { turns, commands, next: { untilMs, callsUntilMs } };
}

function readTurn(
  messages: readonly Message[],
  index: number,
  { atMs, text }: { atMs: number; text: string },
): SaidTurn {
  const { id } = (messages[index] as Message).info;
  const last = messages.findLastIndex(({ info }, at) => at < index && info.role === "user");
  const before = messages.slice(last + 1, index).filter(({ info }) => info.summary !== true);
  const asked = before.flatMap(({ parts }) => readOwnTexts(parts)).at(-1);
  const statements = readStatements({ id, text, ...(asked !== undefined && { asked }) });
  const saved = readSaved(messages, index);
  const marked = statements.flatMap((statement) => {
    const type = findMark(statement, statements);
    const isOpen = type !== undefined && (saved === undefined || isLeftOut(statement, type, saved));
    return isOpen ? [{ statement, type }] : [];
  });
  const worth = saved === undefined ? weighShape({ statements, characters: text.length }) : 0;
  const context = describeBefore(before, asked);
  return {
    ...{ messageID: id, saidMs: atMs, text, statements, marked, worth },
    ...(context !== undefined && { context }),
  };
}

const LONGEST_ASKED = 140;
const MOST_CALLS = 3;

/** "the agent had asked: Shall I add retries?; had called edit src/http.ts, bash npm test" */
function describeBefore(before: readonly Message[], asked: string | undefined): string | undefined {
  const calls = before.flatMap(({ parts }) => parts.filter(isToolPart));
  const done = calls.slice(-MOST_CALLS).map(({ state, tool }) => {
    const { command, filePath, path } = state?.input ?? {};
    const what = [filePath, path, command].find((one) => typeof one === "string");
    return what === undefined ? tool : `${tool} ${toLine(String(what), 50)}`;
  });
  const line = asked?.trim().split("\n").at(-1)?.trim() ?? "";
  const verb = /[?？]\W*$/.test(line) ? "asked" : "said";
  const notes = [
    ...(line === "" ? [] : [`the agent had ${verb}: ${toLine(line, LONGEST_ASKED)}`]),
    ...(done.length === 0 ? [] : [`had called ${done.join(", ")}`]),
  ];
  return notes.length === 0 ? undefined : notes.join("; ");
}

/** Calls by which the agent itself saves something of this turn; what it keeps by letter was said before. */
const SAVING_TOOLS = new Set(["memory_remember", "memory_update"]);

interface Saved {
  content: string;
  /** As the user's word, so that the user's sentence was kept and not the agent's. */
  isUsers: boolean;
}

/** What the agent has saved in its answers to this message, before the user's next one; `undefined` for nothing. */
function readSaved(messages: readonly Message[], asked: number): readonly Saved[] | undefined {
  const next = messages.findIndex(({ info }, index) => index > asked && info.role === "user");
  const answers = messages.slice(asked + 1, next === -1 ? undefined : next);
  const calls = answers
    .flatMap(({ parts }) => parts.filter(isToolPart))
    .filter(({ state, tool }) => SAVING_TOOLS.has(tool) && state?.status === "completed");
  if (calls.length === 0) return undefined;
  return calls.flatMap(({ state }) => {
    const { content, type } = state.input ?? {};
    const isUsers = usersTypes.has(type as MemoryType);
    return typeof content === "string" ? [{ content, isUsers }] : [];
  });
}

/** A rule of the user's is not made up for by what the agent has noted about it. */
function isLeftOut({ text }: Statement, type: MemoryType, saved: readonly Saved[]): boolean {
  return saved.every(({ content, isUsers }) => {
    const relation = compareStatements(text, content);
    return usersTypes.has(type) ? !isUsers || relation !== "same" : relation === "other";
  });
}
