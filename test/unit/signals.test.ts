import { describe, expect, it } from "vitest";
import { lookForSignals } from "../../layers/5-auto-memory/signals/find-signals.js";
import { readOwnSentences } from "../../layers/5-auto-memory/signals/own-lines.js";
import { formatTitle } from "../../layers/5-auto-memory/signals/title.js";
import { atOnce } from "../../src/slices.js";
import { fc } from "../support/property.js";
import { formatFound, measure, precision, readUtterances, recall } from "../support/utterances.js";

const findSignals = (text: string) => atOnce(lookForSignals(text)).signals;
const findCandidates = (text: string) => atOnce(lookForSignals(text)).candidates;

const utterances = readUtterances("utterances.jsonl");
const fresh = readUtterances("utterances-fresh.jsonl");

describe("of what users say", () => {
  const all = measure(utterances);

  it("nineteen in twenty kept sentences are worth it, and a third of the worthy sentences are kept or wait", () => {
    process.stdout.write(`${formatFound(utterances)}\n`);
    expect(precision(all)).toBeGreaterThanOrEqual(0.95);
    expect(recall(all)).toBeGreaterThanOrEqual(0.33);
    expect(all.typed / all.kept).toBeGreaterThanOrEqual(0.83);
  });

  it("the same is true for all sets that others wrote later, and seven in eight kept sentences of each are worth it", () => {
    process.stdout.write(`${formatFound(fresh)}\n`);
    const sets = new Set(fresh.map(({ written }) => written));
    expect(sets.size).toBe(12);
    for (const written of sets) {
      const measured = measure(fresh.filter((utterance) => utterance.written === written));
      expect(precision(measured), written).toBeGreaterThanOrEqual(0.88);
    }
    expect(precision(measure(fresh))).toBeGreaterThanOrEqual(0.95);
    expect(recall(measure(fresh))).toBeGreaterThanOrEqual(0.33);
  });

  it("the samples cover both kinds and both languages", () => {
    const told = utterances.filter(({ types }) => types).length;
    expect(told).toBeGreaterThanOrEqual(150);
    expect(utterances.length - told).toBeGreaterThanOrEqual(150);
    expect(utterances.filter(({ text }) => /\p{Script=Han}/u.test(text)).length).toBeGreaterThanOrEqual(50);
  });

  it("kept sentences are verbatim", () => {
    const plain = (text: string): string => text.replace(/\s+/g, " ");
    for (const { text } of [...utterances, ...fresh])
      for (const signal of findSignals(text))
        for (const sentence of signal.text.split(/(?<=[.!?])\s/))
          expect(plain(text)).toContain(plain(sentence));
  });
});

describe("a signal", () => {
  const only = (text: string) => findSignals(text)[0];
  const waiting = (text: string) => findCandidates(text)[0];

  it("a signal has the reason that the next sentence gives", () => {
    expect(waiting("We're sticking with REST. Because the partners integrated against it.")?.text).toBe(
      "We're sticking with REST. Because the partners integrated against it.",
    );
    expect(only("以后都用 pnpm。因为 npm 太慢。")?.text).toBe("以后都用 pnpm。因为 npm 太慢。");
  });

  it("a signal is each item of a list of rules, but no item of a list of tasks", () => {
    expect(
      findSignals("House rules:\n- tabs\n- tests beside the sources\n\n- later").map(({ text }) => text),
    ).toEqual(["tabs", "tests beside the sources"]);
    expect(findSignals("Todo list:\n- fix the parser\n- ship it")).toEqual([]);
  });

  it("a signal is each item of a long list that is announced as rules; of one that is not, each waits, and no item of a list of tasks", () => {
    const verbs = ["Never log", "Always check", "Do not rename", "Only use", "Avoid"];
    const rules = Array.from({ length: 46 }, (_, n) => `- ${verbs[n % 5]} value ${n}`).join("\n");
    expect(findSignals(`My rules for this repository:\n${rules}`)).toHaveLength(46);
    expect(findSignals(rules)).toEqual([]);
    expect(findCandidates(rules)).toHaveLength(20);
    const tasks = Array.from({ length: 46 }, (_, n) => `- fix the value ${n}`).join("\n");
    expect(findSignals(tasks)).toEqual([]);
  });

  it("a signal is the sentence after a correction", () => {
    expect(waiting("That's wrong. The config comes from the home folder.")).toMatchObject({
      type: "feedback",
      text: "The config comes from the home folder.",
    });
  });

  it("a signal is found among other sentences of the same message", () => {
    const text =
      'Can you fix the login? Never log passwords. Run the tests then. The page says "always use md5".';
    expect(findSignals(text).map((signal) => signal.text)).toEqual(["Never log passwords."]);
  });

  it("a signal is dropped after a line that muses or mocks, unless it is explicitly meant to last", () => {
    const decided = "We decided to keep the monolith because the team is small.";
    expect(findCandidates(decided)).toHaveLength(1);
    expect(findCandidates(`Just thinking out loud. ${decided}`)).toEqual([]);
    expect(findCandidates(`Yeah right, what could go wrong. ${decided}`)).toEqual([]);
    expect(findSignals("Just thinking out loud. But never push to main.")).toHaveLength(1);
  });

  it("a signal may have a reason that quotes others or says that something is broken", () => {
    expect(waiting("We chose argon2, because OWASP recommends it.")?.type).toBe("decision");
    expect(waiting("We decided to pin node 20 because 22 crashes on start.")).toBeDefined();
    expect(waiting("OWASP recommends that we choose argon2.")).toBeUndefined();
  });

  it("a signal is not found in a comment above code, or in a program's complaint", () => {
    expect(findSignals("# Never use this in production\nDEBUG=True")).toEqual([]);
    expect(findSignals("# We always start it with two workers\ngunicorn app:app --workers 2")).toEqual([]);
    expect(findSignals("docker: Error response from daemon: you must never do this")).toEqual([]);
    expect(findSignals("# Never use this in production\n\nIt prints our keys.")).not.toEqual([]);
  });

  it("a signal is found after pasted text, however long", () => {
    const log = "2026-01-02 10:00:01 WARN the port must be set\n".repeat(2_000);
    expect(findSignals(`It says:\n\`\`\`\n${log}\`\`\`\nNever push to main.`)).toHaveLength(1);
    expect(findSignals(`${log}\nNever push to main.`)).toHaveLength(1);
    expect(findSignals(`${"word ".repeat(20).concat("\n\n").repeat(300)}Never push to main.`)).toEqual([]);
  });

  it("a signal names the commands and paths that trigger it", () => {
    expect(only("Never force push to main.")?.when).toEqual(["git push"]);
    expect(only("Always run `pnpm codegen` when you touch src/schema/ or *.graphql files.")?.when).toEqual(
      expect.arrayContaining(["pnpm codegen", "src/schema/", "*.graphql"]),
    );
    expect(only("以后提交之前都要先跑测试。")?.when).toEqual(["git commit", "test"]);
    expect(only("I prefer tabs.")?.when).toEqual([]);
    for (const choice of [
      "the light/dark theme",
      "texts in fr/nl",
      "a Google/Facebook login",
      "support 24/7",
    ])
      expect(only(`From now on always think of ${choice}.`)?.when, choice).toEqual([]);
    expect(only("Make sure you never touch anything in the vendor directory.")?.when).toEqual(["vendor/"]);
    expect(only("Always run make dev before you push.")?.when).toContain("make dev");
  });

  it("a signal is kept once, and their number is bounded, whatever was written", () => {
    expect(findSignals("Never push to main. never push to main.")).toHaveLength(1);
    const many = Array.from({ length: 200 }, (_, index) => `Never push to branch${index}.`).join("\n");
    expect(findSignals(many)).toHaveLength(20);
  });

  it("a signal is found in any text without an error, and is part of what the user wrote", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "never ",
        "Always run it. ",
        "```\n",
        "> ",
        '"',
        "“",
        "`",
        "\n\n",
        "because ",
        "以后",
        "。",
        "<a>",
        "</a>",
        ": ",
      ),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const own = atOnce(readOwnSentences(text));
        for (const signal of findSignals(text))
          expect(own.some((one) => signal.text.startsWith(one))).toBe(true);
      }),
    );
  });

  it("a signal search ends with long texts that almost match", () => {
    const almost = [
      "I don't want ".repeat(2_000),
      "a ".repeat(10_000),
      "we will ".repeat(3_000),
      "the the ".repeat(3_000),
      "if you add ".repeat(2_000),
      "如果".repeat(10_000),
      '"'.repeat(20_000),
      "<a>".repeat(7_000),
      "no, ".repeat(5_000),
      `${"word ".repeat(110)}is`,
      "when i say ".repeat(50),
    ];
    for (const text of almost) expect(findSignals(text).length).toBeLessThanOrEqual(20);
  });
});

describe("a title", () => {
  const titles: [string, string][] = [
    ["From now on, never push to main.", "Never push to main"],
    ["no, the port is 5433, not 5432", "The port is 5433, not 5432"],
    ["记住:测试环境的数据库在 10.0.3.7 上。", "测试环境的数据库在 10.0.3.7 上"],
    [
      "We decided that all writes go through the outbox table, since two-phase commit kept failing us.",
      "We decided that all writes go through the outbox table",
    ],
    [
      "We are blocked on the SSO work until the customer sends their metadata to us.",
      "We are blocked on the SSO work",
    ],
    [`Never ${"say more than that ".repeat(9)}`, `Never ${"say more than that ".repeat(4)}say more than`],
    ["OK - I use snippets for that", "I use snippets for that"],
    ["- [x] use tabs…", "Use tabs"],
    ["✅ => always lint", "Always lint"],
    ["4.本地打开的端口用6419", "本地打开的端口用6419"],
    [
      `The tournament is called "North Cup" and will take its course over several months during the whole of the off-season`,
      `The tournament is called "North Cup" and will take its course over several months`,
    ],
    [
      "Every client books several rooms (e.g. 5 of them) for a series of talks (e.g. 4 talks)",
      "Every client books several rooms for a series of talks",
    ],
    ["PLS is a plaintext format", "PLS is a plaintext format"],
    ["- here is where the build writes", "Here is where the build writes"],
    ["## Never use this in production", "Never use this in production"],
    ["The sources are in: D:\\dev\\sources\\main", "The sources are in: D:\\dev\\sources\\main"],
    ["No.", "No"],
  ];
  for (const [sentence, title] of titles)
    it(`of "${sentence}" is "${title}"`, () => expect(formatTitle(sentence)).toBe(title));
});
