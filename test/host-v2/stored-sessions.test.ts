import { expect, test } from "vitest";
import type { StoredMessage, TheirMessage } from "../../src/host/2/contract.js";
import { createStoredSessions } from "../../src/host/2/stored-sessions.js";
import { createFakeClock } from "../support/fake-clock.js";

const SESSION = "ses_1";
const MODEL = { id: "large", providerID: "acme" };
const TOKENS = { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };
const ERROR = { type: "tool.execution", message: "no such file" };
const CUT = [{ type: "text", text: "a\n[full output saved to /out/sh_1.out]" }];

const PROMPT = { type: "user", payload: { text: "go", files: [] } };
const FIRST = { assistantMessageID: "a2", id: "c1", executed: false };
const SECOND = { ...FIRST, id: "c2" };

const told: readonly (readonly [atMs: number, type: string, data: object])[] = [
  [10, "session.inbox.enqueued", { inboxID: "u2", item: PROMPT }],
  [20, "session.inbox.delivered", { inboxID: "u2" }],
  [35, "session.step.started", { assistantMessageID: "a2", agent: "build", model: MODEL, started: 30 }],
  [40, "session.tool.input.started", { assistantMessageID: "a2", id: "c1", name: "shell" }],
  [41, "session.tool.input.started", { assistantMessageID: "a2", id: "c2", name: "read" }],
  [42, "session.tool.called", { ...FIRST, input: { command: "x" } }],
  [43, "session.tool.called", { ...SECOND, input: { path: "y" } }],
  [44, "session.tool.failed", { ...SECOND, error: ERROR }],
  [50, "session.tool.success", { ...FIRST, content: CUT, metadata: { truncated: true, exit: 3 } }],
  [60, "session.step.ended", { assistantMessageID: "a2", finish: "tool-calls", tokens: TOKENS }],
];

/** As OpenCode 2.0.15 stores what these events tell, less what the request says itself. */
const stored: readonly StoredMessage[] = [
  { id: "u2", type: "user", text: "go", files: [], time: { created: 20 } },
  {
    ...{ id: "a2", type: "assistant", agent: "build", model: MODEL, finish: "tool-calls", tokens: TOKENS },
    time: { created: 30, completed: 60 },
    content: [
      {
        ...{ type: "tool", id: "c1", name: "shell", time: { created: 40, completed: 50 } },
        state: {
          ...{ status: "completed", content: CUT },
          metadata: { truncated: true, exit: 3 },
        },
      },
      {
        ...{ type: "tool", id: "c2", name: "read", time: { created: 41, completed: 44 } },
        state: { status: "error" },
      },
    ],
  },
];

const first: StoredMessage = { id: "u1", type: "user", text: "hello", time: { created: 1 } };
const theirs = (id: string, role: "user" | "assistant", text: string): TheirMessage =>
  ({ id, role, content: [{ type: "text", text }] }) as unknown as TheirMessage;
const OLD = theirs("u1", "user", "hello");
const NEW = [OLD, theirs("u2", "user", "go"), theirs("a2", "assistant", "")];

function open(all: () => readonly StoredMessage[]) {
  const clock = createFakeClock();
  const reads: number[] = [];
  const context = () => {
    reads.push(clock.now());
    return all();
  };
  const sessions = createStoredSessions({
    clock,
    log: { error: (_, message) => expect.unreachable(message) },
    context: { session: { context } } as never,
  });
  const tell = (...some: typeof told) => {
    for (const [created, type, data] of some)
      sessions.note({ type, created, data: { sessionID: SESSION, ...data } });
  };
  return { clock, reads, sessions, tell };
}

test("what the events of an answer and a prompt tell is what the host stores, and nothing is read for it", async () => {
  const { reads, sessions, tell } = open(() => [first]);
  await sessions.readFor(SESSION, [OLD]);
  tell(...told);
  const byID = await sessions.readFor(SESSION, NEW);
  expect([...byID.values()]).toEqual([first, ...stored]);
  expect(reads).toHaveLength(1);
});

test("an end that is told a moment behind the request is waited for", async () => {
  const { reads, sessions, tell } = open(() => [first]);
  await sessions.readFor(SESSION, [OLD]);
  tell(...told.slice(0, -1));
  const reading = sessions.readFor(SESSION, NEW);
  tell(...told.slice(-1));
  expect([...(await reading).keys()]).toEqual(["u1", "u2", "a2"]);
  expect(reads).toHaveLength(1);
});

test.each([
  ["no event tells the end", told.slice(0, -1), NEW],
  ["an event is missing", told.slice(3), NEW],
  [
    "the host has changed the prompt",
    told,
    [OLD, theirs("u2", "user", "go, with more"), NEW[2] as TheirMessage],
  ],
  ["nothing was read before", told, undefined],
])("the session is read where %s", async (_what, some, messages) => {
  let all: readonly StoredMessage[] = [first];
  const { clock, reads, sessions, tell } = open(() => all);
  if (messages) await sessions.readFor(SESSION, [OLD]);
  all = [first, ...stored];
  tell(...some);
  const before = reads.length;
  const reading = sessions.readFor(SESSION, messages ?? NEW);
  await clock.advance(1_000);
  expect([...(await reading).values()]).toEqual([first, ...stored]);
  expect(reads).toHaveLength(before + 1);
});

test("a checkpoint that was read while it was being made is read again, although events tell the rest", async () => {
  const checkpoint = { id: "c1", type: "compaction", summary: "so far", time: { created: 5 } };
  let all: readonly StoredMessage[] = [{ ...checkpoint, status: "running" }];
  const { sessions, tell } = open(() => all);
  await sessions.readAll(SESSION);
  all = [{ ...checkpoint, status: "completed" }, ...stored.slice(0, 1)];
  tell(...told.slice(0, 2));
  const byID = await sessions.readFor(SESSION, [theirs("c1", "user", "so far"), NEW[1] as TheirMessage]);
  expect(byID.get("c1")).toMatchObject({ status: "completed" });
});

test("nonsense among the events changes nothing", () => {
  const { sessions } = open(() => []);
  for (const event of [null, 1, {}, { type: "session.step.started", created: 1, data: {} }, { data: null }])
    expect(sessions.note(event)).toBeUndefined();
});
