/** What the host changes in messages that were sent is in the savings ledger before the request leaves. */
import { describe, expect, it } from "vitest";
import { createDigestReader } from "../../layers/always/break-watch.js";
import type { Message, Part } from "../../src/io/message.js";
import { PROJECT } from "../support/fake-host.js";
import { answer, call, user } from "../support/messages.js";
import { fc } from "../support/property.js";
import { openWorld, type World } from "../support/world.js";

const VIEW = `${PROJECT}/.opencode/strata/state/views/ses_1.json`;

const withText = (message: Message, text: string): Message => ({
  ...message,
  parts: [{ type: "text", text }],
});
const said = (text: string): Message => withText(answer([]), text);
const reasons = (world: World): (string | undefined)[] =>
  world.ledger("ses_1", "break").map(({ reason }) => reason);

/** As the host hands it over with each request: copies. */
const copy = (messages: readonly Message[]): Message[] => structuredClone([...messages]);

describe("a change by the host since the last request", () => {
  const first = user("x".repeat(400));
  const second = user("y".repeat(800));
  const history = [first, said("one"), second, said("two"), user("go on")];

  it("a change by the host is recorded with the message and the tokens sent again from there on", async () => {
    const world = await openWorld();
    await world.request(copy(history));
    const edited = [first, history[1] as Message, withText(second, "z".repeat(800)), ...history.slice(3)];
    await world.request(copy(edited));
    expect(world.ledger("ses_1", "break")).toMatchObject([
      {
        layer: "view",
        reason: "the host has changed message 3 of 5 (user): the 203 tokens from there on are sent anew",
        cacheLost: 203,
      },
    ]);
    await world.request(copy([...edited, said("three")]));
    expect(reasons(world)).toHaveLength(1);
  });

  it.each<[string, (messages: Message[]) => Message[], string]>([
    ["a turn taken back", (all) => [...all.slice(0, 2), user("otherwise")], "removed message 3 of 5 (user)"],
    ["the end taken back", (all) => all.slice(0, 2), "removed message 3 of 5 (user)"],
    ["the first message deleted", (all) => all.slice(1), "removed message 1 of 5 (user)"],
    [
      "one more put in",
      ([one, ...rest]) => [one as Message, said("!"), ...rest],
      "put another before message 2 of 5",
    ],
  ])("what the host has changed since the last request is told: %s", async (_, change, reason) => {
    const world = await openWorld();
    await world.request(copy(history));
    await world.request(change(copy(history)));
    expect(reasons(world)).toEqual([expect.stringContaining(`the host has ${reason}`)]);
  });

  it("a change by the host is recorded after a restart, even if another instance sent last", async () => {
    const world = await openWorld();
    const other = await world.restart();
    await world.request(copy(history.slice(0, 3)));
    await world.strata.idle();
    await other.request(copy(history));
    await other.strata.idle();
    await world.request(copy([...history.slice(0, 3), withText(history[3] as Message, "tvo"), user("on")]));
    expect(reasons(world)).toEqual([expect.stringContaining("changed message 4 of 5 (assistant)")]);
    await world.strata.idle();
    await (await world.restart()).request(copy(history));
    expect(reasons(world)).toHaveLength(2);
  });
});

describe("the digests of what was sent", () => {
  it.each(["session", "fork of ours"])(
    "the digests of what was sent take a few bytes a message on disk, come back if deleted, and go with the %s",
    async (kind) => {
      const world = await openWorld();
      if (kind !== "session") world.host.forks.set("ses_1", "ses_0");
      const history = [user("x".repeat(50_000)), said("one")];
      await world.request(copy(history));
      await world.strata.idle();
      expect((world.files.text(VIEW) ?? "").length).toBeLessThan(150);
      world.files.contents.delete(VIEW);
      await world.request(copy([...history, user("on")]));
      await world.strata.idle();
      expect(world.files.text(VIEW)).toBeDefined();
      const deleted = { type: "session.deleted", properties: { info: { id: "ses_1" } } };
      await world.strata.dispatcher.ask("event", deleted, undefined);
      await world.strata.idle();
      expect(world.files.text(VIEW)).toBeUndefined();
    },
  );

  it.each([
    "",
    "{",
    "[]",
    '{"v":3,"instance":"i","messages":[["user",1]]}',
    '{"v":3,"instance":"i","messages":[["user",1,"x",1]]}',
  ])("the digests of what was sent tell nothing when they are damaged: %s", async (text) => {
    const world = await openWorld();
    world.files.contents.set(VIEW, Buffer.from(text));
    await world.request([user("go")]);
    expect(reasons(world)).toEqual([]);
  });

  it("the digests of what was sent differ if any single character of a text differs", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(text, fc.nat(), fc.nat({ max: 3 }), fc.boolean(), (piece, at, doublings, isResult) => {
        const whole = piece.repeat(8 ** doublings);
        const place = at % whole.length;
        const edited = `${whole.slice(0, place)}${whole[place] === "#" ? "+" : "#"}${whole.slice(place + 1)}`;
        const digestOf = (one: string) =>
          createDigestReader()([isResult ? withOutput(one) : withText(base, one)]);
        expect(digestOf(edited)).not.toEqual(digestOf(whole));
        expect(digestOf(whole)).toEqual(digestOf(`${whole}`));
        // As a running session has it: the reader has seen the message before, as another object.
        const readAgain = createDigestReader();
        for (const one of [whole, edited, `${edited}`, whole])
          expect(readAgain([isResult ? withOutput(one) : withText(base, one)])).toEqual(digestOf(one));
      }),
    );
  });

  const base = said("");
  const result = call("bash", "");
  const withOutput = (output: string): Message => ({
    ...base,
    parts: [{ ...result, state: { ...result.state, output } } as Part],
  });
});
