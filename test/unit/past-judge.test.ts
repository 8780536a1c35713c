/** Past conversations, judged by a scripted small model: what is asked, kept, refused, settled; and why, afterwards. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Generated, GenerateRequest } from "../../src/io/host.js";
import { learn, lines, listMemories, openConversation, parseObjects, said } from "../support/learning.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const FOLDER = fileURLToPath(new URL("../../prompts", import.meta.url));
const PROMPTS = Object.fromEntries(
  readdirSync(FOLDER).map((name) => [join(FOLDER, name), readFileSync(join(FOLDER, name), "utf8")]),
);
const CONFIG = { "/home/me/.config/opencode/opencode.json": JSON.stringify({ small_model: "lab/small" }) };

/** Long enough to be a candidate by its shape. */
const INVOICES =
  "We had a long talk with the accountants last week. We number invoices per year, because the tax office in Lyon wants them without gaps. Mails about them go out at 23:00, when the shop in Berlin is closed. The old ones of 2019 lie in archive/invoices.csv, and nobody may change them.";
const CORE = "We number invoices per year, because the tax office in Lyon wants them without gaps.";
const LAYOUT =
  "The reports of the warehouse are read on small screens, so the table shall have 5 columns and no more. Rows are as high as a thumb.";
const GONE =
  "The shop in Berlin closed in 2019, and its orders live in archive/berlin.csv since then, read only.";
const QUESTION = "Which port does the server use?";

interface Judge {
  generate(request: GenerateRequest): Promise<Generated>;
  asked: GenerateRequest[];
}

/** Answers the questions in order; the last answer is given again. */
function createJudge(...answers: unknown[]): Judge {
  const asked: GenerateRequest[] = [];
  return {
    asked,
    async generate(request) {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(request);
      if (answer instanceof Error) return { kind: "failed", reason: answer.message };
      const tokens = { input: Math.ceil(request.prompt.length / 4), output: 100, cacheRead: 0 };
      return { kind: "text", text: JSON.stringify(answer), tokens };
    },
  };
}

const open = (...texts: string[]): MemoryFiles =>
  openConversation(lines(...texts.map((text, n) => said(`m${n}`, text))), { ...PROMPTS, ...CONFIG });

const verdict = (quote: string, more: object = {}): object => ({
  ...{ quote, type: "decision", scope: "project", says: CORE, why: "a rule of the domain", sure: true },
  ...more,
});

describe("strata learn --judge", () => {
  it("has the small model judge what may hold something, keeps what it proves, and settles the rest", async () => {
    const files = open(INVOICES, LAYOUT, QUESTION);
    const judge = createJudge([verdict("m1.2")]);
    const ran = await learn(files, "--judge --yes --json", { generate: judge.generate });
    expect([ran.code, parseObjects(ran)]).toEqual([
      0,
      [
        expect.objectContaining({
          ...{ message: "m0", session: "s1", type: "decision", content: CORE, candidate: false },
          why: "lab/small: a rule of the domain",
        }),
      ],
    ]);
    expect(judge.asked.map(({ model }) => model)).toEqual(["lab/small"]);
    expect(judge.asked[0]?.prompt).toContain(LAYOUT.split(". ")[0]);
    expect(judge.asked[0]?.prompt).not.toContain(QUESTION);
    expect(ran.err).toMatch(
      /^2 messages that may hold something: 1 question, about [\d,]+ tokens with lab\/small/m,
    );
    expect(ran.err).toMatch(/^Judged: 2 messages, [\d,]+ tokens with lab\/small$/m);
    expect((await runStrata(files, "candidates")).out).toBe("No candidates wait.");

    const again = await learn(files, "--judge --yes --json", { generate: judge.generate });
    expect([again.code, again.out, judge.asked.length]).toEqual([0, "", 1]);
    expect(again.err).toContain("There is nothing left to judge");
    expect((await runStrata(files, "candidates")).out).toBe("No candidates wait.");
  });

  it("enters what it costs in the savings ledger, as memory judgement, and strata stats and status tell it", async () => {
    const files = open(INVOICES);
    await learn(files, "--judge --dry-run", { generate: createJudge([]).generate });
    expect((await runStrata(files, "stats")).out).not.toContain("judging");
    const judge = createJudge([verdict("m1.2")]);
    await learn(files, "--judge --yes", { generate: judge.generate });
    const input = Math.ceil((judge.asked[0]?.prompt.length ?? 0) / 4);
    const { sessions, totals } = JSON.parse((await runStrata(files, "stats --json")).out);
    expect(totals).toMatchObject({
      backgroundTokens: input + 100,
      judging: expect.closeTo(input * 1.25 + 500, -1),
    });
    expect(sessions.map(({ sessionID }: { sessionID: string }) => sessionID)).toEqual(["strata-learn"]);
    expect((await runStrata(files, "stats")).out).toMatch(/^judging what to remember: [\d.]+K tokens$/m);
    expect((await runStrata(files, "status")).out).toMatch(/Judging +what to remember: [\d.]+K tokens/);
  });

  it("asks no question beyond the budget, and the next run goes on where this one ended", async () => {
    const texts = Array.from({ length: 45 }, (_, n) => INVOICES.replace("Lyon", `Town${n}`));
    const files = open(...texts);
    const judge = createJudge([]);
    const first = await learn(files, "--budget 5000 --yes --json", { generate: judge.generate });
    expect(judge.asked).toHaveLength(1);
    expect(first.err).toContain("Not judged further: the budget of 5,000 tokens is used up");
    await learn(files, "--judge --yes --json", { generate: judge.generate });
    const material = judge.asked.map(({ prompt }) => prompt).join("\n");
    for (const n of texts.keys()) expect(material.split(`Town${n} `)).toHaveLength(2);
    expect(judge.asked).toHaveLength(3);
  });

  it("is not asked without a yes: candidates wait, and a script has to say --yes", async () => {
    const files = open(INVOICES);
    const judge = createJudge([verdict("m1.2")]);
    const refused = await learn(files, "--judge", { generate: judge.generate });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("add --yes")]);
    const declined = await learn(files, "--judge --json", { generate: judge.generate, answers: false });
    expect(parseObjects(declined)).toMatchObject([{ candidate: true }]);
    const dry = await learn(files, "--judge --dry-run", { generate: judge.generate });
    expect(dry.err).toContain("about");
    expect(judge.asked).toEqual([]);
    expect(listMemories(files)).toEqual([]);
    await learn(files, "--judge", { generate: judge.generate, answers: true });
    expect(judge.asked).toHaveLength(1);
  });
});

describe("strata why", () => {
  it("tells what was kept, waits, was left out, refused or dropped: by whom, why, and what to do", async () => {
    const files = open(INVOICES, LAYOUT, GONE, QUESTION);
    const answer = [
      verdict("m1.2"),
      verdict("m3.1", { says: "Tables have 5 columns.", sure: false, why: "perhaps only this table" }),
    ];
    await learn(files, "--judge --yes", { generate: createJudge(answer).generate });
    const of = async (words: string): Promise<string> => (await runStrata(files, `why ${words}`)).out;

    const kept = await of("invoices per year");
    expect(kept).toMatch(/^"We number invoices per year, .*"\n {2}said .* UTC, session s1$/m);
    for (const line of [
      /^ {2}outcome +kept as decision\/\S+$/m,
      /^ {2}file +\/\S+\.md$/m,
      /^ {2}judged by +a small model$/m,
      /^ {2}because +lab\/small: a rule of the domain$/m,
      /^ {2}to do +strata memory archive decision\/\S+ takes it away; strata undo/m,
    ])
      expect(kept).toMatch(line);

    const waiting = await of("warehouse screens table");
    const [, id = ""] = /outcome +waiting as candidate (\w+)/.exec(waiting) ?? [];
    expect(waiting).toContain("lab/small is not sure: perhaps only this table");
    expect(waiting).toContain(
      `strata candidates keep ${id} keeps it, strata candidates drop ${id} forgets it`,
    );

    const out = await of("shop in Berlin");
    expect(out).toMatch(
      /outcome +left out\n {2}judged by +a small model\n {2}because +lab\/small kept nothing of it/,
    );
    expect(out).toContain("strata remember and the words make it a memory all the same");
    expect(await of("which port")).toMatch(/because +it only asks/);

    const sentence =
      "The reports of the warehouse are read on small screens, so the table shall have 5 columns and no more.";
    await runStrata(files, `candidates drop ${id}`);
    expect(await of("warehouse screens table")).toMatch(/^Nothing is known of "warehouse screens table"/);
    expect(await of(sentence)).toMatch(/outcome +dropped\n {2}judged by +you/);

    const json = JSON.parse((await runStrata(files, "why invoices --json")).out);
    expect(json).toMatchObject({
      asked: "invoices",
      looked: { memories: 1, waiting: 0 },
      found: [{ outcome: "kept", memory: expect.stringMatching(/^decision\//), todo: expect.any(String) }],
    });
    const shell = await runStrata(files, "why invoices", { env: { OPENCODE: "1" } });
    expect([shell.code, shell.out]).toEqual([3, ""]);
  });
});
