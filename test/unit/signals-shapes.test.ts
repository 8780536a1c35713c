/** Shapes of messages that were kept wrongly, or not found: lists in questions, orders of the moment, personas, answers. */
import { describe, expect, it } from "vitest";
import { lookForSignals } from "../../layers/5-auto-memory/signals/find-signals.js";
import { splitLine } from "../../src/language/sentences.js";
import { atOnce } from "../../src/slices.js";

function find(text: string): { kept: string[]; waiting: string[] } {
  const { candidates, signals } = atOnce(lookForSignals(text));
  return { kept: signals.map((one) => one.text), waiting: candidates.map((one) => one.text) };
}
const NOTHING = { kept: [], waiting: [] };

describe("what is kept without a judge", () => {
  it("nothing is kept from a list in a question, and a list's mark is no sentence", () => {
    for (const text of [
      "Which of these should we do first?\n\n1. Always retry failed uploads\n2. Never cache the price list",
      "What do you think of this:\n1. never store tokens in the browser\n2. always log the request id\nWhich matters more?",
      "Can you explain what each of these means?\n- You must never share the dump.\n- From now on rotate the keys.",
      "先做哪个？\n1. 永远不要缓存价格\n2. 以后都用队列",
    ])
      expect(find(text), text).toEqual(NOTHING);
    expect(splitLine("1. Always retry.")).toEqual(["Always retry."]);
  });

  it("an order about the task at hand is neither kept nor waits", () => {
    for (const text of [
      "Just look into the failing import and tell me why. Don't write any code.",
      "Plan the refactoring first. Do not change any files and no new tests.",
      "Please don't edit anything yet.",
      "分析一下这个报错，先不要写代码。",
    ])
      expect(find(text), text).toEqual(NOTHING);
    expect(find("Never write code comments in German.").kept).toHaveLength(1);
    expect(find("Don't write tests against the production database.").kept).toEqual([]);
  });

  it("a persona for another program is neither kept nor waits", () => {
    for (const text of [
      "Here is the persona for app/bot.py. You are a pirate captain. Always speak in rhymes. Never break character.",
      "Write a prompt for our support bot:\n\nYou are Mia, a friendly assistant.\n- Always answer in two sentences.\n- Never mention prices.",
      "你是一个客服助手。永远不要提价格。",
    ])
      expect(find(text), text).toEqual(NOTHING);
  });

  it("the items of a list under a heading such as IMPORTANT wait, or are kept where they say that they last", () => {
    const limits =
      "IMPORTANT:\n- Do not touch the vendor folder\n- Never add a dependency without asking\n- Don't rename public functions";
    const { kept, waiting } = find(limits);
    expect(kept).toEqual(["Never add a dependency without asking"]);
    expect(waiting).toEqual(["Do not touch the vendor folder", "Don't rename public functions"]);
    expect(find("Add the endpoint.\n\n## Wichtig\n* Keine neuen Pakete").waiting).toEqual([
      "Keine neuen Pakete",
    ]);
    expect(find("Todo:\n- fix the parser\n\nImportant people:\n- Ada").waiting).toEqual([]);
  });

  it("numbered answers to the agent's questions wait", () => {
    const answers =
      "To answer your questions:\n1. We use Postgres 15 in production.\n2. Keep the old endpoint until March.\n3. One customer has one active price.";
    expect(find(answers)).toEqual({
      kept: [],
      waiting: [
        "We use Postgres 15 in production.",
        "Keep the old endpoint until March.",
        "One customer has one active price.",
      ],
    });
    expect(find("Antworten:\n1. Die Preise sind netto.").waiting).toEqual(["Die Preise sind netto."]);
  });

  it("a question is never a rule, whatever it totals", () => {
    for (const text of [
      "Does the worker retry no matter what the server answers?",
      "is it true that the cache is always cleared no matter what?",
      "Should we never log tokens?",
    ])
      expect(find(text), text).toEqual(NOTHING);
  });

  it("the user's own preference is no reported speech", () => {
    expect(find("I prefer small commits with a body that says why.").kept).toHaveLength(1);
    expect(find("She asked me why I prefer Go.").kept).toEqual([]);
  });

  it("a line that an editor wrapped is no end of a sentence, in any script with small letters", () => {
    const wrapped =
      "From now on use the staging database for all the experiments\nübrigens also for the nightly import, never production.";
    expect(find(wrapped).kept).toEqual([wrapped.replace("\n", " ")]);
  });

  it("what does not say by its own words that it lasts waits", () => {
    for (const text of [
      "Let's go with Postgres instead of SQLite, because two services write at once.",
      "All dates must be in UTC.",
      "This always happens on Mondays, so we decided to skip the report then.",
    ])
      expect(find(text).kept, text).toEqual([]);
    for (const text of [
      "Remember: the staging key rotates on Mondays.",
      "From now on use pnpm.",
      "以后都用 pnpm。",
    ])
      expect(find(text).kept, text).toHaveLength(1);
  });
});
