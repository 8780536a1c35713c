/**
 * OpenCode in this process, as far as a recorded session can tell: it keeps the messages, calls the plugin's hooks in
 * the host's order, sends requests, and summarizes when the window is full.
 */
import type { Message, Part, ToolPart } from "../../../src/conversation/message.js";
import { createModelRequest, type ModelRequest } from "../../host/stage/model-request.js";
import { countOutput, countPrompt } from "../../host/stage/model-usage.js";
import type { PromptCache } from "../../host/stage/prompt-cache.js";
import type { PlannedCall, Step } from "../../host/stage/steps.js";
import type { RecordedAnswer } from "../../sessions/recorded-answers.js";
import { BYTES_PER_TOKEN } from "../../sessions/request-record.js";
import { AFTER_SUMMARY, BEFORE_SUMMARY, findTail, toSummaryRequest } from "./compaction.js";
import {
  answerMessage,
  copyMessages,
  MODEL,
  SESSION,
  toolPart,
  toWire,
  userMessage,
} from "./host-messages.js";
import type { Opening } from "./opening.js";
import type { SimulatedPlugin } from "./simulated-plugin.js";

/** The host keeps so much of the window for an answer. */
export const OUTPUT_TOKENS = 8_000;

export interface SimulatedHostOptions {
  opening: Opening;
  window: number;
  /** Filled by the host. */
  messages: Message[];
  plugin: SimulatedPlugin;
  cache: PromptCache;
  now: () => number;
  respond: (request: ModelRequest) => Step;
  /** Runs a tool. */
  run: (callID: string, tool: string, args: Record<string, unknown>) => RecordedAnswer;
}

export interface SimulatedHost {
  /** Plays a turn. */
  ask(text: string): Promise<void>;
}

export function createSimulatedHost(options: SimulatedHostOptions): SimulatedHost {
  const { opening, window, messages, plugin, cache, now, respond, run } = options;
  const usableTokens = window - OUTPUT_TOKENS;
  let count = 0;
  /** Messages that the model still gets: from the last summary's question on. */
  let inUse: Message[] = [];

  const nextID = (): string => `msg_${String(++count).padStart(8, "0")}`;

  function keep(message: Message): Message {
    messages.push(message);
    inUse.push(message);
    return message;
  }

  async function addUser(text: string, part: Partial<Part> = {}): Promise<void> {
    const message = keep(userMessage(nextID(), text, now(), part));
    const { info, parts } = message;
    await plugin.tell("chat.message", { sessionID: SESSION, agent: "build" }, { message: info, parts });
    await plugin.event("message.updated", { info, sessionID: SESSION });
  }

  function send(body: object): { request: ModelRequest; step: Step } {
    const raw = Buffer.from(JSON.stringify({ model: MODEL.modelID, ...body }));
    const request = createModelRequest({ raw, sessionID: SESSION, parentSessionID: undefined, at: now() });
    const step = respond(request);
    countPrompt(request, cache, BYTES_PER_TOKEN);
    if (step.kind === "say" || step.kind === "calls") countOutput(request, step, BYTES_PER_TOKEN);
    return { request, step };
  }

  async function runCall({ id = "", tool, args }: PlannedCall, index: number): Promise<ToolPart> {
    const call = { tool, sessionID: SESSION, callID: id };
    await plugin.tell("tool.execute.before", call, { args });
    const part = toolPart({ id, tool, args }, run(id, tool, args), now() + index);
    await plugin.event("message.part.updated", { part: { ...part, sessionID: SESSION } });
    return part;
  }

  /** Sends a request; returns whether the model called tools. */
  async function request(): Promise<{ hasCalls: boolean; isFull: boolean }> {
    const view = { messages: copyMessages(inUse) };
    await plugin.tell("experimental.chat.messages.transform", {}, view);
    const limit = { context: window, output: OUTPUT_TOKENS };
    const model = { id: MODEL.modelID, providerID: MODEL.providerID, limit };
    await plugin.tell("chat.params", { sessionID: SESSION, agent: "build", model }, {});
    const { request: sent, step } = send({
      messages: [...opening.system, ...toWire(view.messages)],
      tools: opening.tools,
    });
    const text = step.kind === "say" || step.kind === "calls" ? (step.text ?? "") : "";
    const calls = step.kind === "calls" ? step.calls : [];
    const parts: Part[] = text === "" ? [] : [{ type: "text", text }];
    for (const [index, call] of calls.entries()) parts.push(await runCall(call, index));
    const { promptTokens, cachedTokens, outputTokens } = sent;
    const counts = { at: now(), sent: promptTokens, cached: cachedTokens, answered: outputTokens };
    const { info } = keep(answerMessage(nextID(), parts, counts));
    await plugin.event("message.updated", { info, sessionID: SESSION });
    await plugin.idle();
    return { hasCalls: calls.length > 0, isFull: promptTokens + outputTokens >= usableTokens };
  }

  async function compact(): Promise<void> {
    const tail = inUse.slice(findTail(inUse, usableTokens));
    const { step } = send({ messages: toSummaryRequest(inUse.slice(0, inUse.length - tail.length)) });
    const text = step.kind === "say" ? step.text : "";
    const counts = { at: now(), isSummary: true, sent: 0, cached: 0, answered: 0 };
    const question = userMessage(nextID(), BEFORE_SUMMARY, now());
    const summary = answerMessage(nextID(), [{ type: "text", text }], counts);
    messages.push(question, summary);
    inUse = [question, summary, ...tail];
    await plugin.event("session.compacted", { sessionID: SESSION });
    await addUser(AFTER_SUMMARY, { synthetic: true });
  }

  return {
    async ask(text) {
      await addUser(text);
      for (;;) {
        const { hasCalls, isFull } = await request();
        if (isFull && plugin.mayCompact()) await compact();
        else if (!hasCalls) break;
      }
      await plugin.event("session.idle", { sessionID: SESSION });
      await plugin.idle();
    },
  };
}
