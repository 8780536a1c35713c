import { describe, expect, it } from "vitest";
import {
  findEnd,
  findSaid,
  findVerbatim,
  saysEverywhere,
} from "../../layers/5-auto-memory/said/find-said.js";
import { dropPasted } from "../../layers/5-auto-memory/words/statements.js";
import { MORNING } from "../support/fake-clock.js";
import { fc } from "../support/property.js";

const messagesOf = (...texts: string[]) => texts.map((text, n) => ({ id: `msg_${n}`, text }));
const said = (text: string, ...messages: string[]) => {
  const found = findSaid(text, messagesOf(...messages));
  return typeof found === "string" ? undefined : found;
};
const whyNot = (text: string, ...messages: string[]) => {
  const found = findSaid(text, messagesOf(...messages));
  return typeof found === "string" ? found : "it was said";
};

describe("what the user is taken to have said", () => {
  it("what the user is taken to have said is told from what is none: whoever asks is told why", () => {
    expect(whyNot("Always test.", "Always test?")).toContain("is a question");
    expect(whyNot("Never test.", "The page says the following:\n- Never test.")).toContain(
      "gives it to somebody else",
    );
    expect(whyNot("Never push.", "Never push to main.", "Never push to staging.")).toContain(
      "it may mean two sentences",
    );
    expect(whyNot("Never test.", "Never test. Just kidding.")).toContain("has taken that back");
    expect(whyNot("x ".repeat(3) + Array.from({ length: 200 }, (_, n) => `w${n}`).join(" "), "x")).toContain(
      "expected one sentence of the user's",
    );
  });

  it("what the user is taken to have said is never a word that the user has not written, whatever an agent hands over", () => {
    const word = fc.constantFrom(..."never always push to main test but not .".split(" "), "\n", "- ");
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), text, (messages, handed) => {
        const found = said(handed, ...messages);
        const whole = messages.join(" ").replace(/\s+/g, " ");
        for (const one of found?.text.split(/\s+/) ?? []) expect(whole).toContain(one);
      }),
    );
  });

  it("what the user is taken to have said drops pasted lines in one pass: fences, tags, quotations over lines, endless lines", () => {
    const text = 'a\n```\nb\n```\nc\n```\nd\n```\ne <x>\nf\n</x> g\nh "i\nj" k\nl';
    expect(dropPasted(text).split("\n")).toEqual(["a", ...Array(12).fill(">"), "l"]);
    expect(dropPasted(`${"x".repeat(3_000)}\nb`)).toBe(">\nb");
    expect(dropPasted("a\n```\nb")).toBe("a\n>\n>");
  });
});

describe("a text that is the user's own", () => {
  it("a text that is the user's own is nothing but their sentences, and then in their writing", () => {
    const messages = messagesOf("Fix it. we use Redis streams. Kafka is too much");
    expect(findVerbatim("We use Redis streams. Kafka is too much.", messages)).toMatchObject({
      text: "we use Redis streams. Kafka is too much",
    });
    for (const text of [
      "We use Redis.",
      "We use Redis streams, Kafka is too much",
      "Fix it. Kafka is too much",
    ])
      expect(findVerbatim(text, messages)).toBeUndefined();
    expect(findVerbatim("Is it Redis?", messagesOf("Is it Redis?"))).toBeUndefined();
  });
});

describe("how far it reaches", () => {
  it.each([
    ["Use tabs in all my projects.", true],
    ["Use tabs everywhere.", true],
    ["所有项目都用 pnpm。", true],
    ["Use tabs everywhere in this file.", false],
    ["Use tabs.", false],
  ])("%s: everywhere %s", (text, expected) => {
    expect(saysEverywhere(text)).toBe(expected);
  });

  it("the reach of a rule ends on a day that the sentence names, and no sooner", () => {
    expect(findEnd("No deploys until 2026-12-24.", "2026-12-24T08:00:00.000Z", MORNING)).toBe(
      "2026-12-24T23:59:59.999Z",
    );
    expect(findEnd("No deploys until 2026-12-24.", "2026-11-22T08:00:00.000Z", MORNING)).toBeUndefined();
    expect(findEnd("Never deploy.", "2026-12-24T08:00:00.000Z", MORNING)).toBeUndefined();
  });
});
