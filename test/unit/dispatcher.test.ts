import { describe, expect, it } from "vitest";
import { createDispatcher, type Dispatcher } from "../../src/dispatcher/dispatcher.js";
import { findRefusal, type Handler, type HookRules, hookRules, refuse } from "../../src/dispatcher/hooks.js";
import type { Layer } from "../../src/dispatcher/layer.js";
import type { Log } from "../../src/record/log.js";
import type { ContextRequest } from "../../src/view/request.js";
import { createFakeClock, measure } from "../support/fake-clock.js";
import { user } from "../support/messages.js";

type Handlers = Layer["handlers"];

function open(layers: Layer[], rules: HookRules = hookRules) {
  const lines: string[] = [];
  const write = (level: string) => (_source: string, message: string) =>
    void lines.push(`${level} ${message}`);
  const log: Log = { error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
  const clock = createFakeClock();
  return { dispatcher: createDispatcher({ layers, clock, log, rules }), clock, lines };
}

function layer(name: string, cost: number, handlers: Handlers, more: Partial<Layer> = {}): Layer {
  return { name, cost, handlers, ...more };
}

/** Layers that write their name into the arguments. */
function signing(name: string, cost: number): Layer {
  return layer(name, cost, { toolArguments: (_input, args) => ({ signed: `${args.signed ?? ""}${name}` }) });
}

const toolCall = { tool: "bash", sessionID: "ses_1", callID: "call_1" };
const sign = (dispatcher: Dispatcher) => dispatcher.ask("toolArguments", toolCall, {});
const combining = (
  combine: "first" | "chain" | "until",
  rule: Partial<HookRules["toolArguments"]> = {},
): HookRules => ({
  ...hookRules,
  toolArguments: { ...hookRules.toolArguments, ...rule, combine },
});

describe("answers are combined by the hook's rule", () => {
  const three = [signing("dear", 3), signing("cheap", 1), signing("middle", 2)];

  it("first: the cheapest answer wins", async () => {
    expect(await sign(open(three, combining("first")).dispatcher)).toEqual({ signed: "cheap" });
  });

  it("first: a layer that passes leaves it to the next", async () => {
    const passing = layer("passing", 0, { toolArguments: () => undefined });
    expect(await sign(open([...three, passing], combining("first")).dispatcher)).toEqual({ signed: "cheap" });
  });

  it("chain: each layer sees the previous answer, cheap before expensive", async () => {
    expect(await sign(open(three, combining("chain")).dispatcher)).toEqual({ signed: "cheapmiddledear" });
  });

  const resort = { ...signing("resort", 2.5), isLastResort: true };

  it("chain: a refusal is final, and no more expensive layer is asked", async () => {
    const refusing = layer("refusing", 1.5, { toolArguments: () => refuse("not now") });
    const answer = await sign(open([...three, refusing]).dispatcher);
    expect(findRefusal(answer)).toBe("not now");
    expect(answer).not.toHaveProperty("signed");
    expect(findRefusal({ refusal: "not now" })).toBeUndefined();
  });

  it("until: a last resort is not asked while the value is good enough, other layers are", async () => {
    const rules = combining("until", { isEnough: () => true });
    expect(await sign(open([...three, resort], rules).dispatcher)).toEqual({ signed: "cheapmiddledear" });
  });

  it("until: a last resort is asked while the value is not good enough, even after a cheap layer has failed", async () => {
    const failing = layer("failing", 0, { toolArguments: () => Promise.reject(new Error("boom")) });
    const rules = combining("until", { isEnough: () => false });
    const { dispatcher } = open([failing, ...three, resort], rules);
    expect(await sign(dispatcher)).toEqual({ signed: "cheapmiddleresortdear" });
  });

  it("chain: a last resort is asked like any other", async () => {
    const rules = combining("chain", { isEnough: () => true });
    expect(await sign(open([resort], rules).dispatcher)).toEqual({ signed: "resort" });
  });
});

describe("a layer that fails counts as having passed, is logged once, and the others continue", () => {
  const cheap = signing("cheap", 1);
  const faulty: Record<string, Handler<"toolArguments">> = {
    throws: () => {
      throw new Error("boom");
    },
    rejects: () => Promise.reject(new Error("boom")),
    "throws no error": () => Promise.reject("boom"),
    "answers garbage": (() => "nonsense") as never,
    "answers a list": (() => [1, 2]) as never,
  };
  for (const [what, toolArguments] of Object.entries(faulty)) {
    it(`one that ${what}`, async () => {
      const { dispatcher, lines } = open([layer("faulty", 0, { toolArguments }), cheap]);
      expect(await sign(dispatcher)).toEqual({ signed: "cheap" });
      expect(await sign(dispatcher)).toEqual({ signed: "cheap" });
      expect(lines.filter((line) => line.startsWith("error layer faulty"))).toHaveLength(1);
      expect(lines.filter((line) => line.startsWith("debug layer faulty"))).toHaveLength(1);
      expect(lines[0]).toContain("at hook toolArguments");
    });
  }

  it("a layer whose promise never settles costs one deadline and is left out from then on", async () => {
    let calls = 0;
    const toolArguments = () => {
      calls++;
      return new Promise<never>(() => {});
    };
    const hanging = layer("hanging", 0, { toolArguments }, { withinMs: { toolArguments: 100 } });
    const { dispatcher, clock, lines } = open([hanging, cheap]);
    const first = sign(dispatcher);
    await Promise.resolve();
    clock.advance(100);
    expect(await first).toEqual({ signed: "cheap" });
    expect(await sign(dispatcher)).toEqual({ signed: "cheap" });
    expect(calls).toBe(1);
    expect(lines).toHaveLength(1);
  });

  it("a layer that is late has its answer dropped, its signal aborted, and is asked again once it has returned", async () => {
    const late: { end?: (args: Record<string, unknown>) => void; signal?: AbortSignal; calls: number } = {
      calls: 0,
    };
    const toolArguments: Handler<"toolArguments"> = (_input, args, signal) => {
      if (late.calls++ > 0) return { signed: "slow" };
      late.signal = signal;
      return new Promise((resolve) => {
        late.end = () => resolve({ ...args, signed: "too late" });
      });
    };
    const slow = layer("slow", 0, { toolArguments }, { withinMs: { toolArguments: 100 } });
    const { dispatcher, clock } = open([slow, cheap]);
    const first = sign(dispatcher);
    await Promise.resolve();
    clock.advance(100);
    expect(await first).toEqual({ signed: "cheap" });
    expect(late.signal?.aborted).toBe(true);
    late.end?.({});
    await new Promise(setImmediate);
    expect(await sign(dispatcher)).toEqual({ signed: "slowcheap" });
  });

  it("an answer without messages, or with invalid parts, is not a context", async () => {
    for (const garbage of [
      [],
      [{ info: {}, parts: [] }],
      [{ info: { role: "user" }, parts: [{}] }],
      [undefined],
    ]) {
      const { dispatcher, lines } = open([layer("faulty", 0, { context: () => garbage as never })]);
      const messages = [user("hello")];
      const request = { sessionID: "ses_1", show: () => messages } as unknown as ContextRequest;
      const answered = await dispatcher.ask("context", request, messages);
      expect(answered).toBe(messages);
      expect(lines[0]).toContain("layer faulty");
    }
  });
});

describe("the layers of a hook share its time limit", () => {
  const messages = [user("hello")];
  const ask = (dispatcher: Dispatcher, shown = messages) =>
    dispatcher.ask(
      "context",
      { sessionID: "ses_1", show: () => shown } as unknown as ContextRequest,
      messages,
    );
  const never = () => new Promise<never>(() => {});
  const hanging = (name: string, cost: number, more: Partial<Layer> = {}) =>
    layer(name, cost, { context: never }, more);

  it("layers that all hang cost one time limit together, and nothing the next time", async () => {
    const layers = Array.from({ length: 9 }, (_, n) =>
      hanging(`layer ${n}`, n, { withinMs: { context: 1_500 } }),
    );
    const { clock, dispatcher } = open(layers.slice(0, 2));
    expect(await measure(clock, ask(dispatcher))).toEqual({ answer: messages, tookMs: 3_000 });
    expect(await measure(clock, ask(dispatcher))).toEqual({ answer: messages, tookMs: 0 });
    const all = open(layers);
    expect((await measure(all.clock, ask(all.dispatcher))).tookMs).toBe(3_000);
    expect(all.lines.filter((line) => line.includes("did not answer within 1500 ms"))).toHaveLength(2);
    expect(all.lines.filter((line) => line.includes("was not asked"))).toHaveLength(7);
  });

  it("hooks of one call of the host share one time limit", async () => {
    const { clock, dispatcher } = open([hanging("one", 1), layer("other", 2, { compacted: never })]);
    const limit = dispatcher.limit("context");
    const request = { sessionID: "ses_1", show: () => messages } as unknown as ContextRequest;
    const asked = dispatcher
      .ask("compacted", request, undefined, limit)
      .then(() => dispatcher.ask("context", request, messages, limit));
    expect(await measure(clock, asked)).toEqual({ answer: messages, tookMs: 3_000 });
  });

  it("an indispensable layer has its own time, which does not count, and is asked again while it hangs", async () => {
    const replayed = [user("hello"), user("replayed")];
    let release = (): void => {};
    const context = () =>
      new Promise<typeof messages>((resolve) => {
        release = () => resolve(replayed);
      });
    const replay = layer("replay", 0, { context }, { isIndispensable: true, withinMs: { context: 20_000 } });
    const { clock, dispatcher } = open([replay, hanging("hangs", 1)]);
    const asked = ask(dispatcher, replayed);
    clock.after(5_000, () => release());
    expect(await measure(clock, asked)).toEqual({ answer: replayed, tookMs: 8_000 });
    expect(await measure(clock, ask(dispatcher))).toEqual({ answer: messages, tookMs: 20_000 });
    const again = ask(dispatcher, replayed);
    clock.after(1_000, () => release());
    expect(await measure(clock, again)).toEqual({ answer: replayed, tookMs: 1_000 });
  });

  it("a hook without an answer reaches every layer, even if no time is left", async () => {
    const told: string[] = [];
    const turn = (name: string) => () => void told.push(name);
    const { clock, dispatcher } = open([
      layer("hangs", 1, { turn: never }),
      layer("one", 2, { turn: turn("one") as never }),
      layer("other", 3, { turn: turn("other") as never }),
    ]);
    const { tookMs } = await measure(clock, dispatcher.ask("turn", { sessionID: "ses_1" }, undefined));
    expect({ told, tookMs }).toEqual({ told: ["one", "other"], tookMs: 1_000 });
  });

  it("a layer that gave no answer is told each time, and the decisions made by then are shown", async () => {
    const decided = [user("hello"), user("decided")];
    const inputs: string[] = [];
    const passedOver = { context: ({ sessionID }: ContextRequest) => void inputs.push(sessionID) };
    const { clock, dispatcher } = open([hanging("hangs", 1, { passedOver })]);
    expect((await measure(clock, ask(dispatcher, decided))).answer).toEqual(decided);
    expect((await measure(clock, ask(dispatcher, decided))).answer).toEqual(decided);
    expect(inputs).toEqual(["ses_1", "ses_1"]);
  });
});

describe("a call of the host is served whatever it brings", () => {
  it("objects of an unexpected shape are logged, not thrown", async () => {
    const { dispatcher, lines } = open([signing("cheap", 1)]);
    const unreadable = () => {
      throw new TypeError("cannot read properties of undefined");
    };
    await dispatcher.serve("toolArguments", { read: unreadable, write: () => {} });
    await dispatcher.serve("toolArguments", {
      read: () => ({ input: toolCall, value: {} }),
      write: unreadable,
    });
    expect(lines[0]).toContain("the host adapter failed");
  });

  it("nothing is written back when every layer passed", async () => {
    const { dispatcher } = open([layer("passing", 0, { toolArguments: () => undefined })]);
    let written = 0;
    await dispatcher.serve("toolArguments", {
      read: () => ({ input: toolCall, value: {} }),
      write: () => written++,
    });
    expect(written).toBe(0);
  });
});

it("all layers are disposed, even if one fails and one hangs", async () => {
  const gone: string[] = [];
  const disposable = (name: string, dispose: () => Promise<void>): Layer => ({
    name,
    cost: 1,
    handlers: {},
    dispose,
  });
  const { dispatcher, clock } = open([
    disposable("fails", () => Promise.reject(new Error("boom"))),
    disposable("hangs", () => new Promise(() => {})),
    disposable("good", async () => void gone.push("good")),
  ]);
  const disposed = dispatcher.dispose();
  await Promise.resolve();
  clock.advance(10_000);
  await disposed;
  expect(gone).toEqual(["good"]);
});
