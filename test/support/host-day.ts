/** A day in one session as the host reports it: calls every hook and gives every layer something to do. */
import type { Message, ToolPart } from "../../src/io/message.js";
import { measure } from "./fake-clock.js";
import { bindTestHooks } from "./hooks.js";
import { call, lines } from "./messages.js";
import { createSession, MODEL, type Session } from "./session.js";
import type { World } from "./world.js";

export const DAY_OPTIONS = {
  microCompact: { floor: 0, keepRecent: 1 },
  sessionMemory: { goalRefresh: 2, goalDistance: 0 },
  autoCompact: { threshold: 16_000 },
  crossAgent: { onConflict: "block" },
};

/** One request: the host's messages and the resulting view. */
export interface Sent {
  history: readonly Message[];
  /** The host's messages before the hook, as JSON. */
  before: string;
  view: readonly Message[];
}

export interface HostDay {
  readonly session: Session;
  readonly sent: Sent[];
  /** Longest wait in milliseconds, by host hook. */
  readonly waitedMs: Map<string, number>;
  /** Calls a hook as the host does and rethrows its errors. Does nothing if the hook is not registered. */
  tell(name: string, ...given: unknown[]): Promise<void>;
  event(type: string, properties: unknown): Promise<void>;
  /** Plays a user message, up to the request with it. */
  turn(text: string): Promise<void>;
  /** Plays an answer with these calls, each announced before it runs, up to the request with their results. */
  work(planned: readonly Planned[], sentTokens?: number): Promise<void>;
  /** Ends the turn. */
  rest(rests: boolean): Promise<void>;
  /** Plays the whole day. `rests: false` does not wait for background work. */
  play(options?: { rests: boolean }): Promise<void>;
}

const RULE = "Never run `git push --force` on main.";
const DECISION = "Always use Postgres instead of SQLite, because two services write at once.";

export function openDay(world: World, sessionID = "ses_1"): HostDay {
  const { clock, host, strata } = world;
  const hooks = bindTestHooks(strata).hooks as unknown as Record<
    string,
    ((...given: unknown[]) => unknown) | undefined
  >;
  const session = createSession(clock, sessionID);
  host.messages.set(sessionID, session.messages);
  host.sessions.set(sessionID, clock.now());
  const sent: Sent[] = [];
  const waitedMs = new Map<string, number>();

  async function tell(name: string, ...given: unknown[]): Promise<void> {
    const { tookMs } = await measure(clock, Promise.resolve(hooks[name]?.(...given)));
    waitedMs.set(name, Math.max(tookMs, waitedMs.get(name) ?? 0));
  }

  const event = (type: string, properties: unknown) => tell("event", { event: { type, properties } });

  async function turn(text: string): Promise<void> {
    const { info, parts } = session.user(text);
    await tell("chat.message", { sessionID, agent: "build" }, { message: info, parts });
    const model = {
      id: MODEL.modelID,
      providerID: MODEL.providerID,
      limit: { context: 200_000, output: 8_000 },
    };
    await tell("chat.params", { sessionID, agent: "build", model }, {});
    await request();
  }

  async function request(): Promise<void> {
    const summary = session.messages.findLastIndex(({ info }) => info.summary === true);
    // Includes the host's summary request.
    const history = session.messages.slice(Math.max(0, summary - 1));
    const before = JSON.stringify(history);
    const messages = [...history];
    await tell("experimental.chat.messages.transform", {}, { messages });
    sent.push({ history, before, view: messages });
  }

  async function work(planned: readonly Planned[], sentTokens = 12_000): Promise<void> {
    const calls = planned.map((plan, index) =>
      plan({ callID: `${sessionID}_${session.messages.length}_${index}`, startMs: clock.now() + index }),
    );
    for (const { callID, state, tool } of calls)
      await tell("tool.execute.before", { tool, sessionID, callID }, { args: { ...state.input } });
    session.answer(calls, { sent: sentTokens });
    await request();
  }

  async function rest(rests: boolean): Promise<void> {
    const { info } = session.answer([], { text: "Done. The port is next." });
    await event("message.updated", { info });
    await event("session.idle", { sessionID });
    if (rests) await measure(clock, strata.idle());
  }

  async function play({ rests } = { rests: true }): Promise<void> {
    await event("session.created", { info: { id: sessionID } });
    await turn(`Port the parser. ${RULE}`);
    await work([read("src/a.ts", 900), fails("cat notes.md")]);
    await work([fails("cat notes.md"), run("seq 1 9000", lines(1_500))]);
    await work([read("src/b.ts", 300), edit("src/a.ts")]);
    await rest(rests);
    await turn(DECISION);
    await work([run("echo git push --force", "ok")], 30_000);
    await rest(rests);
    await tell("command.execute.before", { command: "review", sessionID, arguments: "" }, { parts: [] });
    await tell("experimental.session.compacting", { sessionID }, { context: [] });
    session.user("What did we do so far?");
    session.answer([], { text: "## Goal\nThe parser is ported.", info: { summary: true } });
    await event("session.compacted", { sessionID });
    await turn("Go on.");
    await rest(rests);
    await delegate(rests);
    clock.advance(60 * 60_000);
    await turn("And now?");
    await rest(rests);
  }

  /** A subagent, and another session in which this one's content matters. */
  async function delegate(rests: boolean): Promise<void> {
    for (const [id, text] of [
      [`${sessionID}_child`, "Look."],
      [`${sessionID}_next`, "Which database?"],
    ] as const) {
      const isChild = id.endsWith("_child");
      const other = openDay(world, id);
      if (isChild) host.parents.set(id, sessionID);
      await event("session.created", { info: { id, ...(isChild && { parentID: sessionID }) } });
      await other.turn(text);
      await other.work([run("echo git push --force", "ok")]);
      await other.rest(rests);
      sent.push(...other.sent);
    }
  }

  return { session, sent, waitedMs, tell, event, turn, work, rest, play };
}

type Planned = (made: { callID: string; startMs: number }) => ToolPart;

const run =
  (command: string, output: string): Planned =>
  (made) =>
    call("bash", output, { ...made, state: { input: { command } } });

const read =
  (filePath: string, count: number): Planned =>
  (made) =>
    call("read", lines(count), { ...made, state: { input: { filePath } } });

const edit =
  (filePath: string): Planned =>
  (made) =>
    call("edit", "Edited", { ...made, state: { input: { filePath } } });

const fails =
  (command: string): Planned =>
  (made) =>
    call("bash", "cat: notes.md: No such file or directory\n", {
      ...made,
      state: { input: { command }, metadata: { exit: 1 } },
    });
