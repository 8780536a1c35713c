import { isToolPart, type Message, type ToolPart } from "../../../src/conversation/message.js";
import { readOwnTexts, readTime } from "../../../src/conversation/own-texts.js";
import { type MemoryType, usersTypes } from "../../../src/memory/memory.js";
import { removeSecrets } from "../../../src/secrets/secrets.js";
import type { Sliced } from "../../../src/slices.js";
import { compareStatements } from "../../../src/statement/compare.js";
import { cut } from "../../../src/text.js";
import { lookForSignals, type Signal } from "../signals/find-signals.js";
import type { RanCommand } from "../signals/repeated-commands.js";
import type { Learned } from "../signals/weigh.js";
import type { Cursor } from "./extraction-cursor.js";

/** What a user said in one message, with the signals in it. */
export interface SaidTurn {
  messageID: string;
  saidMs: number;
  /** In the user's words, secrets taken out. */
  text: string;
  /** Where the agent has saved something itself, only those that are plainly meant to last and that it has left out. */
  signals: readonly Signal[];
  /** Likely and not sure; none where the agent has saved something itself. */
  candidates: readonly Signal[];
}

/** What stands behind so much is not looked for. */
const LOOKED_AT = 200_000;
/** Calls by which the agent itself saves something. */
const SAVING_TOOLS = new Set(["memory_remember", "memory_update"]);

export interface Unread {
  turns: readonly SaidTurn[];
  commands: readonly RanCommand[];
  /** Where the cursor goes once all of it is written. */
  next: Cursor;
}

export interface Reading {
  /** Did the user write this text? */
  isTheirs(text: string): boolean;
  /** Replaced in tests only. */
  learned?: Learned;
}

/** What a session has brought since the cursor. Pure, in slices. */
export function* planUnread(
  messages: readonly Message[],
  cursor: Cursor,
  { isTheirs, learned }: Reading = { isTheirs: () => true },
): Sliced<Unread> {
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
    const { text } = yield* removeSecrets(cut(whole, LOOKED_AT));
    if (text === "") continue;
    const saved = readSaved(messages, index);
    const found = yield* lookForSignals(text, learned);
    const signals = found.signals.filter((signal) => saved === undefined || isLeftOut(signal, saved));
    const candidates = saved === undefined ? found.candidates : [];
    turns.push({ messageID: message.info.id, saidMs: atMs, text, signals, candidates });
  }
  return { turns, commands, next: { untilMs, callsUntilMs } };
}

/** When the newest that these messages tell of was; 0 where none says. */
export function findNewest(messages: readonly Message[]): number {
  const times = messages.flatMap((message) => [
    readTime(message.info) ?? 0,
    ...readCommands(message).map(({ atMs }) => atMs),
  ]);
  return times.reduce((newest, atMs) => Math.max(newest, atMs), 0);
}

/** What the agent has saved in its answers to this message, before the user's next one; `undefined` for nothing. */
function readSaved(messages: readonly Message[], asked: number): readonly Saved[] | undefined {
  const next = messages.findIndex(({ info }, index) => index > asked && info.role === "user");
  const answers = messages.slice(asked + 1, next === -1 ? undefined : next);
  const calls = answers.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      isToolPart(part) && SAVING_TOOLS.has(part.tool) && part.state?.status === "completed" ? [part] : [],
    ),
  );
  if (calls.length === 0) return undefined;
  return calls.flatMap(({ state }) => {
    const { content, type } = state.input ?? {};
    const isUsers = usersTypes.has(type as MemoryType);
    return typeof content === "string" ? [{ content, isUsers }] : [];
  });
}

interface Saved {
  content: string;
  /** As the user's word, so that the user's sentence was kept and not the agent's. */
  isUsers: boolean;
}

/** A rule of the user's is not made up for by what the agent has noted about it. */
function isLeftOut({ isExplicit, text, type }: Signal, saved: readonly Saved[]): boolean {
  if (!isExplicit) return false;
  return saved.every(({ content, isUsers }) => {
    const relation = compareStatements(text, content);
    return usersTypes.has(type) ? !isUsers || relation !== "same" : relation === "other";
  });
}

/** Shell commands that have ended, with how. */
function readCommands({ parts }: Message): RanCommand[] {
  return parts.flatMap((part) => {
    if (!isToolPart(part) || part.tool !== "bash") return [];
    const command: unknown = part.state?.input?.command;
    const atMs = part.state?.time?.end;
    if (typeof command !== "string" || atMs === undefined) return [];
    return [{ command, atMs, hasSucceeded: hasSucceeded(part) }];
  });
}

function hasSucceeded({ state: { metadata, status } }: ToolPart): boolean {
  return status === "completed" && metadata?.exit === 0;
}
