import { describe, expect, it } from "vitest";
import { formatContentID } from "../../src/context/result-files.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, outputs, pathIn, user } from "../support/messages.js";
import { onlyOutput, openWorld } from "../support/world.js";

const RESULTS = `${PROJECT}/.opencode/tool-results`;
const DECISIONS = `${PROJECT}/.opencode/strata/state/decisions/2026-11-21.jsonl`;
const large = lines(2_000);

it("a large result stays in the host's own message, and everything else of the message stays in the view", async () => {
  const world = await openWorld();
  const image = { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" };
  const history = [user("go"), answer([call("read", large, { state: { attachments: [image] } })])];
  const before = structuredClone(history);
  const view = await world.request(history);
  expect(history).toEqual(before);
  expect(view[0]).toBe(history[0]);
  expect(view[1]?.parts[1]).toMatchObject({
    tool: "read",
    state: { status: "completed", attachments: [image] },
  });
  expect(view[1]?.parts.map(({ type }) => type)).toEqual(["step-start", "tool", "step-finish"]);
});

it("a large result has its decision on disk before the view is handed back", async () => {
  const world = await openWorld();
  const preview = await onlyOutput(world, [user("go"), answer([call("bash", large)])]);
  const [, batch] = (world.files.text(DECISIONS) ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const replaced = { outcome: "replaced", text: preview, file: pathIn(preview) };
  expect(batch).toMatchObject({ v: 1, session: "ses_1", layer: "tool-results", decisions: [replaced] });
});

it("a large result is not taken for stored by a file of its name and length that says something else, as a repository may bring", async () => {
  const files = createMemoryFiles();
  const path = `${RESULTS}/${formatContentID(Buffer.from(large))}.txt`;
  await files.writeWhole(path, "x".repeat(Buffer.byteLength(large)));
  const world = await openWorld({ files });
  const stored = pathIn(await onlyOutput(world, [user("go"), answer([call("bash", large)])]));
  expect(stored).toMatch(new RegExp(`^${path.slice(0, -".txt".length)}\\d{9}\\.txt$`));
  expect(files.text(stored)).toBe(large);
  expect(files.text(path)).toMatch(/^x+$/);
});

it("a large result of a call that the user broke off is moved out of where the host takes it from", async () => {
  const world = await openWorld();
  const metadata = { interrupted: true, output: large };
  const broken = call("bash", "", { state: { status: "error", error: "aborted", metadata } });
  const view = await world.request([user("go"), answer([broken])]);
  expect(view[1]?.parts[1]).toMatchObject({
    state: {
      status: "error",
      error: "aborted",
      metadata: { interrupted: true, output: expect.stringContaining(RESULTS) },
    },
  });
});

describe("the budget of one answer", () => {
  it("the largest of ten results of 28 KB go to files, and the next request changes none of them", async () => {
    const world = await openWorld();
    const ten = answer(Array.from({ length: 10 }, (_, n) => call("fetch", "x".repeat(28_000 + n))));
    const first = outputs(await world.request([user("go"), ten]));
    const staying = first.filter((text) => text.startsWith("x"));
    expect(staying).toHaveLength(7);
    expect(staying.join("").length).toBeLessThanOrEqual(200_000);
    expect(first.slice(0, 7)).toEqual(staying);
    const next = await world.request([user("go"), ten, answer([call("fetch", "x".repeat(29_000))])]);
    expect(outputs(next).slice(0, 10)).toEqual(first);
    expect(outputs(next)[10]).toHaveLength(29_000);
  });
});

describe("reading a spilled file", () => {
  const name = "r012345678.txt";
  for (const input of [
    { filePath: `${RESULTS}/${name}` },
    { command: "cat .opencode/tool-results/3f2a0c1e-0000-8000-8000-000000000000.txt" },
    { command: `cd .opencode/tool-results && head -9000 ${name}` },
    { command: "cat .opencode/tool-results/*" },
    { path: RESULTS, include: name, pattern: "x" },
  ]) {
    it(`never spills: ${JSON.stringify(input).slice(1, 60)}`, async () => {
      const world = await openWorld();
      const reading = call("read", large, { state: { input } });
      expect(await onlyOutput(world, [user("go"), answer([reading])])).toBe(large);
      expect(world.results()).toEqual([]);
    });
  }

  it("reading a spilled file with Grep works by the file's own path, in which the host would find nothing because git ignores it", async () => {
    const { strata } = await openWorld();
    const grep = { tool: "grep", sessionID: "ses_1", callID: "call_1" };
    const ask = (tool: string, path: string) =>
      strata.dispatcher.ask("toolArguments", { ...grep, tool }, { pattern: "x", path });
    const corrected = { pattern: "x", path: RESULTS, include: name };
    expect(await ask("grep", `${RESULTS}/${name}`)).toEqual(corrected);
    expect(await ask("grep", `.opencode/tool-results/${name}`)).toEqual(corrected);
    for (const other of [`${PROJECT}/src/${name}`, `${RESULTS}/notes.txt`, RESULTS]) {
      expect(await ask("grep", other)).toEqual({ pattern: "x", path: other });
    }
    expect(await ask("other", `${RESULTS}/${name}`)).toEqual({ pattern: "x", path: `${RESULTS}/${name}` });
  });
});

it("results that are left alone are running, aborted and pruned calls, empty texts, and calls without a time", async () => {
  const world = await openWorld();
  const parts = [
    call("bash", large, { state: { status: "running" } }),
    call("bash", large, { state: { time: { start: 1, end: 2, compacted: 3 } } }),
    call("bash", ""),
    { ...call("bash", large), state: { status: "completed", output: large } },
    { ...call("bash", large), state: { status: "completed", output: 7 as unknown as string } },
  ];
  const messages = [user(large), answer(parts)];
  expect(await world.request(messages)).toBe(messages);
});

it("the files that the context names are written again when somebody has deleted them", async () => {
  const world = await openWorld();
  const messages = [user("go"), answer([call("bash", large)])];
  const preview = await onlyOutput(world, messages);
  world.files.contents.delete(pathIn(preview));
  const again = await world.restart();
  expect(await onlyOutput(again, messages)).toBe(preview);
  expect(world.files.text(pathIn(preview))).toBe(large);
  expect(await again.log()).toContain("was missing and has been restored from the host's copy");
});
