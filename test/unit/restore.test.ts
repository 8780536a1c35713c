import { describe, expect, it } from "vitest";
import { planRestore, restore } from "../../layers/4-full-compact/restore.js";
import { checkSummary, formatMustHave, SUMMARY_HEADINGS } from "../../layers/4-full-compact/summary.js";
import type { ToolPart } from "../../src/io/message.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { createPrompts } from "../../src/io/prompts.js";
import { readHistory } from "../../src/messages/history.js";
import { type FileFact, readFacts, type SessionFacts } from "../../src/notes/facts.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines } from "../support/messages.js";

const none = readFacts(EMPTY_LEDGER, PROJECT);
const touched = (name: string, at: number, isEdited = false): FileFact => ({
  path: `${PROJECT}/${name}`,
  name,
  isEdited,
  at,
});
const folders = planFolders(PROJECT);

function bring(
  files: Record<string, string | Uint8Array>,
  given: Partial<SessionFacts>,
  mostTokens = 25_000,
  parts: ToolPart[] = [],
) {
  const inProject = Object.entries(files).map(([name, text]) => [`${PROJECT}/${name}`, text]);
  const history = readHistory([answer(parts), answer([])]);
  const seams = { clock: createFakeClock(), host: createFakeHost(), log: createFakeLog() };
  return restore(
    { ...seams, files: createMemoryFiles(Object.fromEntries(inProject)), folders },
    { sessionID: "ses_1", facts: { ...none, ...given }, history, from: 1, mostTokens },
  );
}

describe("what is brought back", () => {
  it("what is brought back are five files, the plan, then those edited, then those read, the last first, without secrets and what stands in the tail", () => {
    const files = ["a", "b", "c", "d", "e", "f", ".env.local", "id_rsa", "x.pem", ".npmrc"].map((name, n) =>
      touched(name, n, n % 2 === 0),
    );
    const facts = {
      ...none,
      files: [...files, touched("plan.md", 0)],
      plan: { path: `${PROJECT}/plan.md`, at: 0 },
    };
    const planned = planRestore(facts, new Set([`${PROJECT}/e`]));
    expect(planned.map(({ path, label }) => `${path.slice(PROJECT.length + 1)}: ${label}`)).toEqual([
      "plan.md: the plan",
      "c: edited in this session",
      "a: edited in this session",
      "f: read in this session",
      "d: read in this session",
    ]);
  });

  it("what is brought back is shown as it is now, each file with at most 5,000 tokens, cut on a line", async () => {
    const text = await bring(
      { "a.ts": lines(900), "b.ts": "short" },
      { files: [touched("a.ts", 2, true), touched("b.ts", 1)] },
    );
    const [first, second] = text.split("\n\n");
    expect(first).toMatch(/^### a\.ts \(edited in this session\), as it is now; the first 487 lines\n1 x/);
    expect(first?.length).toBeLessThanOrEqual(20_100);
    expect(first?.endsWith("x")).toBe(true);
    expect(second).toBe("### b.ts (read in this session), as it is now\nshort");
  });

  it("what is brought back is none that stands whole in the tail, however its path is written, and one of which a piece stands there", async () => {
    const tail = answer([
      call("read", "whole", { state: { input: { filePath: "src/read.ts" } } }),
      call("read", "a piece", { state: { input: { filePath: "src/part.ts", offset: 10, limit: 5 } } }),
      call("edit", "done", { state: { input: { filePath: `${PROJECT}/src/edited.ts` } } }),
    ]);
    const names = ["src/read.ts", "src/part.ts", "src/edited.ts"];
    const contents = Object.fromEntries(names.map((name) => [`${PROJECT}/${name}`, "text"]));
    const text = await restore(
      {
        clock: createFakeClock(),
        host: createFakeHost(),
        log: createFakeLog(),
        files: createMemoryFiles(contents),
        folders,
      },
      {
        sessionID: "ses_1",
        facts: { ...none, files: names.map((name, n) => touched(name, n, name.includes("edited"))) },
        history: readHistory([answer([]), tail]),
        from: 1,
        mostTokens: 25_000,
      },
    );
    expect(text.match(/^### \S+/gm)).toEqual(["### src/edited.ts", "### src/part.ts"]);
  });

  it("what is brought back takes no more than its share of a small window", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const files = Object.fromEntries(names.map((name) => [name, lines(400)]));
    const text = await bring(files, { files: names.map((name, n) => touched(name, n)) }, 3_600);
    expect(text.length).toBeGreaterThan(10_000);
    expect(text.length).toBeLessThanOrEqual(3_600 * 4 + 500);
  });

  it("what is brought back leaves out what is no text, empty, gone, a folder, or too large to be read in a turn", async () => {
    const files = {
      bin: Uint8Array.from([0xff, 0xfe, 1]),
      zero: "a\0b",
      empty: " \n",
      "folder/file": "x",
      huge: new Uint8Array(900_000).fill(65),
      good: "good",
    };
    const touches = [...Object.keys(files), "gone", "folder"].map((name, n) => touched(name, n));
    for (const one of touches.filter(({ name }) => name !== "good" && name !== "folder/file"))
      expect(await bring(files, { files: [one] }), one.name).toBe("");
    expect(await bring(files, { files: [touched("good", 1)] })).toContain("good");
  });
});

describe("the check of a summary", () => {
  const rule = (text: string) => ({ text, at: 1, request: 1 });
  const facts: SessionFacts = {
    ...none,
    constraints: [rule("Never touch `main`.")],
    corrections: [rule("No, the other parser.")],
    reasons: [{ text: "Chose zod because it is here.", at: 1 }],
    todos: [
      { content: "write tests", status: "pending" },
      { content: "is done", status: "completed" },
    ],
    files: [touched("src/a.ts", 1, true), touched("src/read.ts", 1)],
    errors: [
      { at: 1, tool: "bash", input: "npm test", exit: 1, error: "", laterSucceeded: false },
      { at: 1, tool: "bash", input: "npm ci", error: "", laterSucceeded: true },
    ],
  };
  const padding = "x".repeat(250);

  it("the check of a summary names every rule, correction, reason, open todo, edited file and failure that it leaves out", () => {
    expect(checkSummary(padding, facts)).toEqual({
      text: padding,
      missing: [
        "- The user's rule: Never touch `main`.",
        "- The user's correction: No, the other parser.",
        "- Decided: Chose zod because it is here.",
        "- Open todo: write tests",
        "- Edited: src/a.ts",
        "- Failed: bash npm test (exit status 1)",
      ],
    });
  });

  it("the check of a summary finds what is there in other letters, quotes and line breaks", () => {
    const summary = `${padding} "never touch main." no, the\nOTHER parser. chose **zod** because it is here.
      - write tests; src/a.ts; bash npm test (exit status 1)`;
    expect(checkSummary(summary, facts).missing).toEqual([]);
  });

  it("the check of a summary takes no summary that is empty, too short or too long, and says why", () => {
    expect(checkSummary(" \n", facts)).toMatchObject({ text: undefined, problem: "it is empty" });
    expect(checkSummary("done", facts)).toMatchObject({ problem: "it has only 4 characters" });
    expect(checkSummary("x".repeat(40_001), undefined)).toEqual({
      text: undefined,
      problem: "it has 40001 characters, more than 40000",
      missing: [],
    });
  });

  it("the check of a summary is told to the model beforehand, bounded, the newest of each kind, and not at all where nothing is known", () => {
    const many = Array.from({ length: 500 }, (_, n) => rule(`${n} ${"y".repeat(500)}`));
    const text = formatMustHave({ ...facts, constraints: many, corrections: many });
    expect(text.length).toBeLessThan(12_500);
    expect(text).toContain("- The user's rule: 493 more in the notes\n- The user's rule: 493 y");
    expect(text).toContain("- The user's rule: 499 y");
    expect(text).toContain("- Open todo: write tests");
    expect(formatMustHave(none)).toBe("");
  });

  it("the check of a summary asks in the shipped prompt for the nine headings, in their order", async () => {
    const prompt = await createPrompts(nodeFiles).read("compaction");
    expect([...prompt.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([...SUMMARY_HEADINGS]);
  });
});
