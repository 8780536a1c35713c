/** What people ask for: an undone cut, the log that it waits in, and `/context`. */
import { describe, expect, it } from "vitest";
import { replay } from "../../src/context/replay.js";
import { ask, findItem, goOn, isOf, openRequests, QUIET, read, talk, textsOf } from "../support/steering.js";
import { bytesOf } from "../support/view-check.js";
import type { World } from "../support/world.js";

async function cutOnce() {
  const { world, session } = await talk({
    microCompact: { enabled: false },
    autoCompact: { threshold: 60_000 },
  });
  world.strata.requests.wantCut("ses_1");
  for (const name of ["d", "e", "f"]) session.answer([read(`${name}.ts`, 400)]);
  const cut = await goOn(world, session);
  expect(world.ledger("ses_1", "cut")).toHaveLength(1);
  expect(cut.length).toBeLessThan(session.messages.length);
  return { world, session };
}

it("an undone cut sends the messages before it again, and a later cut still works", async () => {
  const { world, session } = await cutOnce();
  const item = await findItem(world, ({ kind }) => kind === "cut");
  expect(item.actions["undo-cut"]?.frees).toBeLessThan(0);
  await ask(world, "undo-cut", item.id);
  const whole = await goOn(world, session);
  expect(whole).toHaveLength(session.messages.length);
  expect(textsOf(whole)).toContain("a.ts\n1 x");
  expect(world.ledger("ses_1", "uncut")).toMatchObject([{ tokensFreed: item.actions["undo-cut"]?.frees }]);
  const again = await world.restart();
  expect(bytesOf(await again.request([...session.messages]))).toEqual(bytesOf(whole));
  for (const name of ["g", "h", "i", "j"]) session.answer([read(`${name}.ts`, 700)]);
  expect((await goOn(again, session, "More.", 70_000)).length).toBeLessThan(session.messages.length);
});

it("what is taken back before the session goes on is not done, and the bytes stay", async () => {
  const { world, session } = await talk();
  const item = await findItem(world, isOf("a.ts"));
  const requests = openRequests(world);
  const line = await requests.ask({ session: "ses_1", action: "drop", item: item.id }, "run");
  expect(line.id).toBe(`run-${item.id}`);
  await requests.settle(line, { outcome: "withdrawn", text: "taken back" });
  expect(textsOf(await goOn(world, session))).toContain("a.ts\n1 x");
  expect(world.ledger("ses_1", "dropped")).toEqual([]);
});

it("a cut within a turn that was dropped puts the notes into the next message that is sent", async () => {
  const { world, session } = await talk();
  await ask(world, "drop", (await findItem(world, isOf("Now the second", "turn"))).id);
  await goOn(world, session);
  const request = world.strata.requests.open([...session.messages]);
  if (!request) throw new Error("no request");
  const { find, history } = request;
  const key = history.keyOf(6)?.key;
  const of = { session: "ses_1", layer: "full-compact", at: 1, key: key ?? "" };
  const cut = { ...of, outcome: "cut", text: "NOTES" } as const;
  const view = replay(history, (one) => (one === key ? { ...find(one), cut } : find(one)));
  const sent = view.filter(({ parts }) => parts.length > 0);
  expect(sent.map(({ info }) => info.role)).toEqual(["user", "assistant", "user"]);
  expect(sent[0]?.parts.map(({ text }) => text)).toEqual(["NOTES", "And?"]);
  expect(view).toHaveLength(history.messages.length - 6);
});

it("what cannot be written down is not done, and is tried again with the next request", async () => {
  let isBroken = false;
  const { world, session } = await talk(QUIET, {
    wrap: (files) => ({
      ...files,
      appendLine: (path, line) =>
        isBroken && path.includes("/savings/")
          ? Promise.reject(new Error("disk full"))
          : files.appendLine(path, line),
    }),
  });
  await ask(world, "drop", (await findItem(world, isOf("a.ts"))).id);
  isBroken = true;
  expect(textsOf(await goOn(world, session))).toContain("a.ts\n1 x");
  isBroken = false;
  expect(textsOf(await goOn(world, session))).not.toContain("a.ts\n1 x");
});

describe("/context", () => {
  const run = (world: World, words = "") =>
    world.strata.dispatcher.commands
      .find(({ name }) => name === "context")
      ?.execute({ sessionID: "ses_1", words }, new AbortController().signal);

  it("/context lists the items, and each action says what it frees and costs before it is done", async () => {
    const { world, session } = await talk();
    expect(await run(world)).toMatch(/tokens of 60,000 \(\d+ %\)[\s\S]*read b\.ts/);
    const { id } = await findItem(world, isOf("b.ts"));
    expect(await run(world, `drop ${id}`)).toMatch(
      /^r-\w+ \(read b\.ts\) will leave the context with your next message: about [\d,]+ tokens fewer in each request; [\d,]+ cached tokens are written again/,
    );
    expect(textsOf(await goOn(world, session))).not.toContain("b.ts\n1 x");
    await expect(run(world, `drop ${id}`)).rejects.toThrow(
      /drop changes nothing about a result that is dropped/,
    );
    await expect(run(world, "drop r-nothing")).rejects.toThrow(/expected the id of something in the context/);
    await expect(run(world, "fly")).rejects.toThrow(/expected nothing, or one of drop, pin/);
  });
});
