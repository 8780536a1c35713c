/** Machine state that this machine has not written: a clone or an archive may bring some. */
import { expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { readDreamState } from "../../src/project/dream-state.js";
import { planFolders } from "../../src/project/folders.js";
import { openOwn } from "../../src/project/own.js";
import { rules } from "../support/disk-rules.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeHost, PROJECT, STATE } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { ownState, recordOf, STATE_FOLDER as S } from "../support/own-project.js";
import { runStrata } from "../support/shell.js";

const A = "11111111-2222-4333-8444-555555555555";
const FOLDERS = planFolders(rules.toNative(PROJECT));

/** What all sessions share: it becomes words or actions. */
const shared: [path: string, contents: string][] = [
  [`${S}/background/2026-11-21.jsonl`, '{"v":1,"kind":"reserved","id":"a","tokens":200000}'],
  [`${S}/instances/deadbeef.json`, '{"v":1,"id":"deadbeef"}'],
  [`${S}/leases.json`, '{"v":1,"leases":[]}'],
  [`${S}/leases.json.lock`, "{}"],
  [`${S}/calls/deadbeef.json`, '{"v":1}'],
  [`${S}/extraction/learned.jsonl`, '{"v":1,"said":"0a1b"}'],
  [`${S}/dream.json`, '{"v":1,"days":["2026-01-01"],"spared":["x"],"lastSuccessMs":9e15,"failures":9}'],
  [`${S}/dream.lock`, "{}"],
  [`${S}/what-a-later-version-shares.json`, "{}"],
];
/** What goes by the id of a session, and what memories look after themselves. */
const kept: [path: string, contents: string][] = [
  [`${S}/decisions/2026-11-21.jsonl`, '{"v":1}'],
  [`${S}/breakers/ses_1.json`, '{"open":"it failed"}'],
  [`${S}/extraction/ses_1.json`, '{"v":1}'],
  [`${S}/mail/ses_1.jsonl`, '{"v":1}'],
  [`${S}/memory/clone`, "0a1b2c3d"],
];

function open(
  files: MemoryFiles = createMemoryFiles(),
  wrap: (files: Files) => Files = (inner) => inner,
  host = createFakeHost(),
) {
  const log = createFakeLog();
  const clock = createFakeClock();
  const own = openOwn({
    clock,
    files: wrap(files),
    log,
    folders: FOLDERS,
    host,
    instance: "a",
  });
  return { own, log, clock, files };
}

const worldOf = (...entries: [path: string, contents: string][]): MemoryFiles =>
  createMemoryFiles(Object.fromEntries(entries));
const asideOf = (path: string): string => path.replace("/state/", "/state.foreign-1/");

it.each([
  ["without an owner", []],
  ["with another machine's", [[`${S}/owner`, `${A}\n`] as [string, string]]],
])("what is shared %s is not read, and not lost; what goes by session stays", async (_, owner) => {
  const { files, own } = open(worldOf(...shared, ...kept, ...owner));
  for (const [path, contents] of shared) {
    const read = await own.files.read(path);
    expect(read && new TextDecoder().decode(read), path).not.toBe(contents);
    expect(files.text(asideOf(path))).toBe(contents);
  }
  for (const [path, contents] of kept)
    expect(new TextDecoder().decode(await own.files.read(path)), path).toBe(contents);
  expect(await readDreamState(own.files, FOLDERS.dreamState)).toMatchObject({ days: [], spared: [] });
});

it("machine state that came with a repository is set aside in one folder, once, with one line in the log, and is this machine's from then on", async () => {
  const { files, log, own } = open(worldOf(...shared, ...kept));
  expect(await own.files.list(FOLDERS.instances)).toEqual([]);
  await own.files.writeWhole(`${FOLDERS.instances}/a.json`, "{}");
  expect(log.lines.filter((line) => line.includes("state.foreign-1"))).toHaveLength(1);
  const again = open(files);
  expect(await again.own.files.list(FOLDERS.instances)).toEqual(["a.json"]);
  expect(again.log.lines).toEqual([]);
  expect([...files.contents.keys()].some((path) => path.includes("foreign-2"))).toBe(false);
});

it("machine state that came with a repository and cannot be set aside appears absent, and new state is written", async () => {
  const stuck = (inner: Files): Files => ({
    ...inner,
    rename: () => Promise.reject(new Error("EACCES")),
  });
  const { log, own } = open(worldOf(...shared), stuck);
  expect(await own.files.list(FOLDERS.instances)).toEqual([]);
  expect(await own.files.read(FOLDERS.leases)).toBeUndefined();
  await own.files.writeWhole(FOLDERS.leases, "[]");
  expect(log.lines).toEqual([expect.stringContaining("EACCES")]);
});

it("machine state of this machine is read as it is, after a restart and by the command line, and nothing is set aside", async () => {
  const first = open();
  for (const [path, contents] of shared) await first.own.files.writeWhole(path, contents);
  const { own, files, log } = open(first.files);
  for (const [path, contents] of shared)
    expect(new TextDecoder().decode(await own.files.read(path))).toBe(contents);
  expect((await runStrata(files, "status")).out).toContain("0 tokens left today");
  expect([...first.log.lines, ...log.lines]).toEqual([]);
});

it("machine state of this machine stays valid when the project is moved, but not in a copy of it", async () => {
  const files = worldOf(...shared);
  await ownState(files);
  const { owner } = await recordOf(files);
  const text = files.text(owner) ?? "";
  files.contents.set(owner, Buffer.from(text.replace(PROJECT, "/gone")));
  await files.rename(owner, `${STATE}/projects/${"0123".repeat(8)}/owner.json`);
  await files.writeWhole(`${STATE}/projects/${"0123".repeat(8)}/sessions.txt`, "ses_1\n");
  await files.writeWhole(`${STATE}/projects/${"0123".repeat(8)}/candidates.json`, "{}");
  const moved = open(files).own;
  expect(new TextDecoder().decode(await moved.files.read(FOLDERS.leases))).toBe('{"v":1,"leases":[]}');
  expect([...(await moved.sessions.filter(["ses_1"]))]).toEqual(["ses_1"]);
  expect(files.text((await moved.locateRecord()).candidates)).toBe("{}");

  const copied = worldOf(...shared);
  copied.contents.set(`${S}/owner`, Buffer.from(`${A}\n`));
  copied.contents.set("/original/x", Buffer.from(""));
  const original = JSON.stringify({ v: 1, id: A, path: "/original" });
  copied.contents.set(`${STATE}/projects/${"0123".repeat(8)}/owner.json`, Buffer.from(original));
  expect(await open(copied).own.files.read(FOLDERS.leases)).toBeUndefined();
});

it("machine state of this machine is used if the user's state folder is unusable, which is logged once", async () => {
  const broken = (inner: Files): Files => ({
    ...inner,
    read: (path) =>
      rules.tidy(path).startsWith(STATE) ? Promise.reject(new Error("EIO")) : inner.read(path),
  });
  const { log, own } = open(worldOf(...shared), broken);
  expect(await own.files.list(FOLDERS.instances)).toEqual(["deadbeef.json"]);
  expect(log.lines).toEqual([expect.stringContaining("EIO")]);
});

it("machine state that is not shared costs nothing: nothing is written, and nothing outside of the project is read", async () => {
  const files = worldOf(...kept);
  const before = new Map(files.contents);
  const refuse = (inner: Files): Files => ({
    ...inner,
    read: (path) =>
      rules.tidy(path).startsWith(STATE) ? Promise.reject(new Error("read")) : inner.read(path),
  });
  const { log, own } = open(files, refuse);
  expect(await own.files.list(FOLDERS.instances)).toEqual([]);
  expect(files.contents).toEqual(before);
  expect(log.lines).toEqual([]);
});
