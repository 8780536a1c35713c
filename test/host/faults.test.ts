/** What goes wrong around the plugin in the real OpenCode leaves the turn as it is without it, and a message. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { planFolders } from "../../src/project/folders.js";
import { readStatus } from "../../src/status/status.js";
import { defaults } from "../support/settings.js";
import { layeredPlugin } from "./fixtures/layered-plugin.js";
import { only1 } from "./only-1.js";
import { whenContains } from "./stage/files.js";
import type { Project } from "./stage/project.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, calls, say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";

const log = (stage: Stage): string => stage.read(".opencode/strata/strata.log");
const big = (id: string) => call("mcp_blob", { bytes: 45_000 }, { id });

test("a file in the place of .opencode/tool-results leaves the originals in the context, and the log says why", async () => {
  await using stage = await openStage({ mcp: true, files: { ".opencode/tool-results": "a file" } });
  stage.model.script(big("big"), say("done"));
  const turn = await (await stage.newSession("file")).ask("go");
  expect(turn.text).toBe("done");
  expect(stage.model.lastRequest().toolResult("big")).toHaveLength(45_000);
  await whenContains(
    stage.project.file(".opencode/strata/strata.log"),
    "ERROR tool-results  cannot move a mcp_blob result of 45,000 bytes; it stays",
  );
});

const FULL =
  "a full disk leaves originals in the context for good, and later results are moved when there is room";
test(FULL, () => playFull());

only1("plugins cannot write into its log")(`${FULL}, and the host's log says why`, () =>
  playFull(async (stage) => {
    // The log is written behind the turn; with room again nothing would fail.
    const why = /cannot write .*strata\.log \((ENOSPC|EACCES)/;
    await expect.poll(() => stage.host.log(), { timeout: HOST === 1 ? 20_000 : 2_000 }).toMatch(why);
  }),
);

async function playFull(whileFull: (stage: Stage) => Promise<void> = async () => {}): Promise<void> {
  // Before the host opens the project, which may write its log at once.
  let mounted: Disk | undefined;
  const prepare = ({ file }: Project) => {
    mounted = mountTinyDisk(file(".opencode"));
  };
  await using stage = await openStage({ mcp: true, files: { "README.md": "x" }, prepare });
  if (!mounted) throw new Error("no disk was mounted");
  await using disk = mounted;
  stage.model.script(big("one"), say("done"));
  const session = await stage.newSession("full");
  const ownLog = stage.project.file(".opencode/strata/strata.log");
  await whenContains(ownLog, "opencode-strata");
  disk.fill(ownLog);
  await session.ask("go");
  expect(stage.model.lastRequest().toolResult("one")).toHaveLength(45_000);
  await whileFull(stage);
  disk.empty();
  stage.model.script(big("two"), say("done"));
  await session.ask("go on");
  expect(stage.model.lastRequest().toolResult("one")).toHaveLength(45_000);
  expect(stage.model.lastRequest().toolResult("two")).toContain("[Strata]");
}

test("corrupt records of decisions and of the ledger are passed over with a message, and the prefix still holds", async () => {
  await using stage = await openStage({ mcp: true });
  stage.model.script(calls(big("one"), call("mcp_blob", { bytes: 52_000 }, { id: "two" })), say("done"));
  const session = await stage.newSession("corrupt");
  await session.ask("go");
  const before = stage.model.lastRequest().toolResults();
  const ledger = `.opencode/strata/savings/${session.id}.jsonl`;
  await whenContains(stage.project.file(ledger), '"callID":"two"');
  await stage.restart({
    meanwhile({ file }) {
      const folder = file(".opencode/strata/state/decisions");
      for (const path of [...readdirSync(folder).map((name) => join(folder, name)), file(ledger)]) {
        const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
        writeFileSync(path, [first.slice(0, first.length / 2), ...rest].join("\n"));
      }
    },
  });
  stage.model.script(say("done"));
  await stage.session(session.id).ask("go on");
  expect(stage.model.lastRequest().toolResults()).toEqual(before);
  expect(log(stage)).toMatch(/WARN {2}decisions +.*: line 1 cannot be read/);
  const seams = { files: nodeFiles, clock: systemClock };
  const status = await readStatus(seams, planFolders(stage.project.path), structuredClone(defaults), []);
  expect(status.problems.join()).toContain("line 1 cannot be read");
});

test("layers that throw, hang, answer garbage or never settle are passed over and named once; the turn ends as without them", async () => {
  await using stage = await openStage({
    plugin: [],
    mcp: true,
    files: { ".opencode/plugin/faulty.js": faultyPlugin() },
  });
  stage.model.script(big("big"), say("one"), say("two"));
  const session = await stage.newSession("faulty");
  expect((await session.ask("go")).text).toBe("one");
  expect((await session.ask("go on")).text).toBe("two");
  expect(stage.model.lastRequest().toolResult("big")).toContain("[Strata]");
  for (const name of ["throws", "garbage", "never-settles", "empties"]) {
    expect(
      log(stage).match(new RegExp(`ERROR dispatcher +layer ${name} at hook context`, "g")),
      name,
    ).toHaveLength(1);
  }
});

/** The plugin with four bad layers in front of its own. */
const faultyPlugin = (): string =>
  layeredPlugin({
    id: "faulty",
    code: `
const bad = (name, context) => ({ name, phase: "before", handlers: { context } });
const createLayers = () => [
  bad("throws", () => { throw new Error("boom"); }),
  bad("garbage", () => "garbage"),
  bad("empties", () => []),
  bad("never-settles", () => new Promise(() => {})),
];`,
  });

interface Disk extends AsyncDisposable {
  /** From now on nothing more can be written to it, not even to the rest of this file's last page. */
  fill(file: string): void;
  empty(): void;
}

/**
 * A file system of 256 KB in this place, that can be filled to the last byte. Where nobody may mount one, a folder
 * that can be closed to writing, and a line that says so.
 */
function mountTinyDisk(path: string): Disk {
  mkdirSync(path, { recursive: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", path], { encoding: "utf8" });
  if (mounted.status !== 0) {
    process.stdout.write(`no disk to fill (${mounted.stderr.trim()}); a read-only folder stands in for it\n`);
    const close = (mode: number) => () => chmodSync(path, mode);
    return { fill: close(0o555), empty: close(0o755), [Symbol.asyncDispose]: async () => close(0o755)() };
  }
  const ballast = join(path, "ballast");
  return {
    fill(file) {
      for (const size of [65_536, 4_096, 1]) writeUntilFull(ballast, size);
      writeUntilFull(file, 1);
    },
    empty: () => rmSync(ballast),
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["-l", path]);
    },
  };
}

function writeUntilFull(path: string, size: number): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
  }
}
