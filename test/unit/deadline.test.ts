import { describe, expect, it } from "vitest";
import type { ContextRequest } from "../../src/context/request.js";
import type { Dispatcher } from "../../src/kernel/dispatcher.js";
import type { Layer } from "../../src/kernel/layer.js";
import { layer, openDispatcher } from "../support/dispatching.js";
import { measure } from "../support/fake-clock.js";
import { user } from "../support/messages.js";

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
    expect(all.lines.filter((line) => line.includes("did not answer within 1500 ms"))).toHaveLength(2);
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
