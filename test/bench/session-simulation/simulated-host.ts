/**
 * OpenCode in this process, as far as a recorded session can tell: it keeps the messages, calls the plugin's hooks in
 * the host's order, sends requests, and summarizes when the window is full.
 */
import type { Message, ModelName, Part, ToolPart } from "../../../src/io/message.js";
import { createModelRequest, type ModelRequest } from "../../host/stage/model-request.js";
import type { PromptCache } from "../../host/stage/prompt-cache.js";
import { countOutput, countPrompt } from "../../host/stage/scripted-model.js";
import type { PlannedCall, Step } from "../../host/stage/steps.js";
import type { RecordedAnswer } from "../../sessions/recorded-answers.js";
import { BYTES_PER_TOKEN } from "../../sessions/request-record.js";
import { AFTER_SUMMARY, BEFORE_SUMMARY, findTail, toSummaryRequest } from "./compaction.js";
import { answerMessage, copyMessages, SESSION, toolPart, toWire, userMessage } from "./host-messages.js";
import type { Opening } from "./opening.js";
import type { SimulatedPlugin } from "./simulated-plugin.js";

/** The host keeps so much of the window for an answer. */
const OUTPUT_TOKENS = 8_000;

export interface SimulatedHostOptions {
  opening: Opening;
  window: number;
  model: ModelName;
  /** What the model costs, as the host says it; absent if nothing is known. */
  cost?: object | undefined;
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
  const { cost, messages, model, now, plugin, window } = options;
  const usableTokens = window - OUTPUT_TOKENS;
  const provider = createProvider(options);
  let count = 0;
  /** Messages that the model still gets: from the last summary's question on. */
  let inUse: Message[] = [];

  const nextID = (): string => `msg_${String(++count).padStart(8, "0")}`;

  function keep(message: Message): Message["info"] {
    messages.push(message);
    inUse.push(message);
    return message.info;
  }

  async function addUser(text: string, part: Partial<Part> = {}): Promise<void> {
    const message = userMessage({ id: nextID(), text, at: now(), model, part });
    const info = keep(message);
    const { parts } = message;
    await plugin.tell("chat.message", { sessionID: SESSION, agent: "build" }, { message: info, parts });
    await plugin.event("message.updated", { info, sessionID: SESSION });
  }

  async function answer(): Promise<{ hasCalls: boolean; isFull: boolean }> {
    const view = { messages: copyMessages(inUse) };
    await plugin.tell("experimental.chat.messages.transform", {}, view);
    const asked = {
      id: model.modelID,
      providerID: model.providerID,
      limit: { context: window, output: OUTPUT_TOKENS },
      ...(cost && { cost }),
    };
    await plugin.tell("chat.params", { sessionID: SESSION, agent: "build", model: asked }, {});
    const { request, text, calls } = provider.ask(view.messages);
    const parts: Part[] = text === "" ? [] : [{ type: "text", text }];
    for (const [index, call] of calls.entries()) parts.push(await runCall(options, call, index));
    const { promptTokens, cachedTokens, outputTokens } = request;
    const counts = { at: now(), model, sent: promptTokens, cached: cachedTokens, answered: outputTokens };
    const info = keep(answerMessage(nextID(), parts, counts));
    await plugin.event("message.updated", { info, sessionID: SESSION });
    await plugin.idle();
    return { hasCalls: calls.length > 0, isFull: promptTokens + outputTokens >= usableTokens };
  }

  async function compact(): Promise<void> {
    const tail = inUse.slice(findTail(inUse, usableTokens));
    const text = provider.summarize(inUse.slice(0, inUse.length - tail.length));
    const counts = { at: now(), model, isSummary: true, sent: 0, cached: 0, answered: 0 };
    const question = userMessage({ id: nextID(), text: BEFORE_SUMMARY, at: now(), model });
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
        const { hasCalls, isFull } = await answer();
        if (isFull && plugin.mayCompact()) await compact();
        else if (!hasCalls) break;
      }
      await plugin.event("session.idle", { sessionID: SESSION });
      await plugin.idle();
    },
  };
}

/** A model's answer to a request. */
interface Answered {
  request: ModelRequest;
  text: string;
  calls: readonly PlannedCall[];
}

/** Sends requests as the host does, and counts them as the scripted model does. */
function createProvider({ opening, cache, model, now, respond }: SimulatedHostOptions) {
  function send(body: object): Answered {
    const raw = Buffer.from(JSON.stringify({ model: model.modelID, ...body }));
    const request = createModelRequest({ raw, sessionID: SESSION, parentSessionID: undefined, at: now() });
    const step = respond(request);
    if (step.kind !== "say" && step.kind !== "calls")
      throw new Error(`a simulated model cannot ${step.kind}`);
    countPrompt(request, cache, BYTES_PER_TOKEN);
    countOutput(request, step, BYTES_PER_TOKEN);
    return { request, text: step.text ?? "", calls: step.kind === "calls" ? step.calls : [] };
  }
  return {
    ask: (view: readonly Message[]): Answered =>
      send({ messages: [...opening.system, ...toWire(view)], tools: opening.tools }),
    summarize: (head: readonly Message[]): string => send({ messages: toSummaryRequest(head) }).text,
  };
}

async function runCall(
  { now, plugin, run }: SimulatedHostOptions,
  { id = "", tool, args }: PlannedCall,
  index: number,
): Promise<ToolPart> {
  await plugin.tell("tool.execute.before", { tool, sessionID: SESSION, callID: id }, { args });
  const part = toolPart({ id, tool, args }, run(id, tool, args), now() + index);
  await plugin.event("message.part.updated", { part: { ...part, sessionID: SESSION } });
  return part;
}
