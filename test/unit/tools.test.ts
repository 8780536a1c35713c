import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, type Tool } from "../../src/dispatcher/tool.js";
import { StrataError } from "../../src/error.js";
import { bindTools } from "../../src/host/tools.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";

const parameters = z.object({
  id: z.string().min(3).describe("the item"),
  count: z.number().int().optional().describe("how many"),
});

/** One tool as the host has it, with what it was given and what was logged. */
function bindOne(execute: Tool<typeof parameters>["execute"], deadlineMs?: number) {
  const clock = createFakeClock();
  const log = createFakeLog();
  const tool = defineTool({
    name: "take",
    description: "Takes one.",
    parameters,
    execute,
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
  const bound = bindTools([tool], { clock, log });
  const abort = new AbortController();
  const context = { sessionID: "ses_1", messageID: "msg_1", callID: "call_1", abort: abort.signal };
  const run = (args: unknown) => bound.take?.execute(args as never, context as never);
  return { abort, bound, clock, logged: log.lines, run };
}

describe("a layer's tool in the host", () => {
  it("a layer's tool in the host gets arguments that fit and where it was called, and its text is the answer", async () => {
    const { run } = bindOne(async (args, call) => JSON.stringify([args, call]));
    expect(JSON.parse(String(await run({ id: "abc", count: 2, stray: 1 })))).toEqual([
      { id: "abc", count: 2 },
      { tool: "take", sessionID: "ses_1", callID: "call_1", messageID: "msg_1" },
    ]);
  });

  it("a layer's tool in the host is not run with arguments that do not fit, and says of each what is wrong", async () => {
    let runs = 0;
    const { run } = bindOne(async () => `${++runs}`);
    for (const args of [undefined, null, "abc", [], {}, { id: "a" }, { id: "abc", count: "two" }])
      await expect(run(args)).rejects.toThrow("take was not run, its arguments do not fit");
    await expect(run({ id: 1, count: 0.5 })).rejects.toThrow(/id: .*count: /);
    expect(runs).toBe(0);
  });

  it("a layer's tool in the host that does not answer is left after its deadline, and told so by its signal", async () => {
    let signal: AbortSignal | undefined;
    const { clock, run } = bindOne((_args, _call, given) => {
      signal = given;
      return new Promise(() => {});
    }, 500);
    const answer = run({ id: "abc" });
    const refusal = expect(answer).rejects.toThrow("take did not answer within 500 ms");
    await Promise.resolve();
    clock.advance(500);
    await refusal;
    expect(signal?.aborted).toBe(true);
  });

  it("a layer's tool in the host is told when the user breaks the turn off", async () => {
    const { abort, run } = bindOne(async (_args, _call, signal) => {
      abort.abort();
      return String(signal.aborted);
    });
    expect(await run({ id: "abc" })).toBe("true");
  });

  it("a layer's tool in the host tells the model why it refuses, and the log only what nobody expected", async () => {
    const refusing = bindOne(() => Promise.reject(new StrataError("EMEMORY", "There is no such item.")));
    await expect(refusing.run({ id: "abc" })).rejects.toThrow("There is no such item.");
    expect(refusing.logged).toEqual([]);
    const broken = bindOne(() => Promise.reject(new TypeError("x is undefined")));
    await expect(broken.run({ id: "abc" })).rejects.toThrow("x is undefined");
    expect(broken.logged).toEqual(["error tools: take failed: TypeError: x is undefined"]);
  });

  it("a layer's tool in the host is offered with its parameters and their descriptions", () => {
    const { bound } = bindOne(async () => "");
    expect(bound.take?.description).toBe("Takes one.");
    expect(Object.keys(bound.take?.args ?? {})).toEqual(["id", "count"]);
  });
});
