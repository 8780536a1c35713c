/** Instances, their edits, and the one spelling of a file. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPlaces, findConflicts } from "../../layers/7-across-agents/leases/edits.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { formatPage } from "../../src/io/state-file.js";
import { findChangedPaths } from "../../src/messages/call.js";
import {
  BEAT_MS,
  createInstances,
  type Instance,
  parseInstance,
  SILENT_MS,
} from "../../src/project/instances.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createFakeProcesses, identify } from "../support/fake-processes.js";
import { createMemoryFiles } from "../support/memory-files.js";

const other = (process: Instance["process"], heartbeat = new Date(MORNING).toISOString()): Instance => ({
  v: 1,
  id: "other",
  process,
  directory: "/project",
  started: heartbeat,
  heartbeat,
  sessions: [{ id: "ses_x", state: "busy" }],
});

function open() {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  const log = createFakeLog();
  const processes = createFakeProcesses();
  const folder = "/instances";
  const family = { knownParent: () => undefined };
  const put = (instance: Instance) => files.writeWhole(`${folder}/${instance.id}.json`, formatPage(instance));
  const make = () =>
    createInstances({
      clock,
      files,
      log,
      processes,
      folder,
      id: "own",
      directory: "/project",
      family,
    });
  return { clock, files, log, make, processes, put };
}

const idsOf = (living: readonly Instance[]) => living.map(({ id }) => id);

it("the liveness of an instance follows from its process if that is known, whatever clocks and heartbeats say", async () => {
  const { clock, make, processes, put } = open();
  await put(other(identify(7), "1999-01-01T00:00:00.000Z"));
  processes.running.add(7);
  const instances = make();
  for (const jump of [0, 365 * 86_400_000, -2 * 365 * 86_400_000]) {
    clock.advance(jump);
    expect(idsOf(await instances.living())).toEqual(["own", "other"]);
  }
  processes.running.delete(7);
  expect(idsOf(await instances.living())).toEqual(["own"]);
});

it("the liveness of an instance on another machine follows from its heartbeat", async () => {
  const { clock, make, put } = open();
  await put(other(identify(7, "there")));
  const instances = make();
  clock.advance(SILENT_MS - 1);
  expect(idsOf(await instances.living())).toEqual(["own", "other"]);
  clock.advance(1);
  expect(idsOf(await instances.living())).toEqual(["own"]);
});

it("the liveness of an instance is never read from an incomplete file, another version, or a name that leads elsewhere", async () => {
  const { files, make, put } = open();
  await files.writeWhole("/instances/half.json", formatPage(other(identify(1))).slice(0, 40));
  await files.writeWhole("/instances/later.json", '{"v":2}');
  await put({ ...other(identify(1)), id: "../../precious" });
  expect(idsOf(await make().living())).toEqual(["own"]);
  expect(parseInstance(formatPage(other(identify(1))))).toEqual(other(identify(1)));
});

it("an instance removes the file of a dead one", async () => {
  const { clock, files, log, make, put } = open();
  const instances = make();
  await instances.join();
  await put(other(identify(7)));
  clock.advance(BEAT_MS);
  await expect.poll(() => files.contents.has("/instances/other.json")).toBe(false);
  expect(log.lines.join()).toContain("instance other (process 7 on here) has ended");
});

it("an instance sends heartbeats, restores its file if it is deleted, and is gone for good after it has left", async () => {
  const { clock, files, make } = open();
  const instances = make();
  await instances.join();
  files.contents.clear();
  clock.advance(BEAT_MS);
  await expect.poll(() => files.text("/instances/own.json")).toContain("T09:00:30.000Z");
  await instances.leave();
  clock.advance(10 * BEAT_MS);
  await instances.refresh();
  expect(files.contents.size).toBe(0);
});

it("edits by a clock that was set back are no less recent; of each other instance the last one counts, after one's own", () => {
  const edit = { path: "a.ts", at: MORNING, session: "ses_x", call: "c" };
  const later = { ...edit, at: MORNING + 3_600_000 };
  const others = [{ ...other(identify(7)), edits: [edit, later, { ...later, path: "b.ts" }] }];
  const find = (sinceMs: number) =>
    findConflicts(others, { since: new Map([["a.ts", sinceMs]]), nowMs: MORNING });
  expect(find(0)).toEqual([{ path: "a.ts", instance: "other", session: "ses_x", at: later.at }]);
  expect(find(later.at)).toEqual([]);
});

it("edits name every file of a call: in a patch of either form, in several edits, and none for other tools", () => {
  const own =
    "*** Begin Patch\n*** Add File: a b.ts\n*** Update File: c.ts\n*** Move to: d.ts\n*** Delete File: e.ts";
  expect(findChangedPaths("apply_patch", { patchText: own })).toEqual(["a b.ts", "c.ts", "d.ts", "e.ts"]);
  const unified = "--- a/x.ts\n+++ b/y.ts\n@@\n--- /dev/null\n+++ b/z.ts";
  expect(findChangedPaths("patch", { diff: unified })).toEqual(["y.ts", "z.ts", "x.ts"]);
  expect(findChangedPaths("multiedit", { edits: [{ filePath: "a" }, null, { filePath: "b" }] })).toEqual([
    "a",
    "b",
  ]);
  expect(findChangedPaths("read", { filePath: "a" })).toEqual([]);
  expect(findChangedPaths("edit", { filePath: 5 })).toEqual([]);
});

describe("on a real disk", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "strata-instances-")));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("a file has one spelling, through links, from below, and before it is there", async () => {
    const project = join(folder, "project");
    await mkdir(join(project, "src/deep"), { recursive: true });
    await writeFile(join(project, "src/a.ts"), "");
    await symlink(join(project, "src"), join(project, "linked"));
    await symlink(project, join(folder, "same"));
    const { has, spell } = createPlaces({
      files: nodeFiles,
      project: join(folder, "same"),
      directory: join(project, "src/deep"),
    });
    const paths = ["../a.ts", join(project, "linked/a.ts"), join(folder, "same/linked/a.ts")];
    expect(await Promise.all(paths.map(spell))).toEqual(["src/a.ts", "src/a.ts", "src/a.ts"]);
    expect(await spell(join(project, "linked/new/file.ts"))).toBe("src/new/file.ts");
    expect(await spell("../../..")).toBe(folder);
    expect(await spell("../..")).toBe(".");
    expect([await has("../a.ts"), await has("../b.ts")]).toEqual([true, false]);
  });
});
