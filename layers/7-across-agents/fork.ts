/**
 * The tool `fork`: tasks done side by side on forks of the agent's own session. They begin with the bytes of its last
 * request, which the provider has in its cache, so that a helper that knows everything costs little more than its own
 * work. Where that cannot be had, the task is given to an empty child session with a brief of what is known (the one
 * that every subagent gets), and the answer says so.
 *
 * Bounded: tasks at once, time and tokens of each, one level deep. What it takes is the user's own model, asked for by
 * the agent, so it is no background call and stands in the answer.
 */
import PQueue from "p-queue";
import type { Message } from "../../src/conversation/message.js";
import { defineTool, type Tool } from "../../src/dispatcher/tool.js";
import { StrataError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import { readFacts } from "../../src/notes/facts.js";
import { type ForkReport, formatForkReports } from "../../src/notes/fork-report.js";
import { learnMessages } from "../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import type { ForkRequest, ForkResult, ForkRun } from "../../src/seams/host.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens } from "../../src/view/windows.js";
import type { forkArguments } from "./arguments.js";
import { MOST_TASKS } from "./bounds.js";
import { listTouched } from "./subagents.js";

/** The forks of all sessions together. */
const AT_ONCE = 5;
/** What opening, reading and removing may take around the model's time; a task may also have to wait for another. */
const AROUND_MS = 300_000;
/** Below this much room in the window the host would compact a fork at once, and then nothing is shared. */
const LEAST_ROOM_TOKENS = 8_000;

/** Sessions at work. */
const REMEMBERED = 100;

const NO_RUN: ForkRun = {
  used: { input: 0, output: 0, cacheRead: 0 },
  requests: 0,
  messages: [],
  refusals: [],
};

export interface Forking {
  readonly tool: Tool;
  /** This request of a session is about to be sent: a fork will begin with it. */
  notice(request: ContextRequest, messages: readonly Message[]): void;
}

export function createForking(context: LayerContext): Forking {
  const { config, family, folders, host, log, prompts } = context;
  const { forkTimeout, forkTokens } = config.crossAgent;
  const lanes = new PQueue({ concurrency: AT_ONCE });
  /** Tokens that are left of the window, by session, the one used last at the end. */
  const rooms = new Map<string, number>();

  const tool = defineTool<typeof forkArguments>({
    name: "fork",
    description:
      "Do independent tasks side by side on copies of this session. Copies know all you know, at the price of cached tokens; task's subagents start fresh. Each returns one report.",
    parameters: {
      properties: {
        tasks: {
          description: `1-${MOST_TASKS} tasks, one copy each`,
          type: "array",
          items: { type: "string" },
        },
      },
      required: ["tasks"],
    },
    loadCheck: async () => (await import("./arguments.js")).forkArguments,
    deadlineMs: 2 * forkTimeout + AROUND_MS,

    async execute({ tasks }, { messageID, sessionID }, signal) {
      await refuseDepth(sessionID);
      const instruction = await prompts.read("fork");
      const obstacle = findObstacle(sessionID);
      const reports = await Promise.all(
        tasks.map((task) => {
          const request = {
            parentID: sessionID,
            messageID,
            title: task,
            prompt: `${instruction}\n${task}`,
            signal,
            deadlineMs: forkTimeout,
            maxTokens: forkTokens,
          };
          return lanes.add(() => run(task, request, obstacle));
        }),
      );
      return formatForkReports(reports);
    },
  });

  return {
    tool,
    notice(request, messages) {
      const { sessionID, window } = request;
      rooms.delete(sessionID);
      if (!window || window.contextTokens === 0) return;
      rooms.set(sessionID, countUsableTokens(window) - request.estimateTokens(messages));
      if (rooms.size > REMEMBERED) rooms.delete(rooms.keys().next().value ?? "");
    },
  };

  async function refuseDepth(sessionID: string): Promise<void> {
    const line = [sessionID, ...(await family.findAncestors(sessionID))];
    if (!line.some((id) => host.findAsker(id) !== undefined)) return;
    throw new StrataError(
      "FORK_DEPTH",
      "This is a copy already, and a copy makes no copies. Do the task yourself and report.",
    );
  }

  /** Why a fork would not begin with what the cache holds. */
  function findObstacle(sessionID: string): string | undefined {
    const room = rooms.get(sessionID) ?? Number.POSITIVE_INFINITY;
    if (room >= LEAST_ROOM_TOKENS) return undefined;
    return "the window is nearly full, a copy would be compacted at once";
  }

  async function run(
    task: string,
    request: Omit<ForkRequest, "history">,
    obstacle: string | undefined,
  ): Promise<ForkReport> {
    if (obstacle === undefined) {
      const forked = await host.runFork({ ...request, history: "shared" });
      if (forked.kind !== "refused") return report(task, forked, "shared");
      if (request.signal.aborted) return report(task, forked, "shared");
      log.warn("across-agents", `no fork of ${request.parentID}: ${forked.reason}`);
      return brief(task, request, forked.reason);
    }
    return brief(task, request, obstacle);
  }

  async function brief(
    task: string,
    request: Omit<ForkRequest, "history">,
    why: string,
  ): Promise<ForkReport> {
    const done = await host.runFork({ ...request, history: "none" });
    return report(task, done, { brief: why });
  }

  function report(task: string, result: ForkResult, history: ForkReport["history"]): ForkReport {
    const run = result.kind === "refused" ? NO_RUN : result.run;
    return {
      task,
      history,
      answer: result.kind === "answered" ? result.text : formatFailure(result.reason, run),
      hasAnswered: result.kind === "answered",
      ...(run.first && { first: run.first }),
      used: run.used,
      requests: run.requests,
      files: listTouched(
        readFacts(learnMessages(EMPTY_LEDGER, run.messages, folders.project), folders.project),
      ),
      refusals: run.refusals,
    };
  }
}

/** What it had said by then may be of use. */
function formatFailure(reason: string, { messages }: ForkRun): string {
  const said = messages
    .filter(({ info }) => info.role === "assistant")
    .flatMap(({ parts }) =>
      parts.flatMap(({ text, type }) => (type === "text" && text?.trim() ? [text.trim()] : [])),
    );
  const last = said.at(-1);
  return `No report: ${reason}.${last === undefined ? "" : ` It last said: ${last}`}`;
}
