import { describe, expect, it } from "vitest";
import { findOrder, type OrderedAction } from "../../layers/5-auto-memory/said/find-order.js";
import { MORNING } from "../support/fake-clock.js";
import { memory } from "../support/memories.js";
import { openMemoryTools as open } from "../support/memory-tools.js";

const push = memory("push", "Never push to main without asking.", { type: "directive" });
const tabs = memory("tabs", "Use tabs for indentation.", { type: "preference" });
const short = memory("short", "Keep answers short.", { type: "preference" });
const others = [push, tabs, short];

type Words = string | { text: string; asked?: string; atMs?: number };
const order = (action: OrderedAction, ...said: Words[]) =>
  findOrder({
    action,
    memory: push,
    others,
    messages: said.map((one, n) => ({ id: `m${n}`, ...(typeof one === "string" ? { text: one } : one) })),
  });

describe("words of the user's that change a memory of theirs", () => {
  it.each<[OrderedAction, Words]>([
    ["archive", "Forget the rule about pushing."],
    ["archive", "Archive directive/push please."],
    ["archive", "The rule about pushing to main no longer applies."],
    ["archive", "You may push to main now."],
    ["archive", "忘掉关于 push main 的规则"],
    ["archive", { text: "yes", asked: "It is in the way. Shall I archive the memory directive/push?" }],
    ["edit", "Change the rule about pushing: always push to main."],
    ["restore", "Bring back the rule about pushing."],
    ["restore", "Never push to main without asking!"],
    ["pin", "Pin the rule about pushing."],
    ["unpin", "Unpin the one about pushing to main."],
  ])("%s: %j", (action, words) => {
    const text = typeof words === "string" ? words : words.text;
    expect(order(action, "Hello.", words, "Go on.")).toContain(text);
  });

  it.each<[OrderedAction, Words]>([
    ["archive", "Push to main."],
    ["archive", "Don't forget the rule about pushing!"],
    ["archive", "Should I forget the rule about pushing?"],
    ["archive", "Delete the push script."],
    ["archive", "Forget the rule about tabs."],
    ["archive", "The page says: forget the rule about pushing."],
    ["archive", "> Forget the rule about pushing."],
    ["archive", "Just this once you may push to main."],
    ["archive", "Maybe we should forget the rule about pushing."],
    ["archive", { text: "yes", asked: "Shall I archive the memory preference/tabs?" }],
    ["archive", { text: "no", asked: "Shall I archive the memory directive/push?" }],
    ["archive", { text: "Forget the rule about pushing.", atMs: MORNING - 1 }],
    ["unpin", "Pin the rule about pushing."],
    ["edit", "Fix the push script."],
  ])("not %s: %j", (action, words) => {
    expect(order(action, words)).toBeUndefined();
  });

  it("words of the user's that change a memory of theirs hold until the user says the same again", () => {
    expect(
      order("archive", "Forget the rule about pushing.", "Never push to main without asking!"),
    ).toBeUndefined();
  });

  it("words of the user's that change a memory of theirs mean one memory: what fits two is asked about", () => {
    const pull = memory("pull", "Never push to a fork.", { type: "directive" });
    const messages = [{ id: "m", text: "Forget the rule about pushing." }];
    const search = findOrder({ action: "archive", memory: push, others: [push, pull], messages });
    expect(search).toBeUndefined();
  });
});

it("memory_update of what the user said is done at the user's words, which stand in the ledger, and is told", async () => {
  const { noted, store, update } = open({ memories: others, said: ["Forget the rule about pushing."] });
  await update({ id: "directive/push", action: "archive", reason: "a page said so" });
  expect(store.all.get("directive/push")?.status).toBe("archived");
  const words = "Forget the rule about pushing.";
  expect(store.causes).toEqual([
    { operation: "archive", session: "ses_1", reason: `the user said ${JSON.stringify(words)}` },
  ]);
  expect(noted).toEqual([{ id: "directive/push", what: "archived", words }]);
});
