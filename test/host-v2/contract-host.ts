/**
 * A stand-in for OpenCode 2, for what the real one cannot be brought to do: an API that throws or hangs, and nonsense.
 * It behaves as 2.0.15 was seen to, and refuses malformed requests. Sessions outlive the plugin.
 */
import type { StoredMessage, StoredPart, TheirTool } from "../../src/host/2/contract.js";
import type { FakeClock } from "../support/fake-clock.js";
import type { Callback, ContractHost, HostSession } from "./host-types.js";
import { lower } from "./lowering.js";
import { createScriptedModel, type Line, type ScriptedCall, type ScriptedModel } from "./script.js";
import { freeze } from "./theirs.js";
import { validate } from "./validate.js";

export const MODEL = { providerID: "acme", id: "large" };
const AGENT = "build";
const SYSTEM = "You are a coding agent.";
const MOST_STEPS = 60;
const STEP_MS = 5_000;

export function createContractHost(
  clock: Pick<FakeClock, "advance" | "now">,
  {
    directory = "/project",
    model = createScriptedModel(),
  }: { directory?: string; model?: ScriptedModel } = {},
): ContractHost {
  const sessions = new Map<string, HostSession>();
  const hooks = new Map<string, Callback[]>();
  const tools = new Map<string, TheirTool>();
  const listeners = new Set<(event: unknown) => void>();
  const cached = new Map<string, string>();
  let ids = 0;
  const nextID = (prefix: string): string => `${prefix}_${String(++ids).padStart(6, "0")}`;

  const host: ContractHost = {
    ...{ model, sessions, hooks, tools, listeners },
    unload() {
      hooks.clear();
      tools.clear();
      listeners.clear();
    },
    newSession(parentID) {
      const session: HostSession = {
        ...{ id: nextID("ses"), directory, title: "New session", stored: [], updated: clock.now() },
        ...(parentID !== undefined && { parentID }),
      };
      sessions.set(session.id, session);
      emit("session.created", { sessionID: session.id, ...(parentID && { parentID }) });
      return session;
    },
    async ask(session, text) {
      clock.advance(10_000);
      const event = { sessionID: session.id, messageID: nextID("msg"), prompt: { text }, delivery: "steer" };
      await trigger("session.prompt", event);
      admit(session, { id: event.messageID, type: "user", text: event.prompt.text });
      emit("session.execution.started", { sessionID: session.id });
      await run(session);
      emit("session.execution.succeeded", { sessionID: session.id });
    },
    ...{ admit, compact, emit },
  };
  return host;

  function emit(type: string, data: Record<string, unknown>, where = directory): void {
    const event = { id: nextID("evt"), type, created: clock.now(), data, location: { directory: where } };
    for (const listener of listeners) listener(structuredClone(event));
  }

  async function trigger(name: string, event: object): Promise<void> {
    for (const callback of hooks.get(name) ?? []) await callback(event as never);
  }

  function admit(session: HostSession, message: Partial<StoredMessage> & { type: string }): StoredMessage {
    const stored = { id: nextID("msg"), time: { created: clock.now() }, ...message } as StoredMessage;
    session.stored.push(stored);
    session.updated = clock.now();
    return stored;
  }

  async function run(session: HostSession): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step++) {
      const line = await request(session, "primary", contextOf(session));
      const calls = "calls" in line ? line.calls : [];
      await answer(session, line, calls);
      if (calls.length === 0) return;
    }
    throw new Error("the scripted turn does not end");
  }

  /** Sends one request: the hook, the host's checks, the wire. */
  async function request(
    session: HostSession,
    kind: string,
    stored: readonly StoredMessage[],
    hook = "context",
  ): Promise<Line & { result?: string; sent: number; read: number }> {
    const messages = [...freeze(lower(freeze(structuredClone(stored))))];
    const event = {
      ...{ sessionID: session.id, agent: AGENT, model: MODEL, messages, options: {} },
      system: [{ type: "text", text: SYSTEM }],
      tools: Object.fromEntries(
        [...tools].map(([name, { description, input }]) => [name, { description, input }]),
      ),
    } as unknown as { messages: typeof messages; result?: { summary: string } };
    await trigger(`session.${hook}`, event);
    if (event.result) return { say: "", result: event.result.summary, sent: 0, read: 0 };
    const sent = event.messages;
    validate({ messages: sent as never });
    const wire = sent.map(({ content, role }) => JSON.stringify({ role, content }));
    const line = await model.answer({
      sessionID: session.id,
      kind,
      messages: wire,
      tools: [...tools.keys()],
    });
    return { ...line, ...countTokens(session, [SYSTEM, ...tools.keys(), ...wire].join("\n")) };
  }

  /** Four characters a token; what the request shares with the one before comes from the cache. */
  function countTokens({ id }: HostSession, wire: string): { sent: number; read: number } {
    const before = cached.get(id) ?? "";
    cached.set(id, wire);
    let shared = 0;
    while (shared < before.length && before[shared] === wire[shared]) shared++;
    return { sent: Math.ceil(wire.length / 4), read: Math.floor(shared / 4) };
  }

  async function answer(
    session: HostSession,
    { read, say = "", sent }: { say?: string; sent: number; read: number },
    calls: readonly ScriptedCall[],
  ): Promise<void> {
    const message = admit(session, { type: "assistant", agent: AGENT, model: MODEL, content: [] });
    const about = { sessionID: session.id, assistantMessageID: message.id };
    clock.advance(STEP_MS);
    emit("session.step.started", { ...about, agent: AGENT, model: MODEL, started: message.time.created });
    const content: StoredPart[] = say === "" ? [] : [{ type: "text", text: say }];
    for (const one of calls) content.push(await runCall(session, message.id, one));
    const tokens = { input: sent - read, output: 40, reasoning: 0, cache: { read, write: 0 } };
    const finish = calls.length > 0 ? "tool-calls" : "stop";
    const time = { ...message.time, completed: clock.now() };
    session.stored[session.stored.indexOf(message)] = { ...message, content, tokens, finish, time };
    emit("session.step.ended", { ...about, finish, cost: 0, tokens });
  }

  async function runCall(session: HostSession, messageID: string, given: ScriptedCall): Promise<StoredPart> {
    const id = nextID("call");
    const created = clock.now();
    const event = {
      tool: given.name,
      sessionID: session.id,
      agent: AGENT,
      messageID,
      id,
      input: freeze(given.input),
    };
    const state = await trigger("tool.execute.before", event).then(
      () => execute(session, { ...given, input: event.input }, { messageID, id }),
      (thrown: Error) => ({ status: "error", error: { type: "tool.error", message: thrown.message } }),
    );
    clock.advance(100);
    const time = { created, completed: clock.now() };
    return {
      type: "tool",
      id,
      name: given.name,
      time,
      state: { ...state, input: event.input },
    } as StoredPart;
  }

  async function execute(
    session: HostSession,
    { input, metadata = {}, name, result }: ScriptedCall,
    { id, messageID }: { id: string; messageID: string },
  ) {
    const completed = (text: string, more: object = {}) => ({
      status: "completed",
      content: [{ type: "text", text }],
      metadata: { ...metadata, ...more },
    });
    if (result && "error" in result)
      return { status: "error", error: { type: "tool.error", message: result.error } };
    if (result && "text" in result) return completed(result.text);
    if (result) {
      const child = host.newSession(session.id);
      await host.ask(child, result.child);
      return completed("the child is done", { sessionID: child.id });
    }
    const tool = tools.get(name);
    if (!tool) return { status: "error", error: { type: "tool.error", message: `no tool ${name}` } };
    // An error of a tool's would end the turn.
    const place = { sessionID: session.id, messageID, id };
    const done: { content: string; metadata?: object } = await tool.execute(input, place);
    return completed(done.content, done.metadata);
  }

  /** Everything up to the last user's message becomes a checkpoint. */
  async function compact(session: HostSession): Promise<void> {
    const reason = "manual";
    const all = contextOf(session);
    const tail = Math.max(
      1,
      all.findLastIndex(({ type }) => type === "user"),
    );
    emit("session.compaction.started", { sessionID: session.id, reason, recent: "" });
    const older = all.slice(0, tail);
    const line = await request(session, "compaction", older, "compaction");
    const summary = line.result ?? line.say ?? "";
    if (summary.trim() === "" || !summary.split("\n").includes("## Objective")) {
      emit("session.compaction.failed", {
        sessionID: session.id,
        reason,
        error: { type: "compaction.failed", message: "no summary" },
      });
      throw new Error(`Compaction summary did not match the required template: ${summary.slice(0, 80)}`);
    }
    const recent = all
      .slice(tail)
      .map(({ text = "", type }) => `[${type}]: ${text}`)
      .join("\n");
    const { read, sent } = line;
    const tokens = { input: sent - read, output: 40, reasoning: 0, cache: { read, write: 0 } };
    const usage = line.result === undefined ? { tokens } : {};
    admit(session, { type: "compaction", status: "completed", reason, summary, recent, ...usage });
    emit("session.compaction.ended", { sessionID: session.id, reason, text: summary, recent });
  }
}

/** What the model's context is made of: all after the last checkpoint, and that itself. */
export function contextOf({ stored }: HostSession): StoredMessage[] {
  const from = stored.findLastIndex(({ status, type }) => type === "compaction" && status === "completed");
  return stored.slice(Math.max(0, from));
}
