/** The context that the contract host gives `setup`, and ways to take parts of it away or to break them. */
import type { SyntheticInput, TheirCommand, TheirTool } from "../../src/host/2/contract.js";
import { contextOf, MODEL } from "./contract-host.js";
import type { Callback, ContractHost } from "./host-types.js";

export type Method = (input: never) => unknown;

/** How a broken method behaves. */
export type Fault = "absent" | "throws" | "rejects" | "hangs" | "nonsense" | "null";

export interface ContextOptions {
  directory?: string;
  options?: Record<string, unknown>;
  /** By path: `session.context`. */
  faults?: Readonly<Record<string, Fault>>;
  /** Methods by path, each put around the usual one. */
  around?: Readonly<Record<string, (usual: Method) => Method>>;
}

const LARGE = {
  ...MODEL,
  name: "Large",
  cost: [{ input: 5, output: 25, cache: { read: 0.5, write: 6.25 } }],
  limit: { context: 200_000, output: 8_000 },
};

export interface MadeContext {
  context: Record<string, unknown>;
  commands: Map<string, TheirCommand>;
}

export function makeContext(host: ContractHost, given: ContextOptions = {}): MadeContext {
  const { directory = "/project", faults = {}, options = {} } = given;
  const commands = new Map<string, TheirCommand>();
  /** Crosses the host's border as JSON does. */
  const out = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const registration = { dispose: async () => {} };
  const hookOf = (domain: string) => async (name: string, callback: Callback) => {
    const all = host.hooks.get(`${domain}.${name}`) ?? [];
    host.hooks.set(`${domain}.${name}`, [...all, callback]);
    return registration;
  };
  const sessionOf = (sessionID: string) => {
    const session = host.sessions.get(sessionID);
    if (!session) throw { _tag: "SessionNotFoundError", sessionID, message: "no such session" };
    return session;
  };
  const inData = (data: unknown): unknown => out({ location: { directory }, data });
  const context: Record<string, Record<string, unknown>> = {
    app: { version: "2.0.15" },
    options,
    location: { directory, project: { id: "p", directory, canonical: directory } },
    session: {
      hook: hookOf("session"),
      context: async ({ sessionID }: { sessionID: string }) => out(contextOf(sessionOf(sessionID))),
      get: async ({ sessionID }: { sessionID: string }) => {
        const { id, parentID, title, updated, directory: where } = sessionOf(sessionID);
        return out({ id, parentID, title, location: { directory: where }, time: { created: 0, updated } });
      },
      synthetic: async ({ description = "", metadata, resume, sessionID, text }: SyntheticInput) => {
        const about = { description, ...(metadata && { metadata }) };
        host.admit(sessionOf(sessionID), { type: "synthetic", text, ...about });
        if (resume !== false) throw new Error("the contract host wakes no model for a synthetic message");
        return out({});
      },
      interrupt: async () => out({ interrupted: true }),
    },
    tool: {
      hook: hookOf("tool"),
      transform: async (edit: (editor: { add(tool: TheirTool): void }) => void) => {
        edit({ add: (tool) => void host.tools.set(checkTool(tool).name, tool) });
        return registration;
      },
    },
    command: {
      list: async () => inData([{ name: "review" }]),
      transform: async (edit: (editor: { add(command: TheirCommand): void }) => void) => {
        edit({ add: (command) => void commands.set(command.name, command) });
        return registration;
      },
    },
    event: { subscribe: ({ signal }: { signal: AbortSignal }) => subscribe(host, signal) },
    generate: {
      text: async () => out({ text: "" }),
    },
    agent: { get: async () => inData({ id: "title" }) },
    model: { list: async () => inData([LARGE]), default: async () => inData(MODEL) },
    rpc: {
      register: async () => ({
        ...registration,
        events: { emit: async () => {} },
      }),
    },
  };
  for (const [path, wrap] of Object.entries(given.around ?? {})) {
    const [domain = "", name = ""] = path.split(".");
    const methods = context[domain] ?? {};
    methods[name] = wrap(methods[name] as Method);
  }
  for (const [path, fault] of Object.entries(faults)) breakMethod(context, path, fault);
  return { context, commands };
}

/** The host checks a definition when it is added. */
function checkTool(tool: TheirTool): TheirTool {
  const { description, input, name, options } = tool;
  const isSound = typeof name === "string" && typeof description === "string" && input.type === "object";
  if (!isSound || typeof options.codemode !== "boolean")
    throw new Error(`the definition of ${name} is wrong`);
  return tool;
}

async function* subscribe(host: ContractHost, signal: AbortSignal): AsyncGenerator<unknown> {
  const waiting: unknown[] = [];
  let wake = (): void => {};
  const listener = (event: unknown): void => {
    waiting.push(event);
    wake();
  };
  host.listeners.add(listener);
  signal.addEventListener("abort", () => wake(), { once: true });
  while (!signal.aborted) {
    while (waiting.length > 0 && !signal.aborted) yield waiting.shift();
    if (signal.aborted) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  host.listeners.delete(listener);
}

function breakMethod(context: Record<string, Record<string, unknown>>, path: string, fault: Fault): void {
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
  throws: () => {
    throw new Error("broken");
  },
  rejects: async () => {
    throw new Error("broken");
  },
  hangs: () => new Promise(() => {}),
  nonsense: async () => ({ data: [{ type: 5, time: "soon", content: "?" }, 7, null], text: { a: 1 } }),
  null: null,
};
