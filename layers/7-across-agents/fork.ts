/**
 * The tool `fork`: runs tasks in parallel on forks of the agent's session. A fork begins with the bytes of the agent's last
 * request, which the provider has cached, so it has the full context and costs little more than its own work. If forking
 * is not possible, an empty child session gets the task with the brief of a subagent, and the answer says so.
 *
 * Bounds: number of tasks, time and tokens of each, one level deep. A fork runs on the user's model at the agent's request,
 * so it is not a background call; the answer states its cost.
 */
import PQueue from "p-queue";
import { StrataError } from "../../src/base/error.js";
import { keepLast } from "../../src/base/shape.js";
import { type ContextRequest, countUsableTokens } from "../../src/context/request.js";
import type { ForkRequest, ForkResult, ForkRun } from "../../src/io/host.js";
import type { Message } from "../../src/io/message.js";
import { defineTool } from "../../src/kernel/layer.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { type ForkReport, formatForkReports } from "../../src/notes/fork-report.js";
import { learnMessages } from "../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import type { forkArguments } from "./leases/arguments.js";
import { listTouched } from "./subagents.js";

/** Number of forks that run in parallel, over all sessions. */
const AT_ONCE = 5;
/** What one fork may take; a cached token counts a tenth. */
const FORK_MS = 300_000;
const FORK_TOKENS = 200_000;
/** Time for opening, reading and removing sessions, on top of the model's; a task may also wait for another one. */
const AROUND_MS = 300_000;
/** With less room in the window the host would compact a fork at once, and no cache would be shared. */
const LEAST_ROOM_TOKENS = 8_000;

const MOST_SESSIONS = 100;

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0 };
const NO_RUN: ForkRun = { used: NO_TOKENS, requests: 0, messages: [], refusals: [] };

export function createForking(context: LayerContext) {
  const { family, host, prompts } = context;
  const lanes = new PQueue({ concurrency: AT_ONCE });
  const { findObstacle, notice } = createRooms();

  const tool = defineTool<typeof forkArguments>({
    name: "fork",
    description: "Do independent tasks on copies of this session, which report.",
    parameters: {
      properties: { tasks: { type: "array", items: { type: "string" } } },
      required: ["tasks"],
    },
    loadCheck: async () => (await import("./leases/arguments.js")).forkArguments,
    deadlineMs: 2 * FORK_MS + AROUND_MS,

    async execute({ tasks }, { messageID, sessionID }, signal) {
      await refuseDepth(sessionID);
      const instruction = await prompts.read("fork");
      const obstacle = findObstacle(sessionID);
      const bounds = { signal, deadlineMs: FORK_MS, maxTokens: FORK_TOKENS };
      const reports = await Promise.all(
        tasks.map((task) => {
          const prompt = `${instruction}\n${task}`;
          const request = { parentID: sessionID, messageID, title: task, prompt, ...bounds };
          return lanes.add(() => runTask(context, request, obstacle));
        }),
      );
      return formatForkReports(reports);
    },
  });

  return { notice, tool };

  async function refuseDepth(sessionID: string): Promise<void> {
    const line = [sessionID, ...(await family.findAncestors(sessionID))];
    if (!line.some((id) => host.findAsker(id) !== undefined)) return;
    throw new StrataError(
      "FORK_DEPTH",
      "This is a copy already, and a copy makes no copies. Do the task yourself and report.",
    );
  }
}

function createRooms() {
  /** In tokens, by session, least recently used first. */
  const rooms = new Map<string, number>();

  return {
    /** This request is about to be sent: a fork of its session will begin with it. */
    notice({ estimateTokens, sessionID, window }: ContextRequest, messages: readonly Message[]): void {
      rooms.delete(sessionID);
      if (!window || window.contextTokens === 0) return;
      keepLast(rooms, sessionID, countUsableTokens(window) - estimateTokens(messages), MOST_SESSIONS);
    },

    /** Why a fork would not share the prompt cache; `undefined` if it would. */
    findObstacle(sessionID: string): string | undefined {
      const room = rooms.get(sessionID) ?? Number.POSITIVE_INFINITY;
      if (room >= LEAST_ROOM_TOKENS) return undefined;
      return "the window is nearly full, a copy would be compacted at once";
    },
  };
}

/** Runs the task on a fork, or in an empty child session if there is an obstacle or the host refuses the fork. */
async function runTask(
  { folders: { project }, host, log }: LayerContext,
  request: Omit<ForkRequest, "history">,
  obstacle: string | undefined,
): Promise<ForkReport> {
  let why = obstacle;
  if (why === undefined) {
    const forked = await host.runFork({ ...request, history: "shared" });
    if (forked.kind !== "refused" || request.signal.aborted)
      return { task: request.title, history: "shared", ...report(forked, project) };
    why = forked.reason;
    log.warn("across-agents", `cannot fork ${request.parentID}: ${why}`);
  }
  const done = await host.runFork({ ...request, history: "none" });
  return { task: request.title, history: { brief: why }, ...report(done, project) };
}

function report(result: ForkResult, project: string): Omit<ForkReport, "history" | "task"> {
  const run = result.kind === "refused" ? NO_RUN : result.run;
  return {
    answer: result.kind === "answered" ? result.text : formatFailure(result.reason, run),
    ...(run.first && { first: run.first }),
    used: run.used,
    requests: run.requests,
    files: listTouched(learnMessages(EMPTY_LEDGER, run.messages, project)),
    refusals: run.refusals,
  };
}

/** Includes the fork's last words, which may be useful. */
function formatFailure(reason: string, { messages }: ForkRun): string {
  const said = messages
    .filter(({ info }) => info.role === "assistant")
    .flatMap(({ parts }) =>
      parts.flatMap(({ text, type }) => (type === "text" && text?.trim() ? [text.trim()] : [])),
    );
  const last = said.at(-1);
  return `No report: ${reason}.${last === undefined ? "" : ` It last said: ${last}`}`;
}
