/** What people see of a context, and what becomes of it when they drop, pin and bring back. */
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/context/context-size.js";
import { isToolPart, type Message, readResultText } from "../../src/io/message.js";
import { PROJECT } from "../support/fake-host.js";
import {
  ask,
  findItem,
  goOn,
  isOf,
  read,
  readItems,
  readOutcomes,
  talk,
  textsOf,
} from "../support/steering.js";
import { bytesOf } from "../support/view-check.js";

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
});

describe("a drop", () => {
  it("a drop leaves a line that names the file with the whole, and frees about what was said before", async () => {
    const { world, session } = await talk();
    const words = wordsOf(session.messages);
    const item = await findItem(world, isOf("b.ts"));
    await ask(world, "drop", item.id);
    const later = await goOn(world, session);
    const text = textsOf(later);
    expect(text).toContain("[Strata] Dropped by the user: whole in ");
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
    await world.request([...session.messages]);
    const item = await findItem(world, isOf("And?", "turn"));
    await ask(world, "drop", item.id);
    session.answer([read("e.ts")]);
    expect(textsOf(await world.request([...session.messages]))).toContain("d.ts\n1 x");
    expect(await readOutcomes(world)).toEqual([]);
    expect(textsOf(await goOn(world, session))).not.toContain("d.ts\n1 x");
    expect(await readOutcomes(world)).toMatchObject([{ outcome: "done" }]);
  });
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
  expect(bytesOf(await again.request([...session.messages]))).toEqual(bytesOf(later));
  const item = await findItem(again, isOf("a.ts"));
  expect(item).toMatchObject({ state: "cut", isPinned: true });
  await ask(again, "unpin", item.id);
  await goOn(again, session);
  expect((await readItems(again)).items.filter(({ isPinned }) => isPinned)).toEqual([]);
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
    expect(bytesOf(await again.request([...session.messages]))).toEqual(bytesOf(next));
    await ask(again, "drop", id);
    expect(textsOf(await goOn(again, session))).not.toContain("b.ts\n1 x");
    expect((await findItem(again, ({ id: one }) => one === id)).state).toBe("dropped");
  });

  it("what is brought back during a turn follows the last result", async () => {
    const { world, session } = await talk();
    const { id } = await findItem(world, isOf("a.ts"));
    await ask(world, "drop", id);
    await world.request([...session.messages]);
    session.answer([read("d.ts")]);
    await ask(world, "expand", id);
    const later = await world.request([...session.messages]);
    const last = later.at(-1)?.parts.find(isToolPart);
    expect(last && readResultText(last)).toMatch(/^d\.ts[\s\S]*Brought back by the user[\s\S]*a\.ts\n1 x/);
  });
});
