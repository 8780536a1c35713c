/** The host's summary, checked and repaired, and the files that are brought back with it. */
import { describe, expect, it } from "vitest";
import { planRestore, restore } from "../../layers/4-full-compact/restore.js";
import { checkSummary } from "../../layers/4-full-compact/summary.js";
import type { Message, ToolPart } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import type { Ledger } from "../../src/notes/stored.js";
import { planFolders } from "../../src/project/folders.js";
import { PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, fork, lines } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld, type World, type WorldOptions } from "../support/world.js";

const HOUR = 3_600_000;
const BREAKER = `${PROJECT}/.opencode/strata/state/breakers/ses_1.json`;
const GOOD = `The user wants the parser ported. ${"Much was done. ".repeat(20)}`;
const notesPath = `${PROJECT}/.opencode/session-memory/ses_1.md`;

/** A session that the host has compacted; it keeps the last turn verbatim, behind the summary. */
async function compact(summary: string, given: WorldOptions = {}, { isManual = false, sent = 120_000 } = {}) {
  const world = await openWorld({ ...given });
  const session = createSession(world.clock);
  session.user("Port the parser. Never use eval.");
  const edit = call("edit", "ok", { state: { input: { filePath: `${PROJECT}/src/a.ts` } } });
  session.answer([edit, call("bash", lines(600))], { sent: 100_000 });
  const kept = [session.user("and the tests"), session.answer([], { sent, text: "They run." })];
  await world.request([...session.messages]);
  world.host.messages.set("ses_1", [...session.messages]);
  const compaction = { type: "compaction", auto: !isManual };
  const asked = { ...session.user(""), parts: [compaction] };
  const summed = session.answer([], {
    sent,
    info: { summary: true, finish: "stop" },
    text: summary,
  });
  const after: Session = { ...createSession(world.clock), messages: [asked, summed, ...kept] };
  world.clock.advance(1_000);
  return { world, after, summed };
}

const textOf = (view: readonly Message[]): string =>
  view
    .find(({ info }) => info.summary === true)
    ?.parts.map(({ text }) => text ?? "")
    .join("") ?? "";
const ask = (world: World, after: Session) => world.request([...after.messages]);

/** An answer that came after the compaction. */
function answerAfter(world: World, after: Session): Session {
  const next = createSession(world.clock);
  const message = next.answer([], { sent: 9_000 });
  return { ...after, messages: [...after.messages, message] };
}

it("the host's summary has appended what it leaves out, recorded before it is sent, and is the same for ever", async () => {
  const { world, after } = await compact(GOOD);
  const view = await ask(world, after);
  expect(textOf(view).startsWith(GOOD.trim())).toBe(true);
  expect(textOf(view)).toContain("## Left out by this summary");
  expect(textOf(view)).toContain("- The user's rule: Never use eval.");
  expect(textOf(view)).toContain("- Edited: src/a.ts");
  expect(world.decisions().filter(({ outcome }) => outcome === "rewritten")).toMatchObject([
    { text: textOf(view) },
  ]);

  const grown = answerAfter(world, after);
  const sent = bytesOf(await ask(world, grown));
  expect(sent.slice(0, view.length)).toEqual(bytesOf(view));
  const again = await world.restart();
  expect(bytesOf(await ask(again, grown))).toEqual(sent);
  expect(bytesOf(await again.request(fork(grown.messages, "ses_fork")))).toEqual(sent);
});

it("the host's summary that is of no use gives way to the notes, which are on disk", async () => {
  const { world, after } = await compact("Sorry.");
  const text = textOf(await ask(world, after));
  expect(text).toContain("was of no use: it has only 6 characters");
  expect(text).toContain("Never use eval.");
  expect(text).toContain(notesPath);
  expect(world.files.text(notesPath)).toContain("Never use eval.");
});

it("the host's summary is entered in the ledger with what it freed, and told to the breaker, once", async () => {
  const { world, after } = await compact(GOOD, {}, { sent: 107_000 });
  await ask(world, after);
  await ask(world, after);
  const [record, ...more] = world.ledger("ses_1", "compacted");
  expect(more).toEqual([]);
  expect(record?.tokensFreed).toBeGreaterThan(5_000);
  const state = JSON.parse(world.files.text(BREAKER) ?? "{}");
  // Most of what was reported is system prompt and tools, which no summary frees.
  expect(state).toMatchObject({ poor: 1, failures: 0 });
});

/** Lines with this part cannot be appended while the disk is full. */
const failing = (part: string, isFull: () => boolean): WorldOptions => ({
  wrap: (inner) => ({
    ...inner,
    appendLine: async (path, line) =>
      isFull() && line.includes(part) ? Promise.reject(new Error("ENOSPC")) : inner.appendLine(path, line),
  }),
});

it("a summary that was sent as it is because it could not be recorded stays so while it is cached, and is repaired when that is over", async () => {
  let isFull = true;
  const { world, after } = await compact(
    GOOD,
    failing("rewritten", () => isFull),
  );
  expect(textOf(await ask(world, after))).toBe(GOOD);
  expect(await world.log()).toContain("layer full-compact at hook compacted failed: ENOSPC");
  isFull = false;
  const grown = answerAfter(world, after);
  expect(textOf(await ask(world, grown))).toBe(GOOD);
  world.clock.advance(HOUR);
  const [told, ...more] = world.ledger("ses_1", "compacted");
  expect(more).toEqual([]);
  const again = await world.restart();
  expect(textOf(await ask(again, grown))).toContain("## Left out by this summary");
  const [, record] = again.ledger("ses_1", "compacted");
  expect(record).toMatchObject({ key: told?.key });
  expect(record).not.toHaveProperty("tokensFreed");
});

it("the instruction for a summary has nine sections and the facts that must be in it", async () => {
  const { world } = await compact(GOOD);
  const prompt = await world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
  expect(prompt).toContain("## Next Step");
  expect(prompt).toContain("word for word:\n- The user's rule: Never use eval.");
  expect(prompt?.length).toBeLessThan(lines(600).length);
});

const touched = (key: string, at: number, isEdited = false): Ledger["files"][number] => ({
  ...{ key, at, isEdited, isRead: !isEdited, names: [] },
});

function bring(
  files: Record<string, string | Uint8Array>,
  given: Partial<Ledger>,
  { mostTokens = 25_000, pinned = "", tail = [] as ToolPart[], reads = [] as string[] } = {},
) {
  const inProject = Object.entries(files).map(([name, text]) => [`${PROJECT}/${name}`, text]);
  const disk = createMemoryFiles(Object.fromEntries(inProject));
  const read = (path: string) => {
    reads.push(path);
    return disk.read(path);
  };
  const history = readHistory([answer([]), answer(tail)]);
  const context = { log: createFakeLog(), files: { ...disk, read }, folders: planFolders(PROJECT) };
  return restore(context, {
    ...{ facts: { ...EMPTY_LEDGER, ...given }, from: 1, history, mostTokens, pinned },
    readAll: async () => history.messages,
    tail: [answer(tail)],
  });
}

it("what is brought back is the plan, then files edited, then those read, the last first, without secrets", () => {
  const files = ["a", "b", "c", "d", "e", "f", ".env.local", "id_rsa", "x.pem", ".npmrc"].map((name, n) =>
    touched(name, n, n % 2 === 0),
  );
  const plan = { path: "plan.md", at: 0 };
  const facts = { ...EMPTY_LEDGER, files: [...files, touched("plan.md", 0)], plan };
  const planned = planRestore(facts, PROJECT);
  expect(planned.map(({ path, label }) => `${path.slice(PROJECT.length + 1)}: ${label}`)).toEqual([
    "plan.md: the plan",
    "e: edited in this session",
    "c: edited in this session",
    "a: edited in this session",
    "f: read in this session",
    "d: read in this session",
    "b: read in this session",
  ]);
});

it("what is brought back leaves out what the tail or a pin shows already, by whatever call, and is five files at most", async () => {
  const text = (name: string): string =>
    Array.from({ length: 30 }, (_, n) => `  const ${name}${n} = ${name.repeat(5)}(${n});\n`).join("");
  const names = ["read", "part", "cat", "wrote", "edited", "pinned", "a", "b", "c", "d", "e", "f"];
  const files = Object.fromEntries(names.map((name) => [name, text(name)]));
  const numbered = (name: string): string[] =>
    text(name)
      .split("\n")
      .map((line, n) => `${n + 1}: ${line}`);
  const tail = [
    call("read", numbered("read").join("\n")),
    call("read", numbered("part").slice(0, 20).join("\n")),
    call("bash", text("cat")),
    call("write", "done", { state: { input: { filePath: "wrote", content: text("wrote") } } }),
    call("read", "[Strata] Cleared: whole in x.txt", { state: { input: { filePath: `${PROJECT}/a` } } }),
    call("read", numbered("edited").join("\n").replace("const edited7 =", "let other =")),
  ];
  const touches = names.map((name, n) => touched(name, names.length - n));
  const brought = await bring(files, { files: touches }, { tail, pinned: text("pinned") });
  const shown = [...brought.matchAll(/^### (\w+) /gm)].map(([, name]) => name);
  expect(shown.join(" ")).toBe("part a b c d");
});

it("what is brought back needs no look at further files once its room is taken", async () => {
  const names = Array.from({ length: 100 }, (_, n) => `file${n}`);
  const files = Object.fromEntries(names.map((name) => [name, `const ${name} = 1;\n`.repeat(400)]));
  const reads: string[] = [];
  const touches = names.map((name, n) => touched(name, n));
  const brought = await bring(files, { files: touches }, { mostTokens: 1_000, reads });
  expect(brought).toMatch(/^### file99 /);
  expect(reads.length).toBeLessThanOrEqual(2);
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
  for (const one of touches.filter(({ key }) => key !== "good" && key !== "folder/file"))
    expect(await bring(files, { files: [one] }), one.key).toBe("");
  expect(await bring(files, { files: [touched("good", 1)] })).toContain("good");
});

describe("the check of a summary", () => {
  const fact = { key: "1", at: 1 };
  const todos = [
    { content: "write tests", status: "pending" },
    { content: "is done", status: "completed" },
  ];
  const facts: Ledger = {
    ...EMPTY_LEDGER,
    rules: [
      { ...fact, kind: "rule", text: "Never touch `main`." },
      { ...fact, kind: "correction", text: "No, the other parser." },
    ],
    reasons: [{ ...fact, text: "Chose zod because it is here." }],
    todos: { at: 1, items: todos },
    files: [touched("src/a.ts", 1, true), touched("src/read.ts", 1)],
    failures: [
      { ...fact, tool: "bash", input: "npm test", exit: 1, error: "", laterSucceeded: false },
      { ...fact, tool: "bash", input: "npm ci", error: "", laterSucceeded: true },
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

  it("the check of a summary takes no summary that is empty, too short or too long, and says why", () => {
    expect(checkSummary(" \n", facts)).toMatchObject({ text: undefined, problem: "it is empty" });
    expect(checkSummary("done", facts)).toMatchObject({ problem: "it has only 4 characters" });
    expect(checkSummary("x".repeat(40_001), undefined)).toEqual({
      text: undefined,
      problem: "it has 40001 characters, more than 40000",
      missing: [],
    });
  });
});
