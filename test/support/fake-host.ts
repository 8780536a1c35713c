import type { Message } from "../../src/conversation/message.js";
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
} from "../../src/seams/host.js";
import { createFakeProcesses } from "./fake-processes.js";

export interface FakeHost extends Host {
  configFiles: readonly ConfigFile[];
  readonly toasts: string[];
  readonly logged: string[];
  /** When each session was last used; one that is not here is gone. */
  readonly sessions: Map<string, number | "unknown">;
  /** What the user has configured; open to the test. */
  readonly configured: Models;
  /** What it was asked to have written. */
  readonly generated: GenerateRequest[];
  /** Answers in place of the host; without it every text is "written". */
  respond: ((request: GenerateRequest) => Generated | Promise<Generated>) | undefined;
  /** Sessions of our own by their ids; `undefined` when the host is not to say. */
  ownSessions: Map<string, OwnSession> | undefined;
  /** What it was asked to have done in forks. */
  readonly forked: ForkRequest[];
  /** Answers in place of a fork; without it every one says "done". */
  respondForked: ((request: ForkRequest) => ForkResult | Promise<ForkResult>) | undefined;
  /** Forks of ours, and the sessions that asked for them. */
  readonly forks: Map<string, string>;
  /** Sessions and those below which they were opened. */
  readonly parents: Map<string, string>;
  /** Does the host compact by itself? */
  isCompacting: boolean;
  /** What it has of each session. */
  readonly messages: Map<string, readonly Message[]>;
  /** By session: files that an undo has put back. */
  readonly putBack: Map<string, readonly string[]>;
  readonly aborted: string[];
  /** Sessions whose failed summaries were removed. */
  readonly cleaned: string[];
  /** Where each session was begun, or "unknown" where the host is not to say. */
  readonly sessionFolders: Map<string, string>;
  /** Sessions about which it was asked where they were begun. */
  readonly askedFolders: string[];
}

export const PROJECT = "/project";
export const GLOBAL = "/home/me/.config/opencode";
export const STATE = "/home/me/.local/state/opencode-strata";

const CONFIG_FILES: readonly ConfigFile[] = [{ path: `${PROJECT}/opencode.json`, origin: "project" }];

/** Plugin options as they stand in the user's own configuration. */
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
    project: PROJECT,
    directory: PROJECT,
    configFiles,
    globalFolder: GLOBAL,
    stateFolder: STATE,
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
    readMessages: async (sessionID, last = Number.POSITIVE_INFINITY) =>
      fake.messages.get(sessionID)?.slice(-last),
    putBack: new Map(),
    listFilesPutBack: async (sessionID) => fake.putBack.get(sessionID),
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
    sessionLastUsedMs: async (sessionID) => sessions.get(sessionID),
    async findSessionFolder(sessionID) {
      fake.askedFolders.push(sessionID);
      return fake.sessionFolders.get(sessionID);
    },
    sessionFolders: new Map(),
    askedFolders: [],
    toast: (message) => void toasts.push(message),
    log: (level, message) => void logged.push(`${level}: ${message}`),
  };
  return fake;
}

/** A fork that took one request, nearly all of it from the cache. */
export function runOf(run: Partial<ForkRun> = {}): ForkRun {
  const used = { input: 30, output: 12, cacheRead: 9_970 };
  return { first: used, used, requests: 1, messages: [], refusals: [], ...run };
}

/** An answer of a model, with these tokens of input, output and cache. */
export function written(
  text: string,
  [input, output, cacheRead]: readonly [number, number, number] = [100, 20, 5],
): Generated {
  return { kind: "text", text, tokens: { input, output, cacheRead } };
}
