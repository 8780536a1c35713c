import { describe, expect, it } from "vitest";
import { findColdReason, findHostBreak } from "../../src/context/cold.js";
import type { Message, MessageInfo } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createSession, MODEL, NO_TOKENS } from "../support/session.js";

const MINUTE = 60_000;
const CLAUDE = { providerID: "anthropic", modelID: "claude-x" };
const policy = { idleMinutes: 60, cacheMinutes: {} };

/** A user's message, an answer, and the next user's message so many minutes later. */
function talk(minutes: number, info: Partial<MessageInfo> = {}, asked: Partial<MessageInfo> = {}) {
  const clock = createFakeClock();
  const session = createSession(clock);
  session.user("one");
  session.answer([], { info });
  clock.advance(minutes * MINUTE);
  session.messages.push({
    info: {
      id: "msg",
      sessionID: "ses_1",
      role: "user",
      agent: "build",
      time: { created: clock.now() },
      ...asked,
    },
    parts: [],
  });
  return { messages: session.messages, now: clock.now(), session, clock };
}

const reason = (messages: readonly Message[], now: number, model = MODEL, given = policy) =>
  findColdReason(readHistory(messages), model, now, given);

describe("the cache is cold", () => {
  it("the cache is cold after an hour with any provider, and after five minutes with Anthropic's models", () => {
    const cases: [number, object, boolean][] = [
      [59.9, MODEL, false],
      [60, MODEL, true],
      [4.9, CLAUDE, false],
      [5, CLAUDE, true],
      [5, { providerID: "bedrock", modelID: "eu.claude-y" }, true],
      [60, { providerID: "openai", modelID: "gpt-x" }, true],
      [179, { providerID: "deepseek", modelID: "deepseek-chat" }, false],
      [180, { providerID: "deepseek", modelID: "deepseek-chat" }, true],
    ];
    for (const [minutes, model, isCold] of cases) {
      const { messages, now } = talk(minutes, model);
      const name = { ...MODEL, ...model };
      expect(reason(messages, now, name) !== undefined, `${minutes} min, ${name.modelID}`).toBe(isCold);
    }
  });

  it("the cache is cold after the user's own times if they are shorter than the idle time", () => {
    const { messages, now } = talk(30, CLAUDE);
    expect(
      reason(messages, now, CLAUDE, { idleMinutes: 60, cacheMinutes: { "anthropic/*": 60 } }),
    ).toBeUndefined();
    const kept = { providerID: "deepseek", modelID: "deepseek-chat" };
    const long = talk(30, kept);
    expect(reason(long.messages, long.now, kept, { idleMinutes: 30, cacheMinutes: {} })).toBeDefined();
    const other = talk(2);
    expect(reason(other.messages, other.now, MODEL, { idleMinutes: 60, cacheMinutes: { "*": 0.5 } })).toBe(
      "idle for 2 min, the cache lives 30 s",
    );
    expect(
      reason(other.messages, other.now, MODEL, { idleMinutes: 1, cacheMinutes: { "*": 9 } }),
    ).toBeDefined();
  });

  it("the cache is cold when the model is switched or a day has begun, not when only the agent is", () => {
    const { messages, now } = talk(1, {}, { agent: "plan" });
    expect(reason(messages, now)).toBeUndefined();
    expect(reason(messages, now, CLAUDE)).toBe(
      "the model was switched from acme/large to anthropic/claude-x",
    );
    expect(reason(messages, now + 20 * 60 * MINUTE, MODEL, { ...policy, idleMinutes: 1_440 })).toMatch(
      /^a new day has begun, /,
    );
  });

  it("the cache is cold after a compaction by the host until the next answer, wherever the turns that it kept are", () => {
    const clock = createFakeClock();
    const session = createSession(clock);
    const kept = [session.user("one"), session.answer([])];
    const summary = [
      session.user("compact"),
      session.answer([], { info: { summary: true, finish: "stop" } }),
    ];
    const after = [...summary, ...kept, session.user("go on")];
    expect(reason(after, clock.now())).toBe("the host has compacted the session");
    const answered = [...after, session.answer([])];
    expect(reason(answered, clock.now())).toBeUndefined();
    const failed = [...kept, session.answer([], { info: { summary: true, error: {}, tokens: NO_TOKENS } })];
    expect(reason(failed, clock.now())).toBeUndefined();
  });

  it("the cache is cold if the provider caches nothing, which two answers in a row of one model prove", () => {
    const clock = createFakeClock();
    const session = createSession(clock);
    session.user("one");
    session.answer([], { sent: 9_000, cached: 0 });
    expect(reason(session.messages, clock.now())).toBeUndefined();
    session.answer([], { sent: 9_000, cached: 0 });
    expect(reason(session.messages, clock.now())).toBe(
      "the provider's last answers read nothing from a cache",
    );
    session.answer([], { sent: 9_000, cached: 100 });
    expect(reason(session.messages, clock.now())).toBeUndefined();
  });

  it("a cold cache is not proved by prompts too small to be cached, or by a second answer that came too late to read it", () => {
    const clock = createFakeClock();
    const session = createSession(clock);
    session.user("one");
    session.answer([], { sent: 4_000, cached: 0 });
    session.answer([], { sent: 4_000, cached: 0 });
    expect(reason(session.messages, clock.now())).toBeUndefined();
    session.answer([], { sent: 9_000, cached: 0 });
    clock.advance(61 * MINUTE);
    session.answer([], { sent: 9_000, cached: 0 });
    expect(reason(session.messages, clock.now())).toBeUndefined();
  });
});

it("a break by the host has one key until the next answer, so that it is recorded once", () => {
  const { messages, now, session } = talk(1);
  const find = (asked: readonly Message[]) => findHostBreak(readHistory(asked), CLAUDE, now);
  const first = find(messages);
  expect(first).toMatchObject({ kind: "model" });
  const broken = session.answer([], { info: { tokens: NO_TOKENS } });
  expect(find([...messages, broken])?.key).toBe(first?.key);
  session.answer([]);
  expect(find(session.messages)?.key).not.toBe(first?.key);
});
