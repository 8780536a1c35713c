import PQueue from "p-queue";
import { createExtraction, type ExtractionContext } from "../../layers/5-auto-memory/extract.js";
import { readConfig } from "../../src/config/config.js";
import { createLocks } from "../../src/io/locks.js";
import type { Part, ToolPart } from "../../src/io/message.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { createPrompts } from "../../src/io/prompts.js";
import { readLatest } from "../../src/memory/candidates/candidate.js";
import { createCandidates } from "../../src/memory/candidates/candidates.js";
import { createGate } from "../../src/memory/gate/gate.js";
import { createNews } from "../../src/messages/news.js";
import type { GenerationRequest, GenerationResult } from "../../src/models/generation.js";
import { createFamily } from "../../src/project/family.js";
import { planFolders } from "../../src/project/folders.js";
import { locateRecord } from "../../src/project/state-owner.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createFakeHost, type FakeHost, PROJECT, usersOptions } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { createKeptMemories, type KeptMemories } from "./kept-memories.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { call } from "./messages.js";
import { createSession, type Session } from "./session.js";
import { parts } from "./settings.js";

/** Folder of the extraction's machine state. */
export const STATE = `${PROJECT}/.opencode/strata/state/extraction`;
const TOKENS = { input: 100, output: 20, cacheRead: 0 };

export interface Given {
  /** The model's answer; without it no model may be called. */
  respond?: (request: GenerationRequest) => string | GenerationResult | Promise<string | GenerationResult>;
  /** Name of the model; "" where the host chooses. */
  model?: string;
  options?: Record<string, unknown>;
  /** Shares disk, memories and session with this world. */
  world?: World;
}

export interface World {
  clock: FakeClock;
  files: MemoryFiles;
  host: FakeHost;
  memories: KeptMemories;
  session: Session;
}

/** A session that the extraction reads after each turn; all dependencies are fakes. */
export async function openExtraction({ model = "small/one", options = {}, respond, world }: Given = {}) {
  const clock = world?.clock ?? createFakeClock();
  const files = world?.files ?? createMemoryFiles();
  const host = world?.host ?? createFakeHost();
  const log = createFakeLog();
  const memories = world?.memories ?? createKeptMemories();
  const background = new PQueue({ concurrency: 4 });
  const asked: GenerationRequest[] = [];
  const { config } = await readConfig({
    files,
    configFiles: [...host.configFiles, ...usersOptions(options)],
    options,
    parts,
  });
  const generation = {
    status: async () => ({
      ...{ isAllowed: respond !== undefined, dailyCalls: 1, dailyTokens: 1, waiting: 0 },
      ...(respond !== undefined && model !== "" && { model }),
    }),
    async generate(request: GenerationRequest): Promise<GenerationResult> {
      asked.push(request);
      const given = (await respond?.(request)) ?? { kind: "refused", why: "not allowed" };
      return typeof given === "string" ? { kind: "text", text: given, tokens: TOKENS } : given;
    },
    running: () => [],
    onChange: () => {},
    onIdle: async () => {},
    dispose: () => {},
  };
  const prompts = createPrompts(nodeFiles);
  const folders = planFolders(PROJECT);
  const locks = createLocks({ clock, files, processes: host.processes, instance: "a" });
  const candidates = createCandidates({
    ...{ clock, files, locks, log },
    locateRecord: () => locateRecord(files, { project: PROJECT, stateFolder: host.stateFolder }),
  });
  const news = createNews({ clock, host });
  const extraction = createExtraction({
    background,
    candidates,
    clock,
    config,
    family: createFamily(host),
    files,
    folders,
    gate: createGate({ memories }),
    generation,
    host,
    instances: { living: async () => [] },
    locks,
    log,
    memories,
    news,
    prompts,
  } as unknown as ExtractionContext);
  const session = world?.session ?? createSession(clock);
  const idle = async (sessionID = "ses_1") => {
    host.messages.set(sessionID, [...session.messages]);
    news.onEvent({ type: "session.idle", properties: {} });
    extraction.onIdle(sessionID);
    await background.onIdle();
  };
  /** Plays a turn: the user's message, the agent's calls, and the end. */
  const say = async (text: string, { calls = [], parts = [], sessionID = "ses_1" }: Turn = {}) => {
    extraction.onTurn(sessionID);
    await background.onIdle();
    const asking = session.user(text);
    session.messages.splice(-1, 1, { ...asking, parts: [...asking.parts, ...parts] });
    session.answer(calls, { text: "done" });
    await idle(sessionID);
  };
  /** Nobody says anything for so long that what waits is judged. */
  const quiet = async () => {
    clock.advance(QUIET_MS);
    await background.onIdle();
  };
  /** Texts of the candidates that wait. */
  const waiting = async () => (await candidates.list()).map((one) => readLatest(one)?.text);
  const kept = () => [...memories.all.values()].map(({ type, content }) => `${type}: ${content}`);
  return {
    asked,
    background,
    candidates,
    clock,
    extraction,
    files,
    host,
    idle,
    kept,
    log,
    memories,
    quiet,
    say,
    session,
    waiting,
  };
}

export interface Turn {
  sessionID?: string;
  calls?: ToolPart[];
  parts?: Part[];
}

/** A command that has ended. */
export const bash = (command: string, exit = 0): ToolPart =>
  call("bash", "ok", { state: { input: { command }, metadata: { exit } } });

/** A model's verdicts; each is sure and of the first sentence of the first message unless it says otherwise. */
export const verdicts = (...given: Record<string, unknown>[]): string =>
  JSON.stringify(
    given.map((one) => ({
      ...{ quote: "m1.1", type: "knowledge", scope: "project", says: CANDIDATE, why: "a fact", sure: true },
      ...one,
    })),
  );

export const QUIET_MS = 90_000;
/** Of a shape that may hold something, and marked by no word; its first sentence is what it is about. */
export const CANDIDATE = "The storage is SQLite, because it needs no server.";
export const MESSAGE = messageOf(CANDIDATE);
export const OTHER = "The invoices are numbered per year, as the tax office asks.";

/** A message that a judge is asked about, and for which this sentence stands if it is the fullest. */
export function messageOf(sentence: string): string {
  const rest = [
    "It is in src/store/open.ts.",
    "There are 3 tables: users, orders, prices.",
    "A price belongs to one order.",
    "That has been so since March.",
  ];
  return `${sentence} ${rest.join(" ")}`;
}
