/** Backup and restore: files come back byte for byte, and no existing file is lost. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpackBackup } from "../../src/cli/upkeep/backup-archive.js";
import { planEntry } from "../../src/cli/upkeep/restore-backup.js";
import { GLOBAL, PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { openSound } from "../support/sound-project.js";

const FILE = "/backup.jsonl.gz";
const OPENCODE = `${PROJECT}/.opencode`;

async function openFull(): Promise<MemoryFiles> {
  const files = await openSound();
  await runStrata(files, "remember --global --type preference answers in English");
  await files.writeWhole(`${OPENCODE}/session-memory/ses_1.md`, "# Notes\n");
  await files.writeWhole(`${OPENCODE}/tool-results/${"a".repeat(32)}.txt`, new Uint8Array([255, 0, 10, 128]));
  await files.writeWhole(`${OPENCODE}/strata/savings/ses_1.jsonl`, '{"v":1}\n');
  await files.writeWhole(`${OPENCODE}/strata/state/x.lock`, "held");
  await files.writeWhole(`${OPENCODE}/strata/state/instances/a.json`, "{}");
  await files.writeWhole(`${OPENCODE}/notes-of-mine.md`, "not of Strata");
  return files;
}
/** The same disk after `.opencode` and the global memories are gone. */
async function lose(files: MemoryFiles): Promise<MemoryFiles> {
  const left = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  await left.writeWhole(FILE, files.contents.get(FILE) ?? "");
  return left;
}
const valued = (path: string): boolean =>
  (path.startsWith(`${OPENCODE}/`) || path.startsWith(`${GLOBAL}/memory/`)) &&
  /\/(memory|session-memory|tool-results|savings)\//.test(path) &&
  !/\/state\/|MEMORY\.md$/.test(path);
const hexOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("hex");
const namesIn = (files: MemoryFiles): string[] =>
  gunzipSync(files.contents.get(FILE) ?? "")
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).path)
    .filter((path) => path !== undefined);

describe("strata backup", () => {
  it("a backup brings back every memory, note and result byte for byte", async () => {
    const files = await openFull();
    const { code, out } = await runStrata(files, `backup ${FILE}`);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Backed up and verified: \d+ files, /)]);
    const left = await lose(files);
    expect((await runStrata(left, `backup restore ${FILE} --global`)).code).toBe(0);
    for (const [path, bytes] of files.contents)
      if (valued(path)) expect([path, hexOf(left.contents.get(path))]).toEqual([path, hexOf(bytes)]);
    expect((await runStrata(left, "show 8080")).out).toContain("port 8080");
    expect((await runStrata(left, "check")).code).toBe(0);
  });

  it("a backup leaves out locks, files of running processes and files that are not Strata's", async () => {
    const files = await openFull();
    await runStrata(files, `backup ${FILE}`);
    const names = namesIn(files);
    expect(names).toContain(".opencode/memory/decision/server-listens-port-8080.md");
    expect(names).toContain(".opencode/memory/private/preference/short-answers.md");
    expect(names.filter((name) => /lock|instances|notes-of-mine|strata\.log/.test(name))).toEqual([]);
  });

  it("a backup replaces no file without --force, and warns inside the project", async () => {
    const files = await openFull();
    await files.writeWhole(FILE, "mine");
    expect((await runStrata(files, `backup ${FILE}`)).code).toBe(3);
    expect(files.text(FILE)).toBe("mine");
    expect((await runStrata(files, `backup ${FILE} --force`)).code).toBe(0);
    const inside = await runStrata(files, "backup here.jsonl.gz");
    expect([inside.code, inside.err]).toEqual([0, expect.stringContaining("keep it out of git")]);
  });
});

describe("strata backup restore", () => {
  it("restore keeps files that differ or are new, and replaces them only with --force", async () => {
    const files = await openFull();
    await runStrata(files, `backup ${FILE}`);
    const notes = `${OPENCODE}/session-memory/ses_1.md`;
    await files.writeWhole(notes, "# Newer\n");
    await files.writeWhole(`${OPENCODE}/session-memory/ses_2.md`, "# New\n");
    const kept = await runStrata(files, `backup restore ${FILE}`);
    expect([kept.code, kept.err]).toEqual([1, expect.stringContaining("session-memory/ses_1.md differs")]);
    expect(files.text(notes)).toBe("# Newer\n");
    expect((await runStrata(files, `backup restore ${FILE} --force`)).code).toBe(0);
    expect(files.text(notes)).toBe("# Notes\n");
    expect(files.text(`${OPENCODE}/session-memory/ses_2.md`)).toBe("# New\n");
  });

  it("restore --dry-run lists files and writes nothing; without --global it touches no global memory", async () => {
    const files = await openFull();
    await runStrata(files, `backup ${FILE}`);
    const left = await lose(files);
    const before = new Map(left.contents);
    const dry = await runStrata(left, `backup restore ${FILE} --dry-run`);
    expect(dry.out).toMatch(/Would restore: \d+ files, \d+ hold in every project; --global includes them/);
    expect(left.contents).toEqual(before);
    await runStrata(left, `backup restore ${FILE}`);
    expect(
      [...left.contents.keys()].filter((path) => path.startsWith(`${GLOBAL}/memory/preference`)),
    ).toEqual([]);
  });

  it("restore leaves a memory that was archived since in the archive, and says so", async () => {
    const files = await openFull();
    await runStrata(files, `backup ${FILE}`);
    await runStrata(files, "memory archive decision/server-listens-port-8080");
    const path = `${OPENCODE}/memory/decision/server-listens-port-8080.md`;
    for (const flags of ["", "--force"]) {
      const { code, err } = await runStrata(files, `backup restore ${FILE} ${flags}`);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining("server-listens-port-8080.md is archived here"),
      ]);
      expect(files.contents.has(path)).toBe(false);
    }
    expect((await runStrata(files, "check")).out).not.toContain("same id");
  });

  const head = { strata: "backup", v: 1 };
  const entry = { root: "project", path: ".opencode/memory/idea/x.md", sha256: "", text: "x" };
  const pack = (...lines: object[]): Buffer =>
    gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  it.each<[string, Uint8Array | string]>([
    ["is no backup", "text"],
    ["is cut off", pack(head)],
    ["has a wrong hash", pack(head, entry, { end: true, files: 1 })],
    ["lacks a file", pack(head, { end: true, files: 2 })],
    ["is of a later version", pack({ ...head, v: 2 }, { end: true, files: 0 })],
  ])("restore of a file that %s fails and writes nothing", async (_, contents) => {
    const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", [FILE]: contents });
    const before = new Map(files.contents);
    const { code, err } = await runStrata(files, `backup restore ${FILE}`);
    expect([code, err]).toEqual([3, expect.stringMatching(/nothing was restored$/)]);
    expect(files.contents).toEqual(before);
  });

  it.each([
    "../../home/me/.bashrc",
    ".opencode/memory/../../.git/config",
    ".opencode/memory/idea/..",
    ".git/hooks/post-commit",
    "/etc/passwd",
    ".opencode/plugin/evil.js",
  ])("restore refuses a backup that names %s", async (path) => {
    const sha256 = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    const archive = pack(head, { ...entry, path, sha256 }, { end: true, files: 1 });
    const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", [FILE]: archive });
    const before = new Map(files.contents);
    const { code, err } = await runStrata(files, `backup restore ${FILE}`);
    expect([code, err]).toEqual([3, expect.stringContaining("which Strata does not write")]);
    expect(files.contents).toEqual(before);
  });
});

it("a long line is joined once, not again with each piece", async () => {
  const contents = Buffer.alloc(25_000_000, 97);
  const sha256 = createHash("sha256").update(contents).digest("hex");
  const path = ".opencode/tool-results/a.txt";
  const lines = [
    { strata: "backup", v: 1 },
    { root: "project", path, sha256, text: contents.toString() },
    { end: true, files: 1 },
  ];
  const archive = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { level: 1 });
  const read: number[] = [];
  for await (const entry of unpackBackup(archive)) read.push(entry.contents.length);
  expect(read).toEqual([contents.length]);
});

it("the longer of two line files wins if it continues the other", () => {
  const plan = (backup: string, now: string) =>
    planEntry({ path: "ledger/a.jsonl", contents: Buffer.from(backup) }, Buffer.from(now), false);
  expect(plan("a\nb\n", "a\n")).toBe("replace");
  expect(plan("a\n", "a\nb\n")).toBe("same");
  expect(plan("a\n", "b\n")).toBe("keep");
});
