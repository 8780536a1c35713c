import PQueue from "p-queue";
import type { Candidate } from "../../layers/5-auto-memory/extraction/candidates.js";
import { createExtraction } from "../../layers/5-auto-memory/extraction/extract.js";
import type { GenerationRequest, GenerationResult } from "../../src/background/generation-request.js";
import { readConfig } from "../../src/config/config.js";
import type { Part, ToolPart } from "../../src/conversation/message.js";
import { createFamily } from "../../src/family.js";
import { planFolders } from "../../src/folders.js";
import { createGate } from "../../src/gate/gate.js";
import { createPrompts } from "../../src/prompts.js";
import { nodeFiles } from "../../src/seams/node-files.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createFakeHost, type FakeHost, PROJECT, usersOptions } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { createFakeMemories, type FakeMemories } from "./fake-memories.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { call } from "./messages.js";
import { createSession, type Session } from "./session.js";
import { parts } from "./settings.js";

/** Folder of the extraction's machine state. */
export const STATE = `${PROJECT}/.opencode/strata/state/extraction`;
const TOKENS = { input: 100, output: 20, cacheRead: 0 };

export interface Given {
  /** The model's answer; without it no model may be called. */
  respond?: (request: GenerationRequest) => string;
  options?: Record<string, unknown>;
  /** Shares disk, memories and session with this world. */
  world?: World;
}

export interface World {
  clock: FakeClock;
  files: MemoryFiles;
  host: FakeHost;
  memories: FakeMemories;
  session: Session;
}

/** A session that the extraction reads after each turn; all dependencies are fakes. */
export async function openExtraction({ options = {}, respond, world }: Given = {}) {
  const clock = world?.clock ?? createFakeClock();
  const files = world?.files ?? createMemoryFiles();
  const host = world?.host ?? createFakeHost();
  const log = createFakeLog();
  const memories = world?.memories ?? createFakeMemories(clock.now);
  const background = new PQueue({ concurrency: 4 });
  const asked: GenerationRequest[] = [];
  const { config } = await readConfig({
    files,
    configFiles: [...host.configFiles, ...usersOptions(options)],
    options,
    parts,
  });
  const generation = {
    status: async () => ({ isAllowed: respond !== undefined, dailyCalls: 1, dailyTokens: 1, waiting: 0 }),
    async generate(request: GenerationRequest): Promise<GenerationResult> {
      asked.push(request);
      return respond
        ? { kind: "text", text: respond(request), tokens: TOKENS }
        : { kind: "refused", why: "not allowed" };
    },
    onIdle: async () => {},
    dispose: () => {},
  };
  const prompts = createPrompts(nodeFiles);
  const folders = planFolders(PROJECT);
  const offered: Candidate[] = [];
  const extraction = createExtraction({
    background,
    candidates: { offer: async (found) => void offered.push(...found) },
    clock,
    config,
    family: createFamily(host),
    files,
    folders,
    gate: createGate({ memories }),
    generation,
    host,
    instances: { living: async () => [] },
    log,
    memories,
    prompts,
  });
  const session = world?.session ?? createSession(clock);
  const idle = async (sessionID = "ses_1") => {
    host.messages.set(sessionID, [...session.messages]);
    extraction.onIdle(sessionID);
    await background.onIdle();
  };
  /** Plays a turn: the user's message, the agent's calls, and the end. */
  const say = async (text: string, { calls = [], parts = [] }: Turn = {}) => {
    extraction.onTurn("ses_1");
    await background.onIdle();
    const asking = session.user(text);
    session.messages.splice(-1, 1, { ...asking, parts: [...asking.parts, ...parts] });
    session.answer(calls, { text: "done" });
    await idle();
  };
  const kept = () => [...memories.contents.values()].map(({ type, content }) => `${type}: ${content}`);
  return {
    asked,
    background,
    clock,
    extraction,
    files,
    host,
    idle,
    kept,
    log,
    memories,
    offered,
    say,
    session,
  };
}

export interface Turn {
  calls?: ToolPart[];
  parts?: Part[];
}

/** A command that has ended. */
export const bash = (command: string, exit = 0): ToolPart =>
  call("bash", "ok", { state: { input: { command }, metadata: { exit } } });

/** A model's answer to one sentence. */
export const worded = (given: Record<string, unknown> = {}) =>
  JSON.stringify({
    memories: [
      {
        from: 1,
        type: "knowledge",
        title: "SQLite as the database",
        content: "The database is SQLite, because it needs no server.",
        aliases: ["storage"],
        when: ["*.sql"],
        evidence: "The storage is SQLite",
        ...given,
      },
    ],
    ignore: [],
  });
export const DECISION = "We decided to use SQLite because it needs no server.";
/** Likely and not sure. */
export const CANDIDATE = "The storage is SQLite, because it needs no server.";
