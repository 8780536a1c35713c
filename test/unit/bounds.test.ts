/** Text from outside that is longer or deeper than anybody writes is refused in words, or its end is read: see parsers.test.ts. */
import { describe, expect, it } from "vitest";
import { parseInboxLine } from "../../layers/7-across-agents/mail/mail.js";
import { parseJson } from "../../src/base/shape.js";
import { parseConfig } from "../../src/config/plugin-entries.js";
import { parsePastLines } from "../../src/memory/search/past-notes.js";
import { splitLines } from "../../src/memory/store/receipt.js";
import { listRemotes } from "../../src/memory/trust/git.js";
import { readNotes } from "../../src/notes/session-files.js";
import { planRules } from "../../src/project/folders.js";
import { withAbsoluteDates } from "../../src/text/dates.js";
import { MORNING } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";

const MANY = 300_000;

it("notes to which somebody adds more lines than a month of work takes are left alone", async () => {
  const read = (text: string) => readNotes(createMemoryFiles({ "/notes.md": text }), "/notes.md");
  expect(await read("a\n".repeat(MANY))).toEqual({ unusable: "it has more than 20,000 lines" });
  expect(await read("a\n".repeat(9_000))).toEqual({ text: "a\n".repeat(9_000) });
});

it("of the notes of an earlier session a search knows what stands in as many lines", () => {
  expect(parsePastLines(`## A\n- one\n${"\n".repeat(MANY)}- two`)).toEqual(["one"]);
});

it("in a text longer than anybody says at once dates stay relative", () => {
  const text = "We moved to pnpm yesterday. ";
  expect(withAbsoluteDates(text, MORNING)).not.toBe(text);
  expect(withAbsoluteDates(text + "a ".repeat(MANY), MORNING)).toBe(text + "a ".repeat(MANY));
});

describe("JSON", () => {
  const nest = (depth: number, inside: string) => "[".repeat(depth) + inside + "]".repeat(depth);

  it("a text of lists and objects in each other is no JSON of ours, at any place in it", () => {
    expect(parseJson(nest(MANY, "1"))).toBeUndefined();
    expect(parseJson("[".repeat(MANY))).toBeUndefined();
    expect(parseJson(`{"a":"${"x".repeat(MANY)}\\\\","b":${nest(600, "")}}`)).toBeUndefined();
    expect(parseJson(`${'{"a":'.repeat(MANY)}1${"}".repeat(MANY)}`)).toBeUndefined();
  });

  it("brackets in texts, and many lists beside each other, are read", () => {
    const values = [
      "[".repeat(MANY),
      `\\"${"{".repeat(MANY)}"\\`,
      Array(MANY).fill([]),
      { [nest(MANY, "")]: 1 },
    ];
    for (const text of values.map((value) => JSON.stringify(value)))
      expect(JSON.stringify(parseJson(text)) === text).toBe(true);
    expect(parseJson(nest(400, `"${"x".repeat(MANY)}"`))).toBeDefined();
  });
});

it("OpenCode's settings of more than 250,000 characters are refused in words", async () => {
  expect(await parseConfig(`{"a":"${"x".repeat(MANY)}"}`)).toBe("it has more than 250,000 characters");
});

it("in a long .gitignore the rules at its end hold, and no half of a line is one", () => {
  const filling = "x\n".repeat(MANY);
  expect(planRules(`${filling}*\n`, ["*"])).toEqual([]);
  expect(planRules(`*\n${filling}`, ["*"])).toEqual(["*"]);
  // The last 50,000 characters begin within this line.
  expect(planRules(`build/*\n${"x\n".repeat(24_999)}`, ["*"])).toEqual(["*"]);
});

it("a configuration of git's that is longer than any names no remote", () => {
  const config = '[remote "origin"]\nurl = git@github.com:acme/shop.git\n';
  expect(listRemotes(config)).toHaveLength(1);
  expect(listRemotes(config + "\n".repeat(MANY))).toEqual([]);
});

it("a message that is longer than one may send is none", () => {
  const message = { v: 1, id: "n-1", from: "ses_1", instance: "i", at: 1 };
  expect(parseInboxLine({ ...message, text: "x".repeat(4_096) })).toBeDefined();
  expect(parseInboxLine({ ...message, text: "x".repeat(4_097) })).toBeUndefined();
});

it("lines of a shared ledger come one by one, so that a reader can pause among a million", () => {
  const lines = splitLines("a\n \n\nb\nincomplete");
  expect(lines.next()).toEqual({ done: false, value: "a" });
  expect([...lines]).toEqual(["b"]);
});
