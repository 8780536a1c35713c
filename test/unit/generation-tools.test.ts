import { describe, expect, it } from "vitest";
import { written } from "../support/fake-host.js";
import { notes, openGeneration } from "../support/generation-world.js";

describe("a call that works with tools", () => {
  const tools = (maxTokens: number) => ({
    findEscape: () => undefined,
    cleanResult: (_tool: string, _args: unknown, text: string) => text,
    maxTokens,
    deadlineMs: 1_000,
    signal: new AbortController().signal,
  });

  it("a call that works with tools reserves the next answer with each that ends, in full also what a cache has, and is told to stop at the limit", async () => {
    const { generation, host } = openGeneration({ dailyTokens: 100_000, dailyCalls: 1 });
    const used = { input: 1_000, output: 1_000, cacheRead: 20_000 };
    const reasons: (string | undefined)[] = [];
    host.respond = async ({ mayGoOn, maxAnswerTokens }) => {
      for (let n = 1; n <= 9 && !reasons.at(-1); n++) reasons.push(await mayGoOn?.(`msg_${n}`, used));
      expect(maxAnswerTokens).toBe(16_000);
      const times = reasons.length;
      return written("x", [1_000 * times, 1_000 * times, 20_000 * times]);
    };
    await generation.generate({ ...notes, tools: tools(50_000) });
    expect(reasons.slice(0, -1).every((why) => why === undefined)).toBe(true);
    expect(reasons.at(-1)).toContain("(background.dailyTokens)");
    const { callsToday, tokensToday = 0 } = await generation.status();
    expect([callsToday, tokensToday]).toEqual([1, reasons.length * 22_000]);
    expect(tokensToday).toBeLessThanOrEqual(100_000);
  });
});
