/**
 * A stand-in for OpenCode 2 with the plugin loaded, for what the real one cannot be brought to do: an API that throws or
 * hangs, and nonsense. One session, with fakes for the disk, the clock and the model. It behaves as 2.0.15 was seen to.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stack } from "../../layers/index.js";
import type { StoredMessage, TheirTool } from "../../src/host/2/contract.js";
import { createSetup } from "../../src/host/2/setup.js";
import { createStrata, type Strata } from "../../src/strata.js";
import { createFakeClock, type FakeClock } from "../support/fake-clock.js";
import { GLOBAL, PROJECT, STATE } from "../support/fake-host.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { planKnownProject } from "../support/known-project.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { freeze, HostMessage } from "./theirs.js";

/** How a broken method behaves. */
export type Fault = "absent" | "throws" | "rejects" | "hangs" | "nonsense" | "null";
export type Method = (input: never) => unknown;

/** A call of the model's, and its result if the tool is the host's. */
export interface ScriptedCall {
  name: string;
  input: Record<string, unknown>;
  result?: string;
}

export interface StandInOptions {
  options?: Record<string, unknown>;
  /** By path: `session.context`. */
  faults?: Readonly<Record<string, Fault>>;
  /** Methods by path, each put around the usual one. */
  around?: Readonly<Record<string, (usual: Method) => Method>>;
  clock?: FakeClock;
}

interface HostState {
  clock: FakeClock;
  files: MemoryFiles;
  /** The session as the host has stored it. */
  stored: StoredMessage[];
  /** Each request of the agent's, message by message as it was sent. */
  sent: string[][];
}

export interface StandIn extends HostState {
  hooks: ReadonlyMap<string, (event: never) => unknown>;
  tools: ReadonlyMap<string, TheirTool>;
  strata: Strata | undefined;
  /** A user's message; the agent makes these calls, one a request, and ends. Rejects if the plugin fails the turn. */
  ask(text: string, ...calls: ScriptedCall[]): Promise<void>;
  emit(type: string, data?: object): void;
  end(): Promise<void>;
  log(): Promise<string>;
}

const SESSION = "ses_1";
const MODEL = { providerID: "acme", id: "large" };
const LARGE = {
  ...MODEL,
  cost: [{ input: 5, output: 25, cache: { read: 0.5, write: 6.25 } }],
  limit: { context: 200_000, output: 8_000 },
};
const TOKENS = { input: 100, output: 40, reasoning: 0, cache: { read: 0, write: 0 } };

export async function openStandIn(given: StandInOptions = {}): Promise<StandIn> {
  const clock = given.clock ?? createFakeClock();
  const state: HostState = { clock, files: plantFiles(clock), stored: [], sent: [] };
  const hooks = new Map<string, (event: never) => unknown>();
  const tools = new Map<string, TheirTool>();
  const listeners = new Set<(event: unknown) => void>();
  const context = makeContext(state, { hooks, tools, listeners });
  for (const [path, wrap] of Object.entries(given.around ?? {})) {
    const [domain = "", name = ""] = path.split(".");
    const methods = context[domain] as Record<string, Method>;
    methods[name] = wrap(methods[name] as Method);
  }
  for (const [path, fault] of Object.entries(given.faults ?? {})) breakMethod(context, path, fault);
  const { end, strata } = await startPlugin(state, context, given.options ?? {});
  const emit = (type: string, data: object = {}): void => {
    const event = { type, created: clock.now(), data: { sessionID: SESSION, ...data } };
    for (const listener of listeners) listener({ ...event, location: { directory: PROJECT } });
  };
  const host = { ...state, hooks, tools, strata, emit };
  return {
    ...host,
    ask: (text, ...calls) => runTurn(host, text, calls),
    end: async () => void (await end?.()),
    async log() {
      await strata?.idle();
      return state.files.text(`${PROJECT}/.opencode/strata/strata.log`) ?? "";
    },
  };
}

async function startPlugin({ clock, files }: HostState, context: unknown, set: Record<string, unknown>) {
  let strata: Strata | undefined;
  const setup = createSetup({
    ...{ clock, files },
    parts: stack.layers.map(({ settings }) => settings),
    async open(own, options) {
      const text = JSON.stringify({ plugin: [["opencode-strata", set]] });
      const host = {
        ...own,
        processes: createFakeProcesses(),
        git: { ask: async () => undefined },
        globalFolder: GLOBAL,
        stateFolder: STATE,
        configFiles: [{ path: "OPENCODE_CONFIG_CONTENT", origin: "user" as const, text }],
      };
      strata = await createStrata({ clock, files, host }, stack, options);
      return strata;
    },
  });
  const end = await settle(clock, setup(context));
  return { end, strata };
}

interface Registered {
  hooks: Map<string, (event: never) => unknown>;
  tools: Map<string, TheirTool>;
  listeners: Set<(event: unknown) => void>;
}

function makeContext(
  { clock, stored }: HostState,
  { hooks, listeners, tools }: Registered,
): Record<string, unknown> {
  const hookOf = (domain: string) => async (name: string, callback: (event: never) => unknown) =>
    void hooks.set(`${domain}.${name}`, callback);
  const adding =
    <T>(map: Map<string, T>) =>
    async (edit: (editor: object) => void) =>
      edit({ add: (one: { name: string }) => void map.set(one.name, one as T) });
  const inData = async (data: unknown) => ({ location: { directory: PROJECT }, data });
  return {
    app: { version: "2.0.15" },
    options: {},
    location: { directory: PROJECT, project: { id: "p", directory: PROJECT } },
    session: {
      hook: hookOf("session"),
      context: async () => structuredClone(stored),
      get: async () => ({ id: SESSION, title: "New session", time: { created: 0, updated: clock.now() } }),
      synthetic: async () => ({}),
      interrupt: async () => ({}),
    },
    tool: { hook: hookOf("tool"), transform: adding(tools) },
    command: { list: () => inData([{ name: "review" }]), transform: adding(new Map()) },
    event: { subscribe: ({ signal }: { signal: AbortSignal }) => subscribe(listeners, signal) },
    generate: { text: async () => ({ text: "" }) },
    agent: { get: () => inData({ id: "title" }) },
    model: { list: () => inData([LARGE]), default: () => inData(MODEL) },
    rpc: { register: async () => ({ events: { emit: async () => {} } }) },
  };
}

type Host = Pick<StandIn, "clock" | "emit" | "hooks" | "sent" | "stored" | "tools">;

function admit(
  { clock, stored }: Pick<Host, "clock" | "stored">,
  message: Partial<StoredMessage> & { type: string },
): void {
  const id = `msg_${String(stored.length + 1).padStart(4, "0")}`;
  stored.push({ id, time: { created: clock.now() }, ...message } as StoredMessage);
}

async function runTurn(host: Host, text: string, calls: readonly ScriptedCall[]): Promise<void> {
  const { clock, emit, hooks, stored, tools } = host;
  clock.advance(10_000);
  await hooks.get("session.prompt")?.({ sessionID: SESSION, prompt: { text }, delivery: "steer" } as never);
  admit(host, { type: "user", text });
  emit("session.execution.started");
  for (const [n, { input, name, result }] of calls.entries()) {
    await request(host);
    clock.advance(5_000);
    const id = `call_${stored.length}_${n}`;
    const event = { tool: name, sessionID: SESSION, id, input };
    await hooks.get("tool.execute.before")?.(event as never);
    const place = { sessionID: SESSION, messageID: "msg", id };
    const output = result ?? (await tools.get(name)?.execute(event.input, place))?.content ?? "no such tool";
    const state = { status: "completed", input: event.input, content: [{ type: "text", text: output }] };
    answer(host, [{ type: "tool", id, name, time: { created: clock.now(), completed: clock.now() }, state }]);
  }
  await request(host);
  clock.advance(5_000);
  answer(host, [{ type: "text", text: "done" }]);
  emit("session.execution.succeeded");
}

function answer(host: Host, content: NonNullable<StoredMessage["content"]>): void {
  const created = host.clock.now();
  const finish = content[0]?.type === "tool" ? "tool-calls" : "stop";
  const time = { created, completed: created };
  admit(host, { type: "assistant", agent: "build", model: MODEL, content, finish, time, tokens: TOKENS });
  const about = { assistantMessageID: host.stored.at(-1)?.id };
  host.emit("session.step.started", { ...about, agent: "build", model: MODEL, started: created });
  host.emit("session.step.ended", { ...about, finish, tokens: TOKENS });
}

/** Sends one request: the hook, then the wire. */
async function request({ hooks, sent, stored }: Host): Promise<void> {
  const event = eventOf(stored);
  await hooks.get("session.context")?.(event as never);
  sent.push(event.messages.map(({ content, role }) => JSON.stringify({ role, content })));
}

const eventOf = (stored: readonly StoredMessage[]) => ({
  ...{ sessionID: SESSION, agent: "build", model: MODEL, options: {}, system: [], tools: {} },
  messages: [...freeze(lower(freeze(structuredClone(stored))))],
});

/** The messages of a request, as the host makes them. */
export function lower(stored: readonly StoredMessage[]): InstanceType<typeof HostMessage>[] {
  return stored.flatMap(({ content = [], id, text = "", type }) => {
    if (type !== "assistant")
      return [new HostMessage({ id, role: "user", content: [{ type: "text", text }] })];
    const parts = content.map((part) =>
      part.type === "text"
        ? { type: "text", text: part.text ?? "" }
        : { type: "tool-call", id: part.id ?? "", name: part.name ?? "", input: part.state?.input ?? {} },
    );
    const results = content.flatMap(({ id = "", name = "", state }) => {
      const [only] = (state?.content ?? []) as { text: string }[];
      const result = { type: "text" as const, value: only?.text };
      const part = { type: "tool-result", id, name, result };
      return state ? [new HostMessage({ role: "tool", content: [part] })] : [];
    });
    return [new HostMessage({ id, role: "assistant", content: parts }), ...results];
  });
}

async function* subscribe(listeners: Registered["listeners"], signal: AbortSignal) {
  const waiting: unknown[] = [];
  let wake = (): void => {};
  const listener = (event: unknown): void => {
    waiting.push(event);
    wake();
  };
  listeners.add(listener);
  signal.addEventListener("abort", () => wake(), { once: true });
  while (!signal.aborted) {
    while (waiting.length > 0 && !signal.aborted) yield waiting.shift();
    if (signal.aborted) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  listeners.delete(listener);
}

/** Turns the clock until the promise settles, for methods that hang. */
export async function settle<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const note = (): void => {
    isDone = true;
  };
  promise.then(note, note);
  for (;;) {
    for (let turn = 0; turn < 30 && !isDone; turn++) await new Promise(setImmediate);
    if (isDone) return promise;
    clock.advance(1_000);
  }
}

function breakMethod(context: Record<string, unknown>, path: string, fault: Fault): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  const holder = names.reduce<Record<string, unknown> | undefined>(
    (value, name) => value?.[name] as Record<string, unknown> | undefined,
    context,
  );
  if (!holder) return;
  if (fault === "absent") delete holder[last];
  else holder[last] = FAULTS[fault];
}

const FAULTS: Readonly<Record<Exclude<Fault, "absent">, unknown>> = {
  throws() {
    throw new Error("broken");
  },
  rejects: async () => Promise.reject(new Error("broken")),
  hangs: () => new Promise(() => {}),
  nonsense: async () => ({ data: [{ type: 5, time: "soon", content: "?" }, 7, null], text: { a: 1 } }),
  null: null,
};

function plantFiles(clock: FakeClock): MemoryFiles {
  const promptsFolder = fileURLToPath(new URL("../../prompts", import.meta.url));
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/main\n" }, clock.now);
  const known = planKnownProject({
    root: PROJECT,
    idFolder: `${PROJECT}/.opencode/strata`,
    stateFolder: STATE,
  });
  for (const [path, text] of Object.entries(known)) files.contents.set(path, Buffer.from(text));
  for (const name of readdirSync(promptsFolder))
    files.contents.set(join(promptsFolder, name), readFileSync(join(promptsFolder, name)));
  return files;
}
