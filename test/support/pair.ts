/** Two plugin instances in one project, as in separate processes. */

import type { Files } from "../../src/io/files.js";
import type { Message } from "../../src/io/message.js";
import type { ToolArguments } from "../../src/kernel/hooks.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createFakeHost, PROJECT } from "./fake-host.js";
import { createFakeProcesses } from "./fake-processes.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { createSession, type Session } from "./session.js";
import { openWorld, type World } from "./world.js";

export interface Member {
  world: World;
  session: Session;
  /** Begins a turn: the user's message and the request for it. */
  turn(text: string): Promise<readonly Message[]>;
  /** The request that would be sent now. */
  request(): Promise<readonly Message[]>;
  tool(name: string, args?: Record<string, unknown>, callID?: string): Promise<string>;
  /** Runs the hook before a call. */
  before(tool: string, args: ToolArguments, callID?: string): Promise<ToolArguments>;
  event(type: string, properties: Record<string, unknown>): Promise<void>;
  /** The same session in a process with another id. */
  restart(processID: number): Promise<Member>;
}

export interface Pair {
  clock: FakeClock;
  files: MemoryFiles;
  /** Ids of running processes; the two instances have 1 and 2. */
  running: Set<number>;
  a: Member;
  b: Member;
  open(sessionID: string, processID: number): Promise<Member>;
}

/** The sessions are `ses_a` and `ses_b`; neither has had a turn. */
export async function openPair(
  options: Record<string, unknown> = {},
  wrap: (files: Files) => Files = (files) => files,
): Promise<Pair> {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  const running = new Set([1, 2]);

  async function open(
    sessionID: string,
    processID: number,
    session = createSession(clock, sessionID),
  ): Promise<Member> {
    const processes = { ...createFakeProcesses(processID), running };
    const host = { ...createFakeHost(), processes: { ...processes, isRunning: isRunningIn(running) } };
    const world = await openWorld({ clock, files, host, options, wrap });
    return createMember({ world, session, sessionID }, (id) => open(sessionID, id, session));
  }

  return {
    clock,
    files,
    running,
    a: await open("ses_a", 1),
    b: await open("ses_b", 2),
    open: (sessionID, id) => open(sessionID, id),
  };
}

const isRunningIn =
  (running: Set<number>) =>
  async ({ id, machine }: { id: number; machine: string }) =>
    machine === "here" ? running.has(id) : undefined;

function createMember(
  { session, sessionID, world }: { session: Session; sessionID: string; world: World },
  restart: (processID: number) => Promise<Member>,
): Member {
  const { dispatcher } = world.strata;
  const request = async (): Promise<readonly Message[]> => {
    const shown = await world.request([...session.messages]);
    await world.strata.idle();
    return shown;
  };
  return {
    world,
    session,
    request,
    restart,
    async turn(text) {
      await dispatcher.ask("turn", { sessionID }, undefined);
      session.user(text);
      return request();
    },
    async tool(name, args = {}, callID = "call_1") {
      const tool = dispatcher.tools.find((one) => one.name === name);
      if (!tool) throw new Error(`expected a tool named ${name}, found none`);
      const call = { tool: name, sessionID, callID, messageID: "msg_1" };
      const check = await tool.loadCheck();
      const answer = await tool.execute(check.parse(args), call, new AbortController().signal);
      await world.strata.idle();
      return answer;
    },
    async before(tool, args, callID = "call_1") {
      const answer = await dispatcher.ask("toolArguments", { tool, sessionID, callID }, args);
      await world.strata.idle();
      return answer;
    },
    async event(type, properties) {
      await dispatcher.ask("event", { type, properties }, undefined);
      await world.strata.idle();
    },
  };
}

/** All text of a request. */
export function textOf(messages: readonly Message[]): string {
  return JSON.stringify(
    messages.map(({ parts }) => parts),
    null,
    1,
  ).replaceAll("\\n", "\n");
}

/** Absolute, in the project. */
export const inProject = (path: string): string => `${PROJECT}/${path}`;
