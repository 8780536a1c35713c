/** The question that a judge is asked, and what of its answer is believed. */
import { describe, expect, it } from "vitest";
import { type Batch, formatBatch, parseAnswer } from "../../layers/5-auto-memory/judge/verdicts.js";

const batch: Batch = {
  messages: [
    { statements: [{ text: "The storage is SQLite." }], context: "the agent had asked: Which storage?" },
    {
      statements: [
        { text: "tabs", heading: "House rules:" },
        { text: "no defaults", heading: "House rules:" },
        { text: "Is that clear?", isQuestion: true },
      ],
      sessions: 3,
    },
  ],
  work: ["`npm test` worked after 2 failures"],
  memories: [{ type: "decision", title: "The storage is Redis" }],
};
const entry = {
  quote: "m1.1",
  type: "knowledge",
  scope: "project",
  says: "SQLite stores it.",
  why: "a fact",
};
const parse = (value: unknown) =>
  parseAnswer(typeof value === "string" ? value : JSON.stringify(value), batch);
const faultsOf = (given: object) => parse([{ ...entry, ...given }])?.faults;
const placeOf = (quote: unknown) => parse([{ ...entry, quote }])?.verdicts[0]?.of;

describe("a judge's material", () => {
  it("a judge's material is numbered, with each heading once, what came before, and in how many sessions it was said", () => {
    expect(formatBatch(batch).split("\n")).toEqual([
      "<messages>",
      "m1 (the agent had asked: Which storage?)",
      "m1.1 The storage is SQLite.",
      "",
      "m2 (said in 3 sessions)",
      "House rules:",
      "m2.1 tabs",
      "m2.2 no defaults",
      "m2.3 Is that clear?",
      "</messages>",
      "",
      "<work>",
      "w1 `npm test` worked after 2 failures",
      "</work>",
      "",
      "<remembered>",
      "k1 (decision) The storage is Redis",
      "</remembered>",
    ]);
  });
});

describe("a judge's answer", () => {
  it("how sure a judge is decides whether a memory is kept or waits for the user", () => {
    const areSure = (all: readonly unknown[], type: string) =>
      parse(all.map((sure) => ({ ...entry, sure, type })))?.verdicts.map(({ isSure }) => isSure);
    const [kept, waiting] = [
      [57, "80", true, undefined],
      [56, 0, false, "no"],
    ];
    expect(areSure(kept, "decision")).toEqual([true, true, true, true]);
    expect(areSure(waiting, "decision")).toEqual([false, false, false, false]);
    expect(areSure([50, 49], "directive")).toEqual([true, false]);
  });

  it("a judge's answer is read as it was asked for", () => {
    expect(
      parse([{ ...entry, quote: "m2.1-2", type: "directive", scope: "global", sure: false, replaces: "k1" }]),
    ).toEqual({
      faults: [],
      unusable: new Set(),
      verdicts: [
        {
          of: { kind: "message", at: 1, from: 0, to: 1 },
          ...{
            type: "directive",
            isGlobal: true,
            isSure: false,
            says: entry.says,
            why: "a fact",
            replaces: 0,
          },
        },
      ],
    });
  });

  it("a memory that a judge replaces is one of those that it was shown", () => {
    const replacedBy = (replaces: unknown) => parse([{ ...entry, replaces }])?.verdicts[0]?.replaces;
    expect(["k1", "k2", "k0", 1].map(replacedBy)).toEqual([0, undefined, undefined, undefined]);
  });

  it.each([
    ["no JSON", "Sure! I kept everything."],
    ["half of it", JSON.stringify([entry]).slice(0, 40)],
    ["a list inside of an object", JSON.stringify({ error: "overloaded", codes: [] })],
    ["deep nesting", "[".repeat(20_000)],
    ["250 KB", `[{"says":"${"x".repeat(250_000)}"}]`],
  ])("a judge's answer that is %s is none", (_, text) => {
    expect(parse(text)).toBeUndefined();
  });

  it.each([
    ["m1.1", { kind: "message", at: 0, from: 0, to: 0 }],
    ["m2.1-3", { kind: "message", at: 1, from: 0, to: 2 }],
    ["m2.1–2", { kind: "message", at: 1, from: 0, to: 1 }],
    ["w1", { kind: "work", at: 0 }],
  ])("the quote %s is found", (quote, place) => {
    expect(placeOf(quote)).toEqual(place);
  });

  it.each(["m3.1", "m2", "m2.3-1", "w2", "The storage is SQLite.", undefined, ["m1.1", 2]])(
    "the quote %j is none of what was asked, and its entry is left out with the reason",
    (quote) => {
      expect(faultsOf({ quote })).toEqual(["entry 1: its quote is none of the numbers"]);
    },
  );

  it("an entry of an unknown type, without words or with too many is left out, and the others count", () => {
    expect(faultsOf({ type: "rule" })).toEqual(["entry 1: its type is unknown"]);
    for (const says of ["", " ", 7, undefined, "x".repeat(501)])
      expect(faultsOf({ says })?.[0]).toContain("at most 500 characters");
    const mixed = parse(["no object", { keep: false }, { ...entry, type: "?" }, entry]);
    expect([mixed?.verdicts.length, mixed?.faults.length]).toEqual([1, 2]);
    expect(parse([{ ...entry, quote: "m2.1", type: "?" }])?.unusable).toEqual(new Set([1]));
    expect(parse(`\`\`\`json\n${JSON.stringify([entry])}\n\`\`\``)?.verdicts).toHaveLength(1);
  });
});
