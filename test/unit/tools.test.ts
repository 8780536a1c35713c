import { describe, expect, it } from "vitest";
import * as z from "zod";
import { StrataError } from "../../src/base/error.js";
import { bindTools, defineTools } from "../../src/host/commands-and-tools.js";
import { defineTool, formatParameters, type Tool, type ToolParameters } from "../../src/kernel/layer.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { openWorld } from "../support/world.js";

const check = z.object({ id: z.string().min(3), count: z.number().int().optional() });
const parameters: ToolParameters = {
  properties: {
    id: { description: "the item", type: "string" },
    count: { description: "how many", type: "number" },
  },
  required: ["id"],
};

/** One tool as the host has it, with what it was given and what was logged. */
function bindOne(execute: Tool<typeof check>["execute"], deadlineMs?: number) {
  const clock = createFakeClock();
  const log = createFakeLog();
  const tool = defineTool({
    name: "take",
    description: "Takes one.",
    parameters,
    loadCheck: async () => check,
    execute,
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
  const bound = bindTools([tool], { clock, log });
  const abort = new AbortController();
  const context = { sessionID: "ses_1", messageID: "msg_1", callID: "call_1", abort: abort.signal };
  const run = (args: unknown) => bound.take?.execute(args as never, context as never);
  return { abort, bound, clock, define: defineTools([tool]), logged: log.lines, run };
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

  it("has a schema that says which arguments it needs, and leaves the tools of others alone", async () => {
    const { define } = bindOne(async () => "");
    const output = { description: "Takes one.", parameters: {} };
    await define({ toolID: "read" }, output);
    expect(output).toEqual({ description: "Takes one.", parameters: {} });
    await define({ toolID: "take" }, output);
    expect(output).toMatchObject({ jsonSchema: { type: "object", ...parameters } });
  });
});

/** The limits of values are checked and not told; descriptions are told and not checked. */
const UNTOLD = new Set([
  "$schema",
  "additionalProperties",
  "maximum",
  "maxItems",
  "maxLength",
  "minimum",
  "minItems",
  "minLength",
  "pattern",
  "description",
]);
const toPlain = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    UNTOLD.has(key) && typeof value !== "object" ? undefined : value,
  );

interface ObjectSchema {
  properties: Record<string, unknown>;
}

describe("every tool of ours", () => {
  it("is checked by what the model is told of its arguments, a rare one by its name only", async () => {
    const world = await openWorld();
    const { tools } = world.strata.dispatcher;
    expect(tools.length).toBeGreaterThan(5);
    for (const { description, loadCheck, name, parameters } of tools) {
      const checked = toPlain(z.toJSONSchema(await loadCheck(), { io: "input" })) as ObjectSchema;
      const all = Object.entries(checked.properties);
      const isTold = ([argument]: [string, unknown]): boolean => argument in parameters.properties;
      const told = { ...checked, properties: Object.fromEntries(all.filter(isTold)) };
      expect([name, told]).toEqual([name, toPlain(formatParameters(parameters))]);
      for (const [rare] of all.filter((one) => !isTold(one)))
        expect(description).toMatch(new RegExp(`Also: .*\\b${rare}\\b`));
    }
  });

  it("is offered for 500 tokens together with the six others", async () => {
    const { encode } = await import("gpt-tokenizer");
    const world = await openWorld();
    const definitions = world.strata.dispatcher.tools.map(({ description, name, parameters }) => ({
      type: "function",
      function: { name, description, parameters: formatParameters(parameters) },
    }));
    expect(definitions).toHaveLength(7);
    expect(encode(JSON.stringify(definitions)).length).toBeLessThanOrEqual(500);
  });
});
