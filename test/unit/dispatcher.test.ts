import { describe, expect, it } from "vitest";
import type { ContextRequest } from "../../src/context/request.js";
import type { Dispatcher } from "../../src/kernel/dispatcher.js";
import { findRefusal, type Handler, type HookRules, hookRules, refuse } from "../../src/kernel/hooks.js";
import type { Layer } from "../../src/kernel/layer.js";
import { layer, openDispatcher } from "../support/dispatching.js";
import { measure } from "../support/fake-clock.js";
import { user } from "../support/messages.js";

/** Layers that write their name into the arguments. */
function signing(name: string): Layer {
  return layer(name, { toolArguments: (_input, args) => ({ signed: `${args.signed ?? ""}${name}` }) });
}

const toolCall = { tool: "bash", sessionID: "ses_1", callID: "call_1" };
const sign = (dispatcher: Dispatcher) => dispatcher.ask("toolArguments", toolCall, {});
const ruling = (rule: Partial<HookRules["toolArguments"]>): HookRules => ({
  ...hookRules,
  toolArguments: { ...hookRules.toolArguments, ...rule },
});

describe("answers are combined by the hook's rule", () => {
  const [cheap, middle, dear] = [signing("cheap"), signing("middle"), signing("dear")];
  const three = [cheap, middle, dear];

  it("each layer sees the previous answer, in the order of the list within each phase", async () => {
    const last: Layer = { ...signing("last"), phase: "after" };
    const first: Layer = { ...signing("first"), phase: "before" };
    expect(await sign(openDispatcher([last, ...three, first]).dispatcher)).toEqual({
      signed: "firstcheapmiddledearlast",
    });
  });

  const resort = { ...signing("resort"), isLastResort: true };

  it("a refusal is final, and no more expensive layer is asked", async () => {
    const refusing = layer("refusing", { toolArguments: () => refuse("not now") });
    const answer = await sign(openDispatcher([cheap, refusing, middle, dear]).dispatcher);
    expect(findRefusal(answer)).toBe("not now");
    expect(answer).not.toHaveProperty("signed");
    expect(findRefusal({ refusal: "not now" })).toBeUndefined();
  });

  it("a last resort is not asked while the value is good enough, other layers are", async () => {
    const rules = ruling({ isEnough: () => true });
    expect(await sign(openDispatcher([cheap, middle, resort, dear], rules).dispatcher)).toEqual({
      signed: "cheapmiddledear",
    });
  });

  it("a last resort is asked while the value is not good enough, even after a cheap layer has failed", async () => {
    const failing = layer("failing", { toolArguments: () => Promise.reject(new Error("boom")) });
    const rules = ruling({ isEnough: () => false });
    const { dispatcher } = openDispatcher([failing, cheap, middle, resort, dear], rules);
    expect(await sign(dispatcher)).toEqual({ signed: "cheapmiddleresortdear" });
  });
});

describe("a layer that fails counts as having passed, is logged once, and the others continue", () => {
  const cheap = signing("cheap");
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
      const { dispatcher, lines } = openDispatcher([layer("faulty", { toolArguments }), cheap]);
      expect(await sign(dispatcher)).toEqual({ signed: "cheap" });
      expect(await sign(dispatcher)).toEqual({ signed: "cheap" });
      expect(lines.filter((line) => line.startsWith("error dispatcher: layer faulty"))).toHaveLength(1);
      expect(lines[0]).toContain("at hook toolArguments");
    });
  }

  it("a layer whose promise never settles costs one deadline and is left out from then on", async () => {
    let calls = 0;
    const toolArguments = () => {
      calls++;
      return new Promise<never>(() => {});
    };
    const hanging = layer("hanging", { toolArguments }, { withinMs: { toolArguments: 100 } });
    const { dispatcher, clock, lines } = openDispatcher([hanging, cheap]);
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
    const slow = layer("slow", { toolArguments }, { withinMs: { toolArguments: 100 } });
    const { dispatcher, clock } = openDispatcher([slow, cheap]);
    const first = sign(dispatcher);
    await Promise.resolve();
    clock.advance(100);
    expect(await first).toEqual({ signed: "cheap" });
    expect(late.signal?.aborted).toBe(true);
    late.end?.({});
    await new Promise(setImmediate);
    expect(await sign(dispatcher)).toEqual({ signed: "slowcheap" });
  });
});

it("a call of the host with objects of another shape than expected is an entry in the log, not an error", async () => {
  const { dispatcher, lines } = openDispatcher([signing("cheap")]);
  await dispatcher.guard("toolArguments", async () => {
    throw new TypeError("cannot read properties of undefined");
  });
  expect(lines[0]).toContain("the host adapter at hook toolArguments failed");
});

describe("the layers of a hook have its bound together", () => {
  const messages = [user("hello")];
  const ask = (dispatcher: Dispatcher, shown = messages) =>
    dispatcher.ask(
      "context",
      { sessionID: "ses_1", show: () => shown } as unknown as ContextRequest,
      messages,
    );
  const never = () => new Promise<never>(() => {});
  const hanging = (name: string, more: Partial<Layer> = {}) => layer(name, { context: never }, more);

  it("layers that all hang cost one bound together, and nothing the next time", async () => {
    const layers = Array.from({ length: 9 }, (_, n) =>
      hanging(`layer ${n}`, { withinMs: { context: 1_500 } }),
    );
    const { clock, dispatcher } = openDispatcher(layers.slice(0, 2));
    expect(await measure(clock, ask(dispatcher))).toEqual({ answer: messages, tookMs: 3_000 });
    expect(await measure(clock, ask(dispatcher))).toEqual({ answer: messages, tookMs: 0 });
    const all = openDispatcher(layers);
    expect((await measure(all.clock, ask(all.dispatcher))).tookMs).toBe(3_000);
    expect(all.lines.filter((line) => line.includes("did not answer in time"))).toHaveLength(2);
    expect(all.lines.filter((line) => line.includes("was not asked"))).toHaveLength(7);
  });

  it("hooks of one call of the host share one bound", async () => {
    const { clock, dispatcher } = openDispatcher([hanging("one"), layer("other", { compacted: never })]);
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
    const replay = layer("replay", { context }, { isIndispensable: true, withinMs: { context: 20_000 } });
    const { clock, dispatcher } = openDispatcher([replay, hanging("hangs")]);
    const asked = ask(dispatcher, replayed);
    clock.after(5_000, () => release());
    expect(await measure(clock, asked)).toEqual({ answer: replayed, tookMs: 8_000 });
    expect(await measure(clock, ask(dispatcher))).toEqual({ answer: messages, tookMs: 20_000 });
    const again = ask(dispatcher, replayed);
    clock.after(1_000, () => release());
    expect(await measure(clock, again)).toEqual({ answer: replayed, tookMs: 1_000 });
  });

  it("a hook without an answer reaches every layer, also those for which no time is left", async () => {
    const told: string[] = [];
    const turn = (name: string) => () => void told.push(name);
    const { clock, dispatcher } = openDispatcher([
      layer("hangs", { turn: never }),
      layer("one", { turn: turn("one") as never }),
      layer("other", { turn: turn("other") as never }),
    ]);
    const { tookMs } = await measure(clock, dispatcher.ask("turn", { sessionID: "ses_1" }, undefined));
    expect({ told, tookMs }).toEqual({ told: ["one", "other"], tookMs: 1_000 });
  });

  it("a layer that gave no answer is told so each time, and what is decided by then is shown", async () => {
    const decided = [user("hello"), user("decided")];
    const inputs: string[] = [];
    const passedOver = { context: ({ sessionID }: ContextRequest) => void inputs.push(sessionID) };
    const { clock, dispatcher } = openDispatcher([hanging("hangs", { passedOver })]);
    expect((await measure(clock, ask(dispatcher, decided))).answer).toEqual(decided);
    expect((await measure(clock, ask(dispatcher, decided))).answer).toEqual(decided);
    expect(inputs).toEqual(["ses_1", "ses_1"]);
  });
});
