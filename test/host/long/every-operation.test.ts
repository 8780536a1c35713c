/** The files of the plugin fail, hang, or are none at all, in the real OpenCode: turns go on, and bytes stay. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { layeredPlugin } from "../fixtures/layered-plugin.js";
import { explainBreaks, readRecords } from "../stage/break-reasons.js";
import type { ModelRequest } from "../stage/model-request.js";
import { findBreaks } from "../stage/prefix-breaks.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, calls, say } from "../stage/steps.js";

const FAULT = ".opencode/fault.json";
const PLUGIN = ".opencode/plugin/disk.js";
/** A plugin of the project's own, so that one host does for all projects. */
/** While the file says so, every nth operation fails, or each one waits. */
const plugin = layeredPlugin({
  id: "disk",
  wrap: true,
  code: `
const place = new URL("../fault.json", import.meta.url);
const createLayers = () => [];
let count = 0;
function wrap(files) {
  const operate = (name, operation) => async (...args) => {
    const read = () => (fs.existsSync(place) ? JSON.parse(fs.readFileSync(place, "utf8")) : {});
    const { every } = read();
    if (read().hangs)
      await new Promise((resolve) => {
        const look = () => {
          if (read().hangs) return;
          watcher.close();
          resolve();
        };
        const watcher = fs.watch(new URL("../", import.meta.url), look);
        look();
      });
    if (every && ++count % every === 0)
      throw Object.assign(new Error("EIO: " + name + " " + args[0]), { code: "EIO" });
    return operation.apply(files, args);
  };
  return Object.fromEntries(Object.entries(files).map(([name, one]) => [name, typeof one === "function" ? operate(name, one) : one]));
}`,
});

const open = (fault?: object): Promise<Stage> =>
  openStage({
    plugin: [],
    mcp: true,
    files: {
      "a.txt": "one\n".repeat(2_000),
      [PLUGIN]: plugin,
      ...(fault && { [FAULT]: JSON.stringify(fault) }),
    },
  });

/** Two turns with all that makes the plugin read and write: results to move, rules, notes, memories. */
async function work(stage: Stage, session: Session, n: number): Promise<void> {
  const id = (name: string) => ({ id: `${name}_${n}` });
  stage.model.script(
    calls(
      call("mcp_blob", { bytes: 45_000 + n }, id("blob")),
      call("read", { filePath: stage.project.file("a.txt") }, id("read")),
    ),
    call(
      "memory_remember",
      { category: "decision", content: `Port ${8_000 + n} is the shop's.` },
      id("keep"),
    ),
    say("done"),
    say("well"),
  );
  expect(await session.ask(`Always use pnpm. Task ${n}.`)).toMatchObject({ text: "done" });
  expect(await session.ask("And then?")).toMatchObject({ text: "well" });
}

/** Each call has its result behind it, once. */
function expectPaired(requests: readonly ModelRequest[]): void {
  for (const { messages } of requests) {
    const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    const answered = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
    expect(answered).toEqual(asked);
  }
}

/** On a disk that works again, what had to stay whole may be moved; all else has the bytes from before. */
function expectReplacedStays(before: ModelRequest, after: ModelRequest): void {
  for (const [index, bytes] of before.messageBytes.entries()) {
    const isWholeResult = before.messages[index]?.role === "tool" && !bytes.includes("[Strata]");
    const now = after.messageBytes[index] ?? "";
    if (now !== bytes)
      expect([isWholeResult, now]).toEqual([true, expect.stringContaining("[Strata] This mcp_blob")]);
  }
}

const expectWhole = ({ model, project }: Stage): void => {
  expectPaired(model.requests);
  const breaks = explainBreaks(findBreaks(model.requests), readRecords(project.file(".opencode/strata")));
  expect(breaks.filter(({ reason }) => reason === undefined).map(({ request }) => request)).toEqual([]);
};

test.each([1, 3, 8])(
  "with every %i. file operation failing no turn fails, calls keep their results, and the bytes stay, after a restart but for results that the disk kept in",
  async (every) => {
    await using stage = await open({ every });
    const session = await stage.newSession("failing");
    await work(stage, session, 1);
    await work(stage, session, 2);
    expectWhole(stage);
    const before = stage.model.lastRequest();
    await stage.restart({ kill: true, meanwhile: ({ file }) => rmSync(file(FAULT)) });
    stage.model.script(say("again"));
    expect(await stage.session(session.id).ask("Go on.")).toMatchObject({ text: "again" });
    expectReplacedStays(before, stage.model.lastRequest());
    await work(stage, stage.session(session.id), 3);
    expectPaired(stage.model.requests);
    expect(stage.model.lastRequest().toolResult("blob_3")).toContain("[Strata]");
  },
);

test("while the disk does not answer turns go on with the same bytes, and results are moved again when it does", async () => {
  await using stage = await open();
  const session = await stage.newSession("hanging");
  await work(stage, session, 1);
  writeFileSync(stage.project.file(FAULT), JSON.stringify({ hangs: true }));
  await work(stage, session, 2);
  rmSync(stage.project.file(FAULT));
  await work(stage, session, 3);
  expectWhole(stage);
  expect(stage.model.lastRequest().toolResult("blob_3")).toContain("[Strata]");
});

test("pipes that nobody writes to in the place of our files delay no turn for ever", async () => {
  const day = new Date().toISOString().slice(0, 10);
  const pipes = [
    ".opencode/memory/MEMORY.md",
    ".opencode/memory/decision/port.md",
    ".opencode/strata/strata.log",
    `.opencode/strata/state/decisions/${day}.jsonl`,
  ];
  await using stage = await openStage({
    mcp: true,
    files: { "a.txt": "one\n".repeat(2_000) },
    prepare({ file }) {
      for (const path of pipes.map(file)) {
        mkdirSync(dirname(path), { recursive: true });
        execFileSync("mkfifo", [path]);
      }
    },
  });
  const session = await stage.newSession("pipes");
  await work(stage, session, 1);
  expectWhole(stage);
});
