import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/context/context-size.js";
import { answer, user } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld } from "../support/world.js";

describe("/compact-notes", () => {
  const wordy = (n: number) => user(`question ${n} ${"word ".repeat(4_000)}`);
  const history = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? wordy(n) : answer([]))).concat(
    user("on"),
  );

  it("/compact-notes has notes take the place of history with the next message, and only then", async () => {
    const world = await openWorld();
    expect(await world.request(history)).toHaveLength(history.length);
    const [compact] = world.strata.dispatcher.commands.filter(({ name }) => name === "compact-notes");
    const text = await compact?.execute({ sessionID: "ses_1", words: "" }, new AbortController().signal);
    expect(text).toContain("session-memory/ses_1.md");
    const view = await world.request(history);
    expect(view.length).toBeLessThan(history.length);
    expect(world.ledger("ses_1", "cut")).toHaveLength(1);
    expect(JSON.stringify(await world.request(history))).toBe(JSON.stringify(view));
    expect(world.ledger("ses_1", "cut")).toHaveLength(1);
  });

  it("/compact-notes leaves no more word for word than it says, counted as the provider counts", async () => {
    const world = await openWorld();
    const session = createSession(world.clock);
    // Two characters a token, as in Chinese or in minified code.
    const count = () => 8_000 + 2 * estimateTokens(session.messages);
    for (let n = 0; n < 12; n++) {
      session.user(`question ${n} ${"word ".repeat(1_500)}`);
      await world.request(session.messages);
      session.answer([], { sent: count() });
    }
    const compact = world.strata.dispatcher.commands.find(({ name }) => name === "compact-notes");
    const text = await compact?.execute({ sessionID: "ses_1", words: "" }, new AbortController().signal);
    expect(text).toContain("About the last 8,000 tokens stay word for word");
    session.user("on");
    const view = await world.request(session.messages);
    const kept = view.filter(({ parts }) => parts.some((part) => String(part.text).startsWith("question")));
    expect(kept.length).toBeGreaterThan(0);
    expect(2 * estimateTokens(kept)).toBeLessThanOrEqual(8_000);
  });

  it("/compact-notes can be taken back before it acts, says what it comes to, and says where there is nothing to take back", async () => {
    const world = await openWorld();
    await world.request(history);
    const compact = world.strata.dispatcher.commands.find(({ name }) => name === "compact-notes");
    const say = (words: string) =>
      compact?.execute({ sessionID: "ses_1", words }, new AbortController().signal);
    expect(await say("undo")).toContain("Nothing to cancel");
    expect(await say("")).toMatch(/files take at most [\d,]+[\s\S]*\/compact-notes undo/);
    expect(await say("undo")).toContain("Cancelled");
    expect(await world.request(history)).toHaveLength(history.length);
    expect(world.ledger("ses_1", "cut")).toHaveLength(0);
  });

  it("/compact-notes says so where nothing would leave the context", async () => {
    const world = await openWorld();
    const [compact] = world.strata.dispatcher.commands.filter(({ name }) => name === "compact-notes");
    await compact?.execute({ sessionID: "ses_1", words: "" }, new AbortController().signal);
    await world.request([user("go")]);
    expect(world.host.toasts).toEqual([expect.stringContaining("/compact-notes changed nothing")]);
  });
});
