/** Every command under bad conditions: no project, an empty one, a broken one, wrong arguments. */
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { readOptions } from "../../src/operations/command.js";
import { operations } from "../../src/operations/table.js";
import { damages } from "../support/damages.js";
import { PROJECT } from "../support/fake-host.js";
import { listBytes } from "../support/learning.js";
import { createMemoryFiles, type MemoryFiles, systemError } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { FOLDER, openRepository, openSound } from "../support/sound-project.js";

/** Arguments for the commands that need some. */
const given: Readonly<Record<string, string>> = {
  show: "8080",
  recall: "port",
  remember: "one more thing",
  "candidates keep": "3fa2b1",
  "candidates why": "8080",
  "candidates drop": "--all",
  "context drop": "r-3fa2b1c",
  "context pin": "r-3fa2b1c",
  "context unpin": "r-3fa2b1c",
  "context expand": "r-3fa2b1c",
  "memory pin": "8080",
  "memory unpin": "8080",
  "backup restore": "/none.gz",
  "sessions attach": "ses_1",
  "sessions forget": "--session ses_1",
  "agenda claim": "#34",
  "agenda release": "#34",
  "memory edit": "8080",
  "memory archive": "8080",
  "memory restore": "aside",
  "memory publish": "8080",
  "memory history": "8080",
  import: "/none.jsonl",
  "import markdown": "none.md",
  learn: "none.jsonl",
  backup: "/tmp/strata-backup.jsonl.gz",
  "sync init": "/none.git",
  completion: "bash",
  enrich: "#34",
  serve: "--check",
  doctor: "--no-proof",
};
const lines = commands.map(({ name }) => `${name} ${given[name] ?? ""}`.trim());
/** The commands that only read. */
const described = await Promise.all(
  commands.map(async (command) => ({ ...command, options: await readOptions(command) })),
);
const reading = described.filter(({ name, options, reads }) => {
  const isReading = options.some(([flags]) => flags === "--json") || name === "export";
  const isWriting = Object.values(operations).some(
    (one) => name.endsWith(one.name) && one.effect !== "reads",
  );
  return (
    reads ||
    (isReading && !isWriting && !options.some(([flags]) => flags === "--execute" || flags === "--dry-run"))
  );
});
const env = { EDITOR: "true", PATH: process.env.PATH ?? "" };

async function run(files: MemoryFiles, line: string, folder?: string) {
  const ran = await runStrata(files, line, { env, ...(folder !== undefined && { folder }) });
  expect([line, /\n +at |TypeError|undefined/.exec(ran.err)?.[0]]).toEqual([line, undefined]);
  return ran;
}

describe("every command", () => {
  it.each(lines)(
    "strata %s reports something in an empty project, and only reads if it is a reading command",
    async (line) => {
      const files = openRepository();
      const before = listBytes(files);
      const { code, err, out } = await run(files, line);
      expect([0, 1, 3]).toContain(code);
      expect(`${out}${err}` === "" ? line : "").toBe(line === "export" ? "export" : "");
      if (code === 3) expect(err).toMatch(/^strata: /);
      if (reading.some(({ name }) => line === `${name} ${given[name] ?? ""}`.trim()))
        expect(listBytes(files)).toEqual(before);
    },
  );

  it.each(lines.filter((line) => !/^(init|completion bash)$/.test(line)))(
    "strata %s fails outside of a project, says so, and changes nothing",
    async (line) => {
      const files = createMemoryFiles({ "/tmp/x/readme": "x" });
      const before = listBytes(files);
      const { code, err } = await run(files, line, "/tmp/x");
      expect([line, code]).toEqual([line, 3]);
      expect(err).toContain("/tmp/x is not in an OpenCode project");
      expect(listBytes(files)).toEqual(before);
    },
  );

  it.each([
    "remember one more thing",
    "archive 8080",
    "restore aside",
    "publish 8080",
    "import /m.jsonl",
    "ingest notes.md",
    "bootstrap",
    "learn said.jsonl",
    "undo",
    "init",
  ])("strata %s says why it fails on a read-only disk, and changes nothing", async (line) => {
    const files = await openSound();
    await files.writeWhole(`${PROJECT}/Makefile`, "test:\n");
    await files.writeWhole(`${PROJECT}/notes.md`, "# Notes\n\nto take in\n");
    const said = { id: "m", session: "s", text: "From now on always indent with tabs." };
    await files.writeWhole(`${PROJECT}/said.jsonl`, JSON.stringify(said));
    await files.writeWhole("/m.jsonl", JSON.stringify({ v: 1, id: "idea/x", contents: "x" }));
    await files.writeWhole(`${FOLDER}/private/.gitignore`, "*\n!preference/\n");
    const before = listBytes(files);
    const writing = new Set<PropertyKey>(["writeWhole", "create", "appendLine", "rename"]);
    const refuse = async (path: string) => {
      throw systemError("EROFS", path);
    };
    const readOnly = new Proxy(files, {
      get: (target, name) => (writing.has(name) ? refuse : Reflect.get(target, name)),
    });
    const { code, err } = await run(readOnly, line);
    expect([code === 0, err]).toEqual([false, expect.stringContaining("EROFS")]);
    expect(listBytes(files)).toEqual(before);
  });

  describe("on a broken project", () => {
    let broken: MemoryFiles;
    const apart = /ledger|without an owner|10 MB/;
    beforeAll(async () => {
      broken = await openSound();
      for (const { plant, what } of damages) if (!apart.test(what)) await plant(broken);
    });

    // To pin a memory is to change its file.
    it.each(lines.filter((line) => !/^memory (un)?pin/.test(line)))(
      "strata %s loses nothing of a broken project",
      async (line) => {
        const files = createMemoryFiles();
        for (const [path, bytes] of broken.contents) await files.writeWhole(path, bytes);
        for (const path of broken.links) files.links.add(path);
        const { code } = await run(files, line);
        expect([0, 1, 3]).toContain(code);
        // Every file that a person wrote is unchanged, here or in the archive.
        for (const [path, bytes] of broken.contents) {
          if (!/memory\/.*\.md$/.test(path) || path.endsWith("MEMORY.md")) continue;
          const there = [path, path.replace("/memory/", "/memory/archive/"), path.replace("/archive/", "/")];
          expect(
            there.some(
              (one) =>
                files.contents.get(one) && Buffer.compare(files.contents.get(one) ?? bytes, bytes) === 0,
            ),
            `${path} after strata ${line}`,
          ).toBe(true);
        }
      },
    );

    it("strata list, recall and show give what is intact in a broken project, and name the rest", async () => {
      const list = await run(broken, "list");
      expect(list.out).toMatch(/^idea\/a-second-idea/m);
      expect(list.err).toMatch(/decision\/broken\.md is not used and left as it is: /);
      expect([list.code, (await run(broken, "recall second idea")).out]).toEqual([
        1,
        expect.stringContaining("idea/a-second-idea"),
      ]);
      expect((await run(broken, "show a-second-idea")).code).toBe(0);
      expect((await run(broken, "export")).out).toContain('"idea/a-second-idea"');
    });
  });
});
