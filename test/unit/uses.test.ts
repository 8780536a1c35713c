import { describe, expect, it } from "vitest";
import { expectRequests, LEARNED } from "../../layers/2-micro-compact/patience.js";
import { createUses } from "../../layers/2-micro-compact/uses.js";
import { readHistory } from "../../src/conversation/history.js";
import type { Message } from "../../src/conversation/message.js";
import { answer, call, user } from "../support/messages.js";

const RESULT = "export function parseInvoice() { return taxRate; }";
const read = () => call("read", RESULT, { callID: "invoice" });
const work = (count: number, text = "nothing"): Message[] =>
  Array.from({ length: count }, () => answer([call("bash", text)]));
const says = (text: string): Message => {
  const message = answer([]);
  return { ...message, parts: [{ type: "text", text }] };
};
/** The end lets the last answer count. */
const look = (messages: readonly Message[], uses = createUses()) =>
  uses.read("ses_1", readHistory([...messages, user("next")]));

describe("the last use of a result", () => {
  it("the last use of a result is the answer that made the call, until one says an identifier that it brought", () => {
    const begun = [user("go"), ...work(2), answer([read()])];
    expect(look(begun).lastUse("invoice")).toBe(2);
    expect(look([...begun, ...work(3)]).lastUse("invoice")).toBe(2);
    expect(look([...begun, ...work(3), says("I change parseInvoice now")]).lastUse("invoice")).toBe(6);
    expect(look([...begun, ...work(3), says("I change the invoice now")]).lastUse("invoice")).toBe(2);
  });

  it("the last use of a result may be the input of a later call, such as an edit", () => {
    const edit = call("edit", "done", {
      state: { input: { filePath: "a.ts", oldString: "return taxRate;" } },
    });
    const edited = [user("go"), answer([read()]), ...work(4), answer([edit])];
    expect(look(edited).lastUse("invoice")).toBe(0);
    const named = call("edit", "done", { state: { input: { oldString: ["function parseInvoice()"] } } });
    expect(look([...edited, answer([named])]).lastUse("invoice")).toBe(6);
  });

  it("the last use of a result counts for the result that brought the identifier last", () => {
    const again = call("read", RESULT, { callID: "again" });
    const uses = look([user("go"), answer([read()]), answer([again]), ...work(1), says("parseInvoice")]);
    expect([uses.lastUse("invoice"), uses.lastUse("again"), uses.lastUse("no call")]).toEqual([
      0,
      3,
      undefined,
    ]);
  });

  it("the last use of a result is the same read at once or request by request, and after a revert", () => {
    const messages = [user("go"), answer([read()]), ...work(3), says("parseInvoice"), ...work(2)];
    const uses = createUses();
    for (let end = 1; end <= messages.length; end++) look(messages.slice(0, end), uses);
    expect(look(messages, uses).lastUse("invoice")).toBe(4);
    const reverted = look(messages.slice(0, 4), uses);
    expect([reverted.answers, reverted.lastUse("invoice")]).toEqual([3, 0]);
  });

  it("the last use of a result is forgotten for the oldest of many sessions, and read again", () => {
    const uses = createUses();
    const history = readHistory([user("go"), answer([read()]), says("parseInvoice"), user("next")]);
    for (let n = 0; n < 20; n++) expect(uses.read(`ses_${n}`, history).lastUse("invoice")).toBe(1);
    expect(uses.read("ses_0", history).lastUse("invoice")).toBe(1);
  });
});

describe("the requests expected to carry a result for nothing", () => {
  const expectation = (messages: readonly Message[]) => ({
    patience: LEARNED,
    uses: look(messages),
    mistakes: 0,
    remaining: 1_000,
  });
  const expected = (...messages: Message[]) => expectRequests(expectation(messages), "invoice");

  it("the requests expected to carry a result for nothing are none at first, and more with each answer that does not use it", () => {
    const begun = [user("go"), answer([read()]), user("another matter")];
    const counts = [0, 3, 4, 10, 50].map((count) => expected(...begun, ...work(count)));
    expect(counts[0]).toBe(0);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts[4]).toBeGreaterThan(30);
  });

  it("the requests expected to carry a result for nothing are fewer within the turn that read it", () => {
    const within = expected(user("go"), answer([read()]), ...work(20));
    const after = expected(user("go"), answer([read()]), user("another matter"), ...work(20));
    expect(within).toBeLessThan(after / 2);
    expect(within).toBeGreaterThan(0);
  });

  it("the requests expected to carry a result for nothing are fewer after each mistake, and never more than the session will have", () => {
    const given = expectation([user("go"), answer([read()]), user("another matter"), ...work(40)]);
    const usual = expectRequests(given, "invoice");
    expect(expectRequests({ ...given, mistakes: 4 }, "invoice")).toBeLessThan(usual * 0.7);
    expect(expectRequests({ ...given, remaining: 3 }, "invoice")).toBe(3);
  });

  it("the requests expected to carry a result for nothing are counted anew when it is used", () => {
    const used = expected(user("go"), answer([read()]), user("more"), ...work(20), says("parseInvoice"));
    expect(used).toBe(0);
  });
});
