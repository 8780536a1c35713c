/**
 * Plays a session again in this process: OpenCode 1, as far as a session can tell. The agent says and calls what it did
 * then, and the tools answer as then; what it is about to edit and no longer sees is read again first, and paid for. An
 * arm stands between the history and each request: nothing, the plugin with its real layers, or another policy.
 *
 *     const bare = await simulate(messages, given);
 *     const strata = await simulate(messages, { ...given, openArm: planPlugin(…) });
 */
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import {
  isSummary,
  isToolPart,
  type Message,
  type ModelName,
  type Part,
  type ToolPart,
} from "../io/message.js";
import { readOwnTexts } from "../messages/call.js";
import { applyCall, createLookUps, type LookUps, type PlayedCall, toCall, toPart } from "./look-ups.js";
import {
  AFTER_SUMMARY,
  BEFORE_SUMMARY,
  createPromptCache,
  findTail,
  type PromptCache,
  readSent,
  type SentMessage,
  type SentTool,
  type Talk,
  tokensOfBytes,
  toSent,
  toSummaryRequest,
  writeSummary,
} from "./requests.js";

export const SESSION = "ses_trial";

/** How every request begins. */
export type Opening = { tools: readonly SentTool[]; system: readonly SentMessage[] };

/** What stands between history and requests. */
export interface Arm {
  turn(message: Message): Promise<void>;
  /** Changes what is about to be sent, in place. */
  view(messages: Message[]): Promise<void>;
  /** The model that is about to answer. */
  model(asked: { id: string; providerID: string; limit: Window; cost?: unknown }): Promise<void>;
  call(part: ToolPart): Promise<void>;
  /** One of the host's own events. */
  event(type: string, properties: object): Promise<void>;
  /** Whether the host may summarize by itself. */
  mayCompact(): boolean;
  /** Resolves when it has nothing left to do. */
  idle(): Promise<void>;
  close(): Promise<void>;
  /** Further tools that it offers. */
  tools: readonly SentTool[];
}

type Window = Record<"context" | "output", number>;

/** The time and the messages as the host has them. */
export type ArmGiven = { clock: Clock; messages: readonly Message[] };

const nothing = async (): Promise<void> => {};

export const bare = async (): Promise<Arm> => ({
  ...{ turn: nothing, view: nothing, model: nothing, call: nothing, event: nothing, idle: nothing },
  ...{ close: nothing, mayCompact: () => true, tools: [] },
});

export interface SimulationOptions {
  clock: Clock;
  /** Has what the calls did to files under `folder`. */
  files: Files;
  /** The project. Paths of the messages begin with it. */
  folder: string;
  opening: Opening;
  model: ModelName;
  cost?: unknown;
  window: Window;
  /** Whether time passes between requests as it did then, without waiting. */
  hasPauses: boolean;
  openArm?: (given: ArmGiven) => Promise<Arm>;
  /** Told of each request once it is answered. */
  onRequest?: (request: PlayedRequest) => void;
  /** Told of how many messages have been played. */
  onStep?: (done: number, all: number) => void;
  stop?: AbortSignal;
}

export interface SimulatedRequest {
  kind: "agent" | "summary";
  /** Milliseconds since 1970. */
  at: number;
  sent: number;
  cached: number;
  answered: number;
  /** Characters of each result that was read again before an edit; none for other requests. */
  readAgain: readonly number[];
}

/** With its contents. */
export interface PlayedRequest extends SimulatedRequest {
  tools: readonly SentTool[];
  messages: readonly SentMessage[];
  json: readonly string[];
  /** The recorded answer that it got, or was read again for; absent if it got another. */
  answer?: Message;
}

export interface Simulated {
  requests: SimulatedRequest[];
  /** How long the host waited for the arm. */
  armMs: number;
  edits: number;
  blindEdits: number;
}

interface Play extends SimulationOptions {
  arm: Arm;
  /** Time as the host has it. No two readings are the same, as the messages of a session need. */
  now(): number;
  cache: PromptCache;
  looks: LookUps;
  /** All messages, and those that the model still gets: from the last summary's question on. */
  kept: Message[];
  inUse: Message[];
  talk: { [name in keyof Talk]: string[] };
  simulated: Simulated;
}

/** @param messages of a session, as the host has stored them. Its own summaries are left out: it makes them anew. */
export async function simulate(messages: readonly Message[], options: SimulationOptions): Promise<Simulated> {
  const recorded = messages.flatMap(readPlayable);
  const time = createTime(options.clock, options.hasPauses ? recorded[0]?.info.time?.created : undefined);
  const kept: Message[] = [];
  const clock = { ...options.clock, now: time.now };
  const arm = await (options.openArm ?? bare)({ clock, messages: kept });
  const looks = createLookUps(options.files);
  const simulated: Simulated = { requests: [], armMs: 0, edits: 0, blindEdits: 0 };
  const play: Play = {
    ...options,
    ...{ arm, now: time.now, kept, inUse: [], looks, simulated },
    cache: createPromptCache({ now: time.now }),
    talk: { asked: [], said: [], paths: [] },
  };
  try {
    for (const [index, message] of recorded.entries()) {
      options.stop?.throwIfAborted();
      time.reach(message.info.time?.created);
      const isLast = recorded[index + 1]?.info.role !== "assistant";
      if (message.info.role === "user") await addUser(play, message);
      else await answer(play, message, isLast);
      if (isLast) await play.arm.event("session.idle", { sessionID: SESSION });
      options.onStep?.(index + 1, recorded.length);
    }
  } finally {
    await arm.close();
  }
  return Object.assign(simulated, looks.counts);
}

/** The message without what the host will do itself, or did not finish; none if nothing is left. */
export function readPlayable(message: Message): Message[] {
  const { info } = message;
  if (isSummary(message) || info.summary === true || info.error) return [];
  const parts = message.parts.filter(
    (part) =>
      (part.type === "text" && part.text) ||
      (isToolPart(part) && /^(completed|error)$/.test(part.state.status)),
  );
  const isPlayed = info.role === "assistant" ? parts.length > 0 : readOwnTexts(parts).length > 0;
  return isPlayed ? [{ info, parts }] : [];
}

/** At each recorded moment it jumps ahead to it; it never goes back. Without a beginning, it does not jump. */
function createTime(clock: Clock, from: number | undefined) {
  let ahead = 0;
  let last = 0;
  const shift = from === undefined ? 0 : clock.now() - from;
  const read = (): number => clock.now() + ahead;
  return {
    now(): number {
      last = Math.max(last + 1, read());
      return last;
    },
    reach(at: number | undefined): void {
      if (at !== undefined && from !== undefined) ahead += Math.max(0, at + shift - read());
    },
  };
}

/** Waits for the arm, and adds up how long. */
async function wait({ clock, simulated }: Play, work: () => Promise<void>): Promise<void> {
  const begunMs = clock.now();
  await work();
  simulated.armMs += clock.now() - begunMs;
}

function keep({ inUse, kept }: Play, message: Message): Message["info"] {
  kept.push(message);
  inUse.push(message);
  return message.info;
}

async function addUser(
  play: Play,
  { info: { id }, parts }: Pick<Message, "parts"> & { info: { id: string } },
) {
  const { arm, model, now, talk } = play;
  const own = { id, sessionID: SESSION, role: "user", time: { created: now() }, agent: "build", model };
  const info = keep(play, { info: own, parts });
  talk.asked.push(...readOwnTexts(parts));
  await wait(play, () => arm.turn({ info, parts }));
  await arm.event("message.updated", { info, sessionID: SESSION });
}

/** Gives a recorded answer, after what has to be read again for it. */
async function answer(play: Play, recorded: Message, isLast: boolean): Promise<void> {
  const calls = recorded.parts.filter(isToolPart).map(toCall);
  for (;;) {
    const view = await askArm(play);
    const first = await play.looks.plan(calls, () => readTexts(view));
    const isFull = await give(play, view, { recorded, calls, first });
    if (isFull && play.arm.mayCompact()) {
      await compact(play);
      // The host goes on by itself behind a summary.
      if (isLast && first.length === 0) await give(play, await askArm(play), { calls: [] });
    }
    if (first.length === 0) return;
  }
}

async function askArm(play: Play): Promise<Message[]> {
  const { arm, cost, inUse, model, window: limit } = play;
  const copy = ({ info, parts }: Message) => ({ info: { ...info }, parts: parts.map((one) => ({ ...one })) });
  const messages = inUse.map(copy);
  const asked = { id: model.modelID, providerID: model.providerID, limit, ...(cost ? { cost } : {}) };
  await wait(play, () => arm.view(messages));
  await wait(play, () => arm.model(asked));
  return messages;
}

/** What is answered: the recorded answer with its calls, or first a look; without either, a word. */
interface Given {
  recorded?: Message;
  calls: readonly PlayedCall[];
  first?: readonly PlayedCall[];
}

/** True if request and answer fill the window. */
async function give(play: Play, view: readonly Message[], given: Given): Promise<boolean> {
  const { arm, kept, looks, model, now, opening, talk, window } = play;
  const { calls, first = [], recorded } = given;
  const id = first.length === 0 && recorded ? recorded.info.id : `msg_${kept.length}_more`;
  const looking = first.map((call, index) => toPart(call, `${id}_${index}`));
  const answered = first.length === 0 ? recorded : undefined;
  const parts = answered?.parts ?? (looking.length > 0 ? looking : [{ type: "text", text: "OK." }]);
  const made = parts.filter(isToolPart);
  const created = now();
  const said = parts.map(({ text = "" }) => text).join("");
  const request = send(play, {
    ...{ kind: "agent" as const, tools: [...opening.tools, ...arm.tools] },
    messages: [...opening.system, ...toSent(view)],
    answered: countAnswer(answered, said, made),
    readAgain: first.map(({ result }) => result.length),
    ...(recorded && { answer: recorded }),
  });
  const ended: Part[] = [];
  for (const part of parts) ended.push(isToolPart(part) ? await runCall(play, part) : part);
  if (first.length === 0) looks.remember(calls);
  talk.said.push(said);
  const { answered: output, cached, sent } = request;
  const info = keep(play, {
    info: {
      ...{ id, sessionID: SESSION, role: "assistant" },
      ...{ ...model, agent: "build", time: { created, completed: now() } },
      tokens: { input: sent - cached, output, reasoning: 0, cache: { read: cached, write: 0 } },
      finish: made.length > 0 ? "tool-calls" : "stop",
    },
    parts: [{ type: "step-start" }, ...ended, { type: "step-finish" }],
  });
  await arm.event("message.updated", { info, sessionID: SESSION });
  await arm.idle();
  return sent + output >= usableTokens(window);
}

/** The host keeps so much of the window free for an answer. */
const usableTokens = ({ context, output }: Window): number => context - output;

/** With the thinking, if the provider has told. */
function countAnswer(recorded: Message | undefined, said: string, made: readonly ToolPart[]): number {
  const { output = 0, reasoning = 0 } = recorded?.info.tokens ?? {};
  if (output + reasoning > 0) return output + reasoning;
  const calls = made.map(({ callID: id, state, tool }) => ({ tool, args: state.input ?? {}, id }));
  return tokensOfBytes(Buffer.byteLength(said + (calls.length > 0 ? JSON.stringify(calls) : "")));
}

type Sent = Omit<PlayedRequest, "at" | "sent" | "cached" | "json">;

function send({ cache, now, onRequest, simulated }: Play, request: Sent): SimulatedRequest {
  const json = request.messages.map((message) => JSON.stringify(message));
  const prompt = [JSON.stringify(request.tools), ...json].join("\n");
  const counted = {
    ...{ kind: request.kind, at: now(), answered: request.answered, readAgain: request.readAgain },
    sent: tokensOfBytes(Buffer.byteLength(prompt)),
    cached: tokensOfBytes(cache.read(prompt)),
  };
  cache.write(prompt);
  simulated.requests.push(counted);
  onRequest?.({ ...request, ...counted, json });
  return counted;
}

async function runCall(play: Play, made: ToolPart): Promise<ToolPart> {
  const { arm, files, folder, now, talk } = play;
  const call = toCall(made);
  await wait(play, () => arm.call(made));
  await applyCall(files, call, folder);
  if (typeof call.args.filePath === "string") talk.paths.push(call.args.filePath);
  const part = { ...made, state: { ...made.state, time: { start: now(), end: now() } } };
  await arm.event("message.part.updated", { part: { ...part, sessionID: SESSION } });
  return part;
}

async function compact(play: Play): Promise<void> {
  const { arm, inUse, kept, model, now, talk, window } = play;
  const tail = inUse.slice(findTail(inUse, usableTokens(window)));
  const text = writeSummary(talk);
  const messages = toSummaryRequest(inUse.slice(0, inUse.length - tail.length));
  const answered = tokensOfBytes(Buffer.byteLength(text));
  send(play, { kind: "summary", tools: [], messages, answered, readAgain: [] });
  const shared = { sessionID: SESSION, agent: "compaction" };
  const question: Message = {
    info: { ...shared, id: `msg_${kept.length}_question`, role: "user", time: { created: now() }, model },
    parts: [{ type: "text", text: BEFORE_SUMMARY }],
  };
  const at = now();
  const made = { ...model, time: { created: at, completed: at + 1 }, finish: "stop", summary: true };
  const summary: Message = {
    info: { ...shared, id: `msg_${kept.length}_summary`, role: "assistant", ...made },
    parts: [{ type: "text", text }],
  };
  kept.push(question, summary);
  play.inUse = [question, summary, ...tail];
  await arm.event("session.compacted", { sessionID: SESSION });
  const goOn = { type: "text", text: AFTER_SUMMARY, synthetic: true };
  await addUser(play, { info: { id: `msg_${kept.length}_on` }, parts: [goOn] });
}

/** All that a request shows of these messages, as the agent reads it. */
const readTexts = (messages: readonly Message[]): string => toSent(messages).map(readSent).join("\n");
