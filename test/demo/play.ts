/**
 * Plays the story once: the real OpenCode on a stage of its own, a scripted agent behind it. Tests use it too:
 *
 *     const bare = await play();
 *     const strata = await play({ plugin: withStrata });
 *     measureRun(strata).price / measureRun(bare).price
 */
import { existsSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { readRecords } from "../host/stage/break-reasons.js";
import type { ModelRequest } from "../host/stage/model-request.js";
import type { Project } from "../host/stage/project.js";
import { openStage, type Stage } from "../host/stage/stage.js";
import { call, calls, say } from "../host/stage/steps.js";
import { HOST } from "../host/stage/which-host.js";
import { createAgent } from "./agent.js";
import { question, topics } from "./facts.js";
import type { Outcome } from "./outcome.js";
import { readPackageFiles, readRepository, takeOverHistory } from "./project-files.js";
import { createStory, listPackageFiles, type Turn } from "./story.js";

/** The built plugin; in OpenCode 1 with a watch on its hooks. */
export const withStrata = fileURLToPath(
  new URL(HOST === 2 ? "../.." : "./timed-plugin.mjs", import.meta.url),
);

/** What the watch has found. */
export interface Watched {
  /** By hook: how long the host waited for it. */
  milliseconds: Record<string, number>;
  importMs: number;
  /** Each time that it was asked for. */
  residentMB: number[];
}

export interface PlayOptions {
  /** The plugin to load; by default none. */
  plugin?: string;
  /** Options for it. */
  options?: Record<string, unknown>;
  /** Whether the host keeps what an undo of files needs, as it does by default. */
  hasSnapshots?: boolean;
  /** A folder for a copy of what the plugin has written in the project; by default none is made. */
  keepIn?: string;
  /** Called after each turn, with the requests it took. */
  onTurn?: (turn: Turn, requests: readonly ModelRequest[]) => void;
}

/** What was sent and seen in one run. */
export interface Run {
  /** All requests of the story but those for a title, those of other sessions included. */
  requests: readonly ModelRequest[];
  /** Behind the story: the requests of a new session, which is asked about the facts. */
  later: readonly ModelRequest[];
  /** The session that the story was played in. */
  sessionID: string;
  /** Every tool call of the story, by id, as its result was first sent. */
  outcomes: ReadonlyMap<string, Outcome>;
  /** Calls made to look at what the agent did not have, or no longer. */
  looks: number;
  /** From before the start of the host to the last answer. */
  seconds: number;
  /** How long the host waited for the plugin's hooks, all together. */
  hookSeconds: number;
  /** The most memory that the host had at any time, garbage included; 0 where the system does not tell. */
  peakMB: number;
  /** What the plugin has recorded. */
  records: readonly SavingsRecord[];
  /** Where the project was; it is removed at the end of the run. */
  projectPath: string;
}

/** Plays all turns. Throws where OpenCode ends one in another way than with the scripted answer. */
export async function play({
  plugin,
  options,
  keepIn,
  onTurn,
  hasSnapshots = true,
}: PlayOptions = {}): Promise<Run> {
  const startedMs = performance.now();
  await using stage = await openStage({
    files: { ...readRepository(), ...readPackageFiles(listPackageFiles()) },
    plugin: plugin ?? [],
    ...(options ? { options } : {}),
    mcp: true,
    config: { snapshot: hasSnapshots },
    env: ({ file }) => ({ STRATA_WATCH: file(WATCH) }),
  });
  const { model, project } = stage;
  takeOverHistory(project);
  const session = await stage.newSession("demo");
  const agent = createAgent(session.id, project.path);
  model.respond(agent.respond);
  for (const turn of createStory(project.file)) {
    const before = model.requests.length;
    agent.begin(turn);
    const { info, text } = await session.ask(turn.user);
    if (info.error) throw new Error(`OpenCode ended a turn with an error: ${describeError(info.error)}`);
    if (text !== turn.answer)
      throw new Error(`expected the answer "${turn.answer}", OpenCode gave "${text}"`);
    onTurn?.(turn, model.requests.slice(before));
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const requests = [...model.requests];
  const later = await askLater(stage);
  const peakMB = readPeakMB(stage.host.pid);
  // A running host still writes.
  await stage.host.stop();
  if (keepIn !== undefined) await keep(project, keepIn);
  return {
    requests,
    later,
    sessionID: session.id,
    outcomes: agent.seen,
    looks: agent.looks,
    seconds,
    hookSeconds: readHookSeconds(project.file(WATCH)),
    peakMB,
    records: readRecords(project.file(".opencode/strata")),
    projectPath: project.path,
  };
}

function readPeakMB(pid: number | undefined): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, "utf8") : "";
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

/** The agent of the new session looks once, if it has a tool to look with; how many tokens that takes is not counted. */
async function askLater({ model, newSession }: Stage): Promise<ModelRequest[]> {
  const before = model.requests.length;
  model.respond(({ tools }) => {
    const hasRecall = tools.some((tool) => tool.function.name === RECALL);
    const isFirst = model.requests.length === before + 1;
    const looks = topics.map((query) => call(RECALL, { query }));
    return isFirst && hasRecall ? calls(...looks) : say("That is all I know.");
  });
  await (await newSession("later")).ask(question);
  return model.requests.slice(before);
}

const RECALL = "memory_recall";

/** What the provider or the host said; the scripted agent's own faults come back this way too. */
function describeError({ name, data }: { name: string; data: object }): string {
  return "message" in data ? `${name}: ${data.message}` : name;
}

/** Within the project, where it goes with it; git does not look there. */
const WATCH = ".git/strata-watch.json";

/** 0 where there was no watch. */
export function readHookSeconds(path: string): number {
  if (!existsSync(path)) return 0;
  const { milliseconds } = JSON.parse(readFileSync(path, "utf8")) as Watched;
  return Object.values(milliseconds).reduce((sum, one) => sum + one, 0) / 1_000;
}

async function keep({ file }: Project, folder: string): Promise<void> {
  for (const name of ["tool-results", "session-memory", "strata"]) {
    const from = file(join(".opencode", name));
    if (existsSync(from)) await cp(from, join(folder, name), { recursive: true });
  }
}
