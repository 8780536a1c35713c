import type {
  ConfigFile,
  ForkRequest,
  ForkResult,
  ForkRun,
  Generated,
  GenerateRequest,
  Host,
  Models,
  OwnSession,
} from "../../src/io/host.js";
import type { Message } from "../../src/io/message.js";
import { rules } from "./disk-rules.js";
import { createFakeProcesses } from "./fake-processes.js";

export interface FakeHost extends Host {
  configFiles: readonly ConfigFile[];
  readonly toasts: string[];
  readonly logged: string[];
  /** Last use of each session; a missing one was deleted. */
  readonly sessions: Map<string, number | "unknown">;
  /** The user's configuration; tests may change it. */
  readonly configured: Models;
  /** Requests for generated text. */
  readonly generated: GenerateRequest[];
  /** Answers `generate`; by default every text is "written". */
  respond: ((request: GenerateRequest) => Generated | Promise<Generated>) | undefined;
  /** Our own sessions by id; `undefined` if the host should not answer. */
  ownSessions: Map<string, OwnSession> | undefined;
  /** Requests for forks. */
  readonly forked: ForkRequest[];
  /** Answers `runFork`; by default every fork says "done". */
  respondForked: ((request: ForkRequest) => ForkResult | Promise<ForkResult>) | undefined;
  /** Our forks, with the sessions that requested them. */
  readonly forks: Map<string, string>;
  /** Parent of each session. */
  readonly parents: Map<string, string>;
  /** Whether the host compacts automatically. */
  isCompacting: boolean;
  /** Messages of each session. */
  readonly messages: Map<string, readonly Message[]>;
  readonly aborted: string[];
  /** Sessions whose failed summaries were removed. */
  readonly cleaned: string[];
}

export const PROJECT = rules.tidy("/project");
export const GLOBAL = rules.tidy("/home/me/.config/opencode");
export const STATE = rules.tidy("/home/me/.local/state/opencode-strata");

const CONFIG_FILES: readonly ConfigFile[] = [{ path: `${PROJECT}/opencode.json`, origin: "project" }];

/** Plugin options in the user's own configuration. */
export function usersOptions(options: Record<string, unknown> | undefined): ConfigFile[] {
  if (options === undefined) return [];
  const text = JSON.stringify({ plugin: [["opencode-strata", options]] });
  return [{ path: "OPENCODE_CONFIG_CONTENT", origin: "user", text }];
}

export function createFakeHost(configFiles = CONFIG_FILES): FakeHost {
  const toasts: string[] = [];
  const logged: string[] = [];
  const sessions = new Map<string, number | "unknown">();
  const generated: GenerateRequest[] = [];
  const configured: Models = { main: "acme/large", small: "acme/small" };
  const fake: FakeHost = {
    project: rules.toNative(PROJECT),
    directory: rules.toNative(PROJECT),
    configFiles,
    globalFolder: rules.toNative(GLOBAL),
    stateFolder: rules.toNative(STATE),
    processes: createFakeProcesses(),
    git: { ask: async () => undefined },
    toasts,
    logged,
    sessions,
    configured,
    generated,
    respond: undefined,
    ownSessions: new Map(),
    forked: [],
    respondForked: undefined,
    forks: new Map(),
    parents: new Map(),
    async runFork(request) {
      fake.forked.push(request);
      return (await fake.respondForked?.(request)) ?? { kind: "answered", text: "done", run: runOf() };
    },
    isFork: (sessionID) => fake.forks.has(sessionID),
    findAsker: (sessionID) => fake.forks.get(sessionID),
    findParent: async (sessionID) => fake.parents.get(sessionID),
    isCompacting: true,
    messages: new Map(),
    aborted: [],
    listFilesPutBack: async () => undefined,
    readMessages: async (sessionID, last = Number.POSITIVE_INFINITY) =>
      fake.messages.get(sessionID)?.slice(-last),
    removeFailedCompactions: async (sessionID) => void fake.cleaned.push(sessionID),
    cleaned: [],
    abortSession: (sessionID) => void fake.aborted.push(sessionID),
    models: () => configured,
    async generate(request) {
      generated.push(request);
      return (await fake.respond?.(request)) ?? written("written");
    },
    isOwnSession: (sessionID) => fake.ownSessions?.has(sessionID) ?? false,
    listOwnSessions: async () => fake.ownSessions && [...fake.ownSessions.values()],
    removeSession: async (sessionID) => fake.ownSessions?.delete(sessionID) ?? false,
    setAutoCompaction: (on) => {
      fake.isCompacting = on;
    },
    summarizes: () => true,
    sessionLastUsedMs: async (sessionID) => sessions.get(sessionID),
    toast: (message) => void toasts.push(message),
    log: (level, message) => void logged.push(`${level}: ${message}`),
  };
  return fake;
}

/** A fork that took one request, mostly from the cache. */
export function runOf(run: Partial<ForkRun> = {}): ForkRun {
  const used = { input: 30, output: 12, cacheRead: 9_970 };
  return { first: used, used, requests: 1, messages: [], refusals: [], ...run };
}

/** A model's answer with these input, output and cache tokens. */
export function written(
  text: string,
  [input, output, cacheRead]: readonly [number, number, number] = [100, 20, 5],
): Generated {
  return { kind: "text", text, tokens: { input, output, cacheRead } };
}
