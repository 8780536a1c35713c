/** Backup and restore: files come back byte for byte, and no existing file is lost. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { GLOBAL, PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { openRepository, openSound } from "../support/sound-project.js";

const FILE = "/backup.jsonl.gz";
const OPENCODE = `${PROJECT}/.opencode`;
const NOTES = `${OPENCODE}/session-memory/ses_1.md`;
const RECORDS = `${OPENCODE}/strata/savings/ses_1.jsonl`;

/** A project with a backup of all that Strata has written. */
async function openBackedUp(): Promise<MemoryFiles> {
  const files = await openSound();
  await runStrata(files, "remember --global --type preference answers in English");
  await files.writeWhole(NOTES, "# Notes\n");
  await files.writeWhole(`${OPENCODE}/tool-results/${"a".repeat(32)}.txt`, new Uint8Array([255, 0, 10, 128]));
  await files.writeWhole(RECORDS, '{"v":1}\n');
  await files.writeWhole(`${OPENCODE}/strata/state/x.lock`, "held");
  await files.writeWhole(`${OPENCODE}/strata/state/instances/a.json`, "{}");
  await files.writeWhole(`${OPENCODE}/notes-of-mine.md`, "not of Strata");
  const { code, out } = await runStrata(files, `backup ${FILE}`);
  expect([code, out]).toEqual([0, expect.stringMatching(/^Backed up and verified: \d+ files, /)]);
  return files;
}

/** The same disk after `.opencode` and the global memories are gone. */
async function lose(files: MemoryFiles): Promise<MemoryFiles> {
  const left = openRepository();
  await left.writeWhole(FILE, files.contents.get(FILE) ?? "");
  return left;
}

describe("strata backup", () => {
  it("brings back every memory, note and result byte for byte", async () => {
    const files = await openBackedUp();
    const left = await lose(files);
    expect((await runStrata(left, `backup restore ${FILE} --global`)).code).toBe(0);
    const isValued = (path: string): boolean =>
      (path.startsWith(`${OPENCODE}/`) || path.startsWith(`${GLOBAL}/memory/`)) &&
      /\/(memory|session-memory|tool-results|savings)\//.test(path) &&
      !/\/state\/|MEMORY\.md$/.test(path);
    for (const [path, bytes] of files.contents)
      if (isValued(path)) expect(Buffer.from(left.contents.get(path) ?? "").equals(bytes), path).toBe(true);
    expect((await runStrata(left, "show 8080")).out).toContain("port 8080");
    expect((await runStrata(left, "check")).code).toBe(0);
  });

  it("leaves out locks, files of running processes and files that are not Strata's", async () => {
    const files = await openBackedUp();
    const names = gunzipSync(files.contents.get(FILE) ?? "").toString();
    expect(names).toContain(".opencode/memory/decision/server-listens-port-8080.md");
    expect(names).toContain(".opencode/memory/private/preference/short-answers.md");
    expect(names).not.toMatch(/"path":"[^"]*(lock|instances|notes-of-mine|strata\.log)/);
  });

  it("replaces no file without --force, and warns inside the project", async () => {
    const files = await openSound();
    await files.writeWhole(FILE, "mine");
    expect((await runStrata(files, `backup ${FILE}`)).code).toBe(3);
    expect(files.text(FILE)).toBe("mine");
    expect((await runStrata(files, `backup ${FILE} --force`)).code).toBe(0);
    const inside = await runStrata(files, "backup here.jsonl.gz");
    expect([inside.code, inside.err]).toEqual([0, expect.stringContaining("keep it out of git")]);
  });
});

describe("strata backup restore", () => {
  it("keeps files that differ or are new, and replaces them only with --force", async () => {
    const files = await openBackedUp();
    await files.writeWhole(NOTES, "# Newer\n");
    await files.writeWhole(`${OPENCODE}/session-memory/ses_2.md`, "# New\n");
    const kept = await runStrata(files, `backup restore ${FILE}`);
    expect([kept.code, kept.err]).toEqual([1, expect.stringContaining("session-memory/ses_1.md differs")]);
    expect(files.text(NOTES)).toBe("# Newer\n");
    expect((await runStrata(files, `backup restore ${FILE} --force`)).code).toBe(0);
    expect(files.text(NOTES)).toBe("# Notes\n");
    expect(files.text(`${OPENCODE}/session-memory/ses_2.md`)).toBe("# New\n");
  });

  it.each([
    ['{"v":1}\n{"v":2}\n', "--force", '{"v":1}\n{"v":2}\n'],
    ["", "", '{"v":1}\n'],
    ['{"v":2}\n', "", '{"v":2}\n'],
  ])(
    "of a line file that is now %j gives the longer one if it continues the other",
    async (now, flags, after) => {
      const files = await openBackedUp();
      await files.writeWhole(RECORDS, now);
      await runStrata(files, `backup restore ${FILE} ${flags}`);
      expect(files.text(RECORDS)).toBe(after);
    },
  );

  it("with --dry-run lists files and writes nothing; without --global it touches no global memory", async () => {
    const left = await lose(await openBackedUp());
    const before = new Map(left.contents);
    const dry = await runStrata(left, `backup restore ${FILE} --dry-run`);
    expect(dry.out).toMatch(/Would restore: \d+ files, \d+ are global; --global includes them/);
    expect(left.contents).toEqual(before);
    await runStrata(left, `backup restore ${FILE}`);
    expect([...left.contents.keys()].join("\n")).not.toContain(`${GLOBAL}/memory/preference`);
  });

  it("leaves a memory that was archived since in the archive, and says so", async () => {
    const files = await openBackedUp();
    await runStrata(files, "memory archive decision/server-listens-port-8080");
    const { code, err } = await runStrata(files, `backup restore ${FILE} --force`);
    expect([code, err]).toEqual([1, expect.stringContaining("server-listens-port-8080.md is archived here")]);
    expect(files.contents.has(`${OPENCODE}/memory/decision/server-listens-port-8080.md`)).toBe(false);
  });

  const head = { strata: "backup", v: 1 };
  const entry = { root: "project", path: ".opencode/memory/idea/x.md", sha256: "", text: "x" };
  const sha256 = createHash("sha256").update("x").digest("hex");
  const pack = (...lines: object[]): Buffer =>
    gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

  it.each<[string, Uint8Array | string, RegExp]>([
    ["is no backup", "text", /nothing was restored$/],
    ["is cut off", pack(head), /nothing was restored$/],
    ["has a wrong hash", pack(head, entry, { end: true, files: 1 }), /nothing was restored$/],
    ["lacks a file", pack(head, { end: true, files: 2 }), /nothing was restored$/],
    ["is of a later version", pack({ ...head, v: 2 }, { end: true, files: 0 }), /nothing was restored$/],
    ...[
      "../../home/me/.bashrc",
      ".opencode/memory/../../.git/config",
      ".git/hooks/post-commit",
      "/etc/passwd",
      ".opencode/plugin/evil.js",
    ].map((path): [string, Uint8Array, RegExp] => [
      `names ${path}`,
      pack(head, { ...entry, path, sha256 }, { end: true, files: 1 }),
      /which Strata does not write/,
    ]),
  ])("of a file that %s fails and writes nothing", async (_, contents, says) => {
    const files = openRepository({ [FILE]: contents });
    const before = new Map(files.contents);
    const { code, err } = await runStrata(files, `backup restore ${FILE}`);
    expect([code, err]).toEqual([3, expect.stringMatching(says)]);
    expect(files.contents).toEqual(before);
  });
});
