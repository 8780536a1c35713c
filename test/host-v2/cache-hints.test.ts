/** Where a cache hint goes: up to the oldest result that layer 2 may clear later. */
import { describe, expect, it } from "vitest";
import { withCacheHint } from "../../src/host/setup/cache-hints.js";
import type { CacheHint, TheirMessage, TheirResult } from "../../src/host/setup/contract.js";

class Hint implements CacheHint {
  readonly type = "ephemeral";
  readonly ttlSeconds = 300;
}

const LONG = "x".repeat(3_000);

const user = (text: string): TheirMessage => ({ role: "user", content: [{ type: "text", text }] });
const asks = (id: string, name: string): TheirMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", id, name, input: {} }],
});
const answers = (id: string, name: string, result: TheirResult): TheirMessage => ({
  role: "tool",
  content: [{ type: "tool-result", id, name, result }],
});
const system = [{ type: "text", text: "You are helpful.", cache: new Hint() }];

/** Index of the message whose last part has a hint. */
const find = (messages: readonly TheirMessage[]): number =>
  messages.findIndex(({ content }) => content.at(-1)?.cache !== undefined);

describe("a cache hint", () => {
  it("a cache hint goes to the last message before the answer with the oldest clearable result", () => {
    for (const result of [
      { type: "text", value: LONG },
      { type: "content", value: [{ type: "text", text: LONG }] },
    ] as const) {
      const messages = [
        user("first"),
        asks("a", "edit"),
        answers("a", "edit", { type: "text", value: "done" }),
        asks("b", "read"),
        answers("b", "read", result),
        asks("c", "shell"),
        answers("c", "shell", result),
        user("last"),
      ];
      const hinted = withCacheHint(messages, system);
      expect(find(hinted)).toBe(2);
      expect(hinted[2]?.content[0]?.cache).toBeInstanceOf(Hint);
      expect(hinted.filter((message, index) => message !== messages[index])).toHaveLength(1);
      expect(messages[2]?.content[0]).not.toHaveProperty("cache");
    }
  });

  it("a cache hint moves on when that result is cleared, so the rest is cached up to the next one", () => {
    const messages = [
      user("first"),
      asks("a", "read"),
      answers("a", "read", { type: "text", value: "[Strata] cleared" }),
      asks("b", "read"),
      answers("b", "read", { type: "text", value: LONG }),
    ];
    expect(find(withCacheHint(messages, system))).toBe(2);
  });

  it("no cache hint is added without a clearable result, a place, a hint to copy or room for one more", () => {
    const short = [user("first"), asks("a", "read"), answers("a", "read", { type: "text", value: "short" })];
    const long = [user("first"), asks("a", "read"), answers("a", "read", { type: "text", value: LONG })];
    expect(withCacheHint(short, system)).toBe(short);
    expect(withCacheHint(long.slice(1), system)).toEqual(long.slice(1));
    expect(withCacheHint(long, [{ type: "text", text: "You are helpful." }])).toBe(long);
    expect(withCacheHint(long, [...system, ...system, ...system, ...system])).toBe(long);
    expect(find(withCacheHint(long, system))).toBe(0);
  });
});
