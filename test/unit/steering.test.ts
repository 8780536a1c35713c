/** What people see of a context, and what becomes of it when they drop, pin, bring back, and undo. */
import { describe, expect, it } from "vitest";
import { isToolPart, type Message, readResultText } from "../../src/conversation/message.js";
import type { ContextItem } from "../../src/steering/context-items.js";
import { estimateTokens } from "../../src/view/context-size.js";
import { PROJECT } from "../support/fake-host.js";
import { call, fork, lines } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { ask, findItem, openRequests, readItems, readOutcomes } from "../support/steering.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld, type World, type WorldOptions } from "../support/world.js";

const HOUR = 3_600_000;
const QUIET = { microCompact: { enabled: false }, autoCompact: { threshold: 60_000 } };

const read = (name: string, count = 200) =>
  call("read", `${name}\n${lines(count)}`, { state: { input: { filePath: `${PROJECT}/${name}` } } });

/** Two turns with results, an answer that ends each, and a new question. */
async function talk(options: Record<string, unknown> = QUIET, more: WorldOptions = {}) {
  const world = await openWorld({ options, ...more });
  const session = createSession(world.clock);
  session.user("Look at the first.");
  session.answer([read("a.ts")]);
  session.answer([read("b.ts", 400)]);
  session.answer([], { text: "That is the first." });
  session.user("Now the second.");
  session.answer([read("c.ts")]);
  session.answer([], { text: "That is the second." });
  session.user("And?");
  await world.request(session.messages);
  return { world, session };
}

const isOf =
  (name: string, kind: ContextItem["kind"] = "result") =>
  (item: ContextItem) =>
    item.kind === kind && item.name.includes(name);

/** The next request, after an answer and another question. */
async function goOn(
  world: World,
  session: Session,
  words = "Go on.",
  sent = 20_000,
): Promise<readonly Message[]> {
  session.answer([], { text: "Well.", sent });
  session.user(words);
  return world.request(session.messages);
}

const textsOf = (messages: readonly Message[]): string =>
  messages
    .flatMap(({ parts }) => parts.map((part) => (isToolPart(part) ? readResultText(part) : part.text) ?? ""))
    .join("\n");

/** All that a user has said. */
const wordsOf = (messages: readonly Message[]): unknown[] =>
  messages.filter(({ info }) => info.role === "user").map(({ parts }) => parts[0]);

describe("the items of a context", () => {
  it("the items are results, inputs and turns, largest first, with what each change frees and costs", async () => {
    const { world } = await talk();
    const { budget, items, tokens } = await readItems(world);
    expect(budget).toBe(60_000);
    expect(tokens).toBeGreaterThan(1_000);
    expect(items.map(({ tokens: size }) => size)).toEqual(
      items.map((one) => one.tokens).sort((a, b) => b - a),
    );
    const b = items.find(isOf("b.ts"));
    expect(b).toMatchObject({ kind: "result", turn: 1, tool: "read", state: "whole", isPinned: false });
    expect(b?.age).toBe(3);
    expect(b?.actions.drop?.frees).toBeGreaterThan(3_000);
    expect(b?.actions.drop?.cacheLost).toBeGreaterThan(1_000);
    expect(Object.keys(b?.actions ?? {}).sort()).toEqual(["drop", "pin"]);
    const turns = items.filter(({ kind }) => kind === "turn");
    expect(turns.map(({ name, turn }) => [turn, name]).sort()).toEqual([
      [1, "Look at the first."],
      [2, "Now the second."],
    ]);
  });

  it("the items have the same ids after a restart and in a fork", async () => {
    const { world, session } = await talk();
    const ids = (await readItems(world)).items.map(({ id }) => id).sort();
    const again = await world.restart();
    await again.request(session.messages);
    expect((await readItems(again)).items.map(({ id }) => id).sort()).toEqual(ids);
    await again.request(fork(session.messages, "ses_2"));
    expect((await readItems(again, "ses_2")).items.map(({ id }) => id).sort()).toEqual(ids);
  });
});

describe("a drop", () => {
  it("a drop leaves a line that names the file with the whole, and frees about what was said before", async () => {
    const { world, session } = await talk();
    const words = wordsOf(session.messages);
    const item = await findItem(world, isOf("b.ts"));
    await ask(world, "drop", item.id);
    const later = await goOn(world, session);
    const text = textsOf(later);
    expect(text).toContain("[Strata] Dropped by the user: read result, ");
    expect(text).not.toContain("b.ts\n1 x");
    const [file = ""] = world.results();
    expect(text).toContain(file.slice(PROJECT.length + 1));
    expect(world.files.text(file)).toContain("b.ts\n1 x");
    const freed = estimateTokens(session.messages) - estimateTokens(later);
    expect(freed / (item.actions.drop?.frees ?? 0)).toBeCloseTo(1, 1);
    expect(wordsOf(later).slice(0, 3)).toEqual(words);
    const [record] = world.ledger("ses_1", "dropped");
    expect(record).toMatchObject({ layer: "steering", results: 1, tokensFreed: item.actions.drop?.frees });
    expect(record?.cacheLost).toBeGreaterThan(0);
    expect(await readOutcomes(world)).toMatchObject([{ outcome: "done" }]);
  });

  it("a drop is the same bytes for ever: asked again, after a restart, in a fork", async () => {
    const { world, session } = await talk();
    await ask(world, "drop", (await findItem(world, isOf("a.ts"))).id);
    await ask(world, "drop", (await findItem(world, isOf("Now the second", "turn"))).id);
    const sent = bytesOf(await goOn(world, session));
    expect(bytesOf(await world.request(session.messages))).toEqual(sent);
    const again = await world.restart();
    expect(bytesOf(await again.request(session.messages))).toEqual(sent);
    expect(bytesOf(await again.request(fork(session.messages, "ses_2")))).toEqual(sent);
  });

  it("a dropped turn is one line, and calls and results go together", async () => {
    const { world, session } = await talk();
    const item = await findItem(world, isOf("Look at the first", "turn"));
    await ask(world, "drop", item.id);
    const later = await goOn(world, session);
    expect(wordsOf(later).map((part) => (part as { text: string }).text)).toEqual([
      "Look at the first.",
      "Now the second.",
      "And?",
      "Go on.",
    ]);
    const [, first, ...rest] = later;
    expect(first?.parts).toHaveLength(1);
    expect(first?.parts[0]?.text).toMatch(
      /^\[Strata\] Dropped by the user: this turn of the agent, calls of read ×2, about [\d,]+ tokens; whole in \.opencode\/tool-results\/\S+\.txt$/,
    );
    expect(rest.slice(0, 2).map(({ parts }) => parts)).toEqual([[], []]);
    const whole = world
      .results()
      .map((path) => world.files.text(path) ?? "")
      .join("");
    for (const words of ["a.ts\n1 x", "b.ts\n1 x", "That is the first."]) expect(whole).toContain(words);
    expect((await findItem(world, ({ id }) => id === item.id)).state).toBe("dropped");
  });

  it("a drop of the turn that is still going on waits until it is over", async () => {
    const { world, session } = await talk();
    session.answer([read("d.ts")]);
    await world.request(session.messages);
    const item = await findItem(world, isOf("And?", "turn"));
    await ask(world, "drop", item.id);
    session.answer([read("e.ts")]);
    expect(textsOf(await world.request(session.messages))).toContain("d.ts\n1 x");
    expect(await readOutcomes(world)).toEqual([]);
    expect(textsOf(await goOn(world, session))).not.toContain("d.ts\n1 x");
    expect(await readOutcomes(world)).toMatchObject([{ outcome: "done" }]);
  });

  it("a drop of what layers may not clear is refused, with the reason", async () => {
    const world = await openWorld({ options: QUIET });
    const session = createSession(world.clock);
    session.user("Ask it.");
    session.answer([call("mcp_ask", lines(100))]);
    session.answer([], { text: "Done." });
    session.user("And?");
    await world.request(session.messages);
    const item = await findItem(world, ({ tool }) => tool === "mcp_ask");
    expect(item.actions.drop).toBeUndefined();
    expect(item.not?.drop).toContain("microCompact.tools");
    await ask(world, "drop", item.id);
    const before = bytesOf(await world.request(session.messages));
    expect(bytesOf(await world.request(session.messages))).toEqual(before);
    expect(await readOutcomes(world)).toMatchObject([{ outcome: "refused", text: item.not?.drop }]);
    expect(world.ledger("ses_1", "dropped")).toEqual([]);
  });
});

describe("a pin", () => {
  it("a pin keeps a result where layer 2 clears the others", async () => {
    const { world, session } = await talk({ microCompact: { floor: 9_000, keepRecent: 0 } });
    await ask(world, "pin", (await findItem(world, isOf("a.ts"))).id);
    session.answer([read("d.ts", 600)]);
    await goOn(world, session);
    world.clock.advance(HOUR);
    session.user("Still there?");
    const later = textsOf(await world.request(session.messages));
    expect(later).toContain("a.ts\n1 x");
    expect(later).not.toContain("b.ts\n1 x");
    expect(world.ledger("ses_1", "pinned", "cleared").map(({ event }) => event)).toEqual([
      "pinned",
      "cleared",
    ]);
  });

  it("a pin keeps a result through a cut: the notes show it whole, once, with the same bytes after a restart", async () => {
    const { world, session } = await talk({
      microCompact: { enabled: false },
      autoCompact: { threshold: 30_000 },
    });
    await ask(world, "pin", (await findItem(world, isOf("a.ts"))).id);
    await goOn(world, session);
    for (const name of ["d", "e", "f", "g", "h"]) session.answer([read(`${name}.ts`, 500)]);
    world.strata.requests.wantCut("ses_1");
    const later = await goOn(world, session);
    expect(world.ledger("ses_1", "cut")).toHaveLength(1);
    const text = textsOf(later);
    expect(text).toContain("## Pinned by the user\n\n### read a.ts");
    expect(text.split("a.ts\n1 x")).toHaveLength(2);
    const again = await world.restart();
    expect(bytesOf(await again.request(session.messages))).toEqual(bytesOf(later));
    const item = await findItem(again, isOf("a.ts"));
    expect(item).toMatchObject({ state: "cut", isPinned: true });
    await ask(again, "unpin", item.id);
    await goOn(again, session);
    expect((await readItems(again)).items.filter(({ isPinned }) => isPinned)).toEqual([]);
  });

  it("pins take at most a fifth of the budget", async () => {
    const { world, session } = await talk({
      microCompact: { enabled: false },
      autoCompact: { threshold: 21_500 },
    });
    await ask(world, "pin", (await findItem(world, isOf("a.ts"))).id);
    await goOn(world, session);
    const item = await findItem(world, isOf("b.ts"));
    expect(item.not?.pin).toMatch(/^pins may take [\d,]+ tokens in all, of which [\d,]+ are left$/);
  });
});

describe("what is brought back", () => {
  it("what is brought back stands whole behind the new message, once, and the line in its old place stays", async () => {
    const { world, session } = await talk();
    const { id } = await findItem(world, isOf("b.ts"));
    await ask(world, "drop", id);
    const dropped = await goOn(world, session);
    await ask(world, "expand", id);
    const later = await goOn(world, session, "Look again.");
    expect(bytesOf(later).slice(0, dropped.length)).toEqual(bytesOf(dropped));
    const last = later.at(-1)?.parts ?? [];
    expect(last[0]?.text).toBe("Look again.");
    expect(last.at(-1)?.text).toContain("[Strata] Brought back by the user: read b.ts, whole");
    expect(last.at(-1)?.text).toContain("b.ts\n1 x");
    expect((await findItem(world, ({ id: one }) => one === id)).state).toBe("expanded");
    const next = await goOn(world, session);
    expect(textsOf(next).split("b.ts\n1 x")).toHaveLength(2);
    const again = await world.restart();
    expect(bytesOf(await again.request(session.messages))).toEqual(bytesOf(next));
    await ask(again, "drop", id);
    expect(textsOf(await goOn(again, session))).not.toContain("b.ts\n1 x");
    expect((await findItem(again, ({ id: one }) => one === id)).state).toBe("dropped");
  });

  it("what is brought back is also what layer 1 has moved and layer 2 has cleared", async () => {
    const world = await openWorld({
      options: { toolResults: { threshold: 6_000 }, microCompact: { floor: 0, keepRecent: 0 } },
    });
    const session = createSession(world.clock);
    session.user("Read both.");
    session.answer([read("large.ts", 400), read("small.ts", 60)]);
    session.answer([], { text: "Read." });
    world.clock.advance(HOUR);
    session.user("And?");
    await world.request(session.messages);
    const { items } = await readItems(world);
    expect(items.filter(({ kind }) => kind === "result").map(({ state }) => state)).toEqual([
      "cleared",
      "cleared",
    ]);
    for (const item of items.filter(({ kind }) => kind === "result")) await ask(world, "expand", item.id);
    const text = textsOf(await goOn(world, session));
    for (const name of ["large.ts", "small.ts"]) expect(text.split(`${name}\n1 x`)).toHaveLength(2);
  });

  it("what is brought back during a turn follows the last result", async () => {
    const { world, session } = await talk();
    const { id } = await findItem(world, isOf("a.ts"));
    await ask(world, "drop", id);
    await world.request(session.messages);
    session.answer([read("d.ts")]);
    await ask(world, "expand", id);
    const later = await world.request(session.messages);
    const last = later.at(-1)?.parts.find(isToolPart);
    expect(last && readResultText(last)).toMatch(/^d\.ts[\s\S]*Brought back by the user[\s\S]*a\.ts\n1 x/);
  });

  it("what has no room is not brought back, and the reason says how much is left", async () => {
    const { world, session } = await talk({
      microCompact: { enabled: false },
      autoCompact: { threshold: 29_000 },
    });
    const { id } = await findItem(world, isOf("b.ts"));
    await ask(world, "drop", id);
    await goOn(world, session);
    session.answer([], { sent: 28_500 });
    session.user("And?");
    await world.request(session.messages);
    const item = await findItem(world, ({ id: one }) => one === id);
    expect(item.not?.expand).toMatch(/^it needs about [\d,]+ tokens, and [\d,]+ are left/);
  });
});

describe("an undone cut", () => {
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
    expect(bytesOf(await again.request(session.messages))).toEqual(bytesOf(whole));
    for (const name of ["g", "h", "i", "j"]) session.answer([read(`${name}.ts`, 700)]);
    expect((await goOn(again, session, "More.", 70_000)).length).toBeLessThan(session.messages.length);
  });

  it("a cut at the place of an undone one counts", async () => {
    const { world, session } = await cutOnce();
    const item = await findItem(world, ({ kind }) => kind === "cut");
    await ask(world, "undo-cut", item.id);
    await world.request(session.messages);
    world.strata.requests.wantCut("ses_1");
    expect((await world.request(session.messages)).length).toBeLessThan(session.messages.length);
  });
});

describe("the log of requests", () => {
  it("a request for another session waits until that session runs", async () => {
    const { world, session } = await talk();
    const { id } = await findItem(world, isOf("a.ts"));
    await ask(world, "drop", id, "ses_2");
    expect(textsOf(await goOn(world, session))).toContain("a.ts\n1 x");
    expect((await openRequests(world).read()).waiting).toHaveLength(1);
    expect(textsOf(await world.request(fork(session.messages, "ses_2")))).not.toContain("a.ts\n1 x");
    expect(textsOf(await goOn(world, session))).toContain("a.ts\n1 x");
    expect(await readOutcomes(world)).toMatchObject([{ session: "ses_2", outcome: "done" }]);
  });

  it("damaged lines and lines of a later version are skipped, and the log is read only when it has changed", async () => {
    const { world, session } = await talk();
    const { id } = await findItem(world, isOf("a.ts"));
    const path = `${world.host.stateFolder}/projects`;
    await ask(world, "drop", id);
    const log =
      [...world.files.contents.keys()].find(
        (one) => one.startsWith(path) && one.endsWith("context-requests.jsonl"),
      ) ?? "";
    await world.files.appendLine(log, "{ half");
    await world.files.appendLine(
      log,
      JSON.stringify({ v: 9, id: "x", time: "", session: "ses_1", action: "fly", item: id }),
    );
    expect(textsOf(await goOn(world, session))).toContain("Dropped by the user");
    expect(await readOutcomes(world)).toHaveLength(1);
  });

  it("a long log is moved aside, and what waits in it is not lost", async () => {
    const { world } = await talk();
    const requests = openRequests(world);
    const first = await requests.ask({ session: "ses_9", action: "drop", item: "r-1" });
    for (let n = 0; n < 2; n++) {
      for (let line = 0; line < 700; line++) {
        const one = await requests.ask({ session: "ses_1", action: "pin", item: `r-${line}` });
        await requests.settle(one, { outcome: "done", text: "pinned" });
      }
      await requests.tidy();
    }
    const paths = [...world.files.contents.keys()].filter((path) => path.includes("context-requests"));
    const bytes = paths.reduce((sum, path) => sum + (world.files.text(path)?.length ?? 0), 0);
    expect(bytes).toBeLessThan(400_000);
    expect((await requests.read()).waiting).toEqual([first]);
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
      /^r-\w+ \(read b\.ts\) will leave the context: about [\d,]+ tokens fewer in each request; [\d,]+ cached tokens are written again/,
    );
    expect(textsOf(await goOn(world, session))).not.toContain("b.ts\n1 x");
    await expect(run(world, `drop ${id}`)).rejects.toThrow(
      /drop changes nothing about a result that is dropped/,
    );
    await expect(run(world, "drop r-nothing")).rejects.toThrow(/expected the id of something in the context/);
    await expect(run(world, "fly")).rejects.toThrow(/expected nothing, or one of drop, pin/);
  });
});
