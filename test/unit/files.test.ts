import { execFileSync } from "node:child_process";
import fs, { chmod, lstat, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { createDryFiles } from "../../src/io/dry-files.js";
import type { ReadOptions } from "../../src/io/files.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { DISK } from "../support/disk-rules.js";
import { describeFiles } from "../support/files-suite.js";
import { createMemoryFiles, systemError } from "../support/memory-files.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "strata-files-"));
  folders.push(folder);
  return folder;
}

describeFiles("the real file system", async () => ({ files: nodeFiles, folder: await openFolder() }));
describeFiles("the memory file system", async () => ({ files: createMemoryFiles(), folder: "/folder" }));
describeFiles(
  "the dry file system",
  async () => ({ files: createDryFiles(nodeFiles, systemClock), folder: await openFolder() }),
  { isDry: true },
);

it("dry files change nothing on the disk: what is written, moved, removed or touched is so for their reader only", async () => {
  const disk = createMemoryFiles({ "/a/one": "1", "/a/two": "2", "/a/log": "first" });
  const before = [...disk.contents];
  const dry = createDryFiles(disk, systemClock);
  await dry.writeWhole("/a/one", "changed");
  await dry.rename("/a/two", "/b/two");
  await dry.appendLine("/a/log", "second");
  await dry.create("/c/new", "new");
  await dry.touch("/a/log", 5);
  await dry.remove("/a/gone");
  await dry.rename("/c", "/d/c");
  const read = async (path: string) => Buffer.from((await dry.read(path)) ?? []).toString();
  expect(await Promise.all(["/a/one", "/b/two", "/a/log", "/d/c/new"].map(read))).toEqual([
    "changed",
    "2",
    "first\nsecond\n",
    "new",
  ]);
  expect([await dry.list("/a"), await dry.list("/b"), await dry.stat("/a/two")]).toEqual([
    ["log", "one"],
    ["two"],
    undefined,
  ]);
  expect([...disk.contents]).toEqual(before);
});

it("what another program has open for a moment is replaced and removed all the same on Windows", async () => {
  const path = join(await openFolder(), "x");
  const { rename, rm: remove } = fs;
  let refusals = 0;
  const refuseTwice =
    <Given extends unknown[]>(action: (...given: Given) => Promise<void>) =>
    async (...given: Given) => {
      if (refusals-- > 0) throw systemError("EPERM", path);
      await action(...given);
    };
  Object.assign(fs, { rename: refuseTwice(rename), rm: refuseTwice(remove) });
  syncBuiltinESMExports();
  try {
    for (const change of [() => nodeFiles.writeWhole(path, "x"), () => nodeFiles.remove(path)]) {
      refusals = 2;
      const changed = change().then(
        () => "changed",
        (thrown) => thrown.code,
      );
      // Elsewhere the error means what it says, and nobody waits.
      expect(await changed).toBe(DISK === "windows" ? "changed" : "EPERM");
    }
  } finally {
    Object.assign(fs, { rename, rm: remove });
    syncBuiltinESMExports();
  }
});

it("files are readable by their owner only", async () => {
  const folder = await openFolder();
  await nodeFiles.writeWhole(join(folder, "whole"), "x");
  await nodeFiles.appendLine(join(folder, "lines"), "x");
  expect((await stat(join(folder, "whole"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "lines"))).mode & 0o777).toBe(0o600);
});

it("a file that is not ours keeps its mode, and a new one gets the system's default", async () => {
  const path = join(await openFolder(), "opencode.json");
  await nodeFiles.writeWhole(path, "x", { mode: "kept" });
  const usual = 0o666 & ~process.umask();
  expect((await stat(path)).mode & 0o777).toBe(usual);
  await chmod(path, 0o640);
  await nodeFiles.writeWhole(path, "y", { mode: "kept" });
  expect((await stat(path)).mode & 0o777).toBe(0o640);
});

it("a link in place of a file is not written through", async () => {
  const folder = await openFolder();
  await nodeFiles.writeWhole(join(folder, "theirs"), "precious");
  await symlink(join(folder, "theirs"), join(folder, "ours.log"));
  await expect(nodeFiles.appendLine(join(folder, "ours.log"), "x")).rejects.toMatchObject({ code: "ELOOP" });
  expect(Buffer.from((await nodeFiles.read(join(folder, "theirs"))) ?? []).toString()).toBe("precious");
});

it.skipIf(process.platform === "win32")(
  "a pipe in place of a file of ours keeps nobody waiting",
  async () => {
    const path = join(await openFolder(), "ours.log");
    execFileSync("mkfifo", [path]);
    expect(await nodeFiles.read(path, { links: "refused" })).toHaveLength(0);
    await expect(nodeFiles.appendLine(path, "x")).rejects.toMatchObject({ code: "ENXIO" });
  },
);

it("a folder in place of a file is named where it is read", async () => {
  const folder = await openFolder();
  await expect(nodeFiles.read(folder)).rejects.toThrow(folder);
  await expect(nodeFiles.readFrom(folder, 0)).rejects.toThrow(folder);
});

it("a whole file replaces a link, and predicting the temporary name gains nothing", async () => {
  const folder = await openFolder();
  const theirs = join(folder, "theirs");
  await nodeFiles.writeWhole(theirs, "precious");
  await symlink(theirs, join(folder, "ours.json"));
  await nodeFiles.writeWhole(join(folder, "ours.json"), "ours");
  expect((await lstat(join(folder, "ours.json"))).isFile()).toBe(true);
  await symlink(theirs, join(folder, "link"));
  await nodeFiles.touch(join(folder, "link"), 1_700_000_000_000);
  expect((await stat(theirs)).mtimeMs).not.toBe(1_700_000_000_000);
  expect(await nodeFiles.create(join(folder, "link"), "ours")).toBe(false);
  for (const read of [
    nodeFiles.read,
    (path: string, options?: ReadOptions) => nodeFiles.readFrom(path, 0, options),
  ]) {
    await expect(read(join(folder, "link"), { links: "refused" })).rejects.toMatchObject({ code: "ELOOP" });
    expect(Buffer.from((await read(join(folder, "link"))) ?? []).toString()).toBe("precious");
  }
  expect(Buffer.from((await nodeFiles.read(theirs)) ?? []).toString()).toBe("precious");
});

it("a link in place of a file that is not ours is followed, and stays", async () => {
  const folder = await openFolder();
  await nodeFiles.writeWhole(join(folder, "dotfiles", "opencode.json"), "{}");
  await chmod(join(folder, "dotfiles", "opencode.json"), 0o640);
  await symlink(join(folder, "dotfiles", "opencode.json"), join(folder, "opencode.json"));
  await nodeFiles.writeWhole(join(folder, "opencode.json"), "{ }", { mode: "kept" });
  expect((await lstat(join(folder, "opencode.json"))).isSymbolicLink()).toBe(true);
  expect((await stat(join(folder, "dotfiles", "opencode.json"))).mode & 0o777).toBe(0o640);
  expect(Buffer.from((await nodeFiles.read(join(folder, "opencode.json"))) ?? []).toString()).toBe("{ }");
  expect(await nodeFiles.list(join(folder, "dotfiles"))).toEqual(["opencode.json"]);
});

it("the last of several concurrent writes of one file wins", async () => {
  const path = join(await openFolder(), "x");
  const texts = Array.from({ length: 50 }, (_, n) => "x".repeat((50 - n) * 10_000) + n);
  await Promise.all(texts.map((text) => nodeFiles.writeWhole(path, text)));
  expect(Buffer.from((await nodeFiles.read(path)) ?? []).toString()).toBe(texts.at(-1));
});

it("lines appended concurrently all arrive whole", async () => {
  const path = join(await openFolder(), "events.jsonl");
  const written = Array.from({ length: 200 }, (_, index) => `{"n":${index},"text":"${"x".repeat(500)}"}`);
  await Promise.all(written.map((line) => nodeFiles.appendLine(path, line)));
  const read = Buffer.from((await nodeFiles.read(path)) ?? [])
    .toString()
    .trimEnd()
    .split("\n");
  expect(read.sort()).toEqual(written.sort());
});
