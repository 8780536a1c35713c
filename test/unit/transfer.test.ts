/** Memories from one project to another, and from the folders of other programs. */
import { describe, expect, it } from "vitest";
import { planImport } from "../../src/operations/transfer/import-memories.js";
import { PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { type Ran, runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

const FOLDER = `${PROJECT}/.opencode/memory`;
const GLOBAL = "/home/me/.config/opencode/memory";

/** The bytes of all memories, by their paths. */
function readAll(files: MemoryFiles, root = FOLDER): Record<string, string> {
  const found = [...files.contents].filter(
    ([path]) =>
      path.startsWith(`${root}/`) && /\/[a-z]+\/[^/]+\.md$/.test(path) && !path.endsWith("/MEMORY.md"),
  );
  return Object.fromEntries(found.map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]));
}

async function moveTo(target: MemoryFiles, exported: Ran, flags = ""): Promise<Ran> {
  await target.writeWhole("/elsewhere/m.jsonl", `${exported.out}\n`);
  return runStrata(target, `import /elsewhere/m.jsonl ${flags}`);
}

const odd = {
  [`${FOLDER}/decision/crlf.md`]: "\uFEFF---\r\ntitle: CRLF # why\r\nmine: {a: [1, 2]}\r\n---\r\nbody\r\n",
  [`${FOLDER}/decision/plain.md`]: "no fields, no newline at the end",
  [`${FOLDER}/decision/plain-2.md`]: "no fields, no newline at the end",
  [`${FOLDER}/idea/snow ☃.md`]: "---\ntags: [a]\n\n\n---\n\n\n# snow\u2028\n",
  [`${FOLDER}/archive/idea/snow ☃.md.md`]: "put aside",
  [`${FOLDER}/private/preference/tone.md`]: "short answers",
  [`${GLOBAL}/directive/never.md`]: "never push by force",
};

describe("strata export and import", () => {
  it("export and import copy memories byte for byte, private and global ones only when asked", async () => {
    const source = openRepository(odd);
    const before = new Map(source.contents);
    const exported = await runStrata(source, "export");
    expect(exported).toMatchObject({ code: 0, err: "" });
    expect(source.contents).toEqual(before);
    const target = openRepository();
    expect(await moveTo(target, exported)).toMatchObject({ code: 0, out: "Imported: 5 memories" });
    const isShared = (path: string) => !path.includes("/private/");
    const shared = Object.entries(readAll(source)).filter(([path]) => isShared(path));
    expect(readAll(target)).toEqual(Object.fromEntries(shared));
    expect([...target.contents.keys()].filter((path) => path.includes("private"))).toEqual([]);

    const whole = await runStrata(source, "export --include-private --global");
    const all = openRepository();
    expect(await moveTo(all, whole)).toMatchObject({ code: 1, err: expect.stringContaining("--global") });
    expect(readAll(all)).toEqual(readAll(source));
    expect(readAll(all, GLOBAL)).toEqual({});
    expect(await moveTo(all, whole, "--global")).toMatchObject({
      code: 0,
      out: "Imported: 1 memory, 6 already known",
    });
    expect(readAll(all, GLOBAL)).toEqual(readAll(source, GLOBAL));
    expect(all.text(`${FOLDER}/private/.gitignore`)).toBe("*\n");
    const list = await runStrata(all, "memory history decision/crlf --json");
    expect(JSON.parse(list.out)).toMatchObject([{ operation: "import", by: "strata" }]);
  });

  it("import skips known memories, and renames one whose name is taken, only once", async () => {
    const exported = await runStrata(openRepository({ [`${FOLDER}/plan/ship.md`]: "on Friday" }), "export");
    const target = openRepository({ [`${FOLDER}/plan/ship.md`]: "on Monday" });
    const first = await moveTo(target, exported);
    expect(first).toMatchObject({ code: 0, out: "Imported: 1 memory" });
    expect(target.text(`${FOLDER}/plan/ship.md`)).toBe("on Monday");
    const renamed = Object.keys(readAll(target)).find((path) => /ship-\w{7}\.md$/.test(path));
    expect(target.text(renamed ?? "")).toBe("on Friday");
    expect((await moveTo(target, exported)).out).toBe("Imported: 0 memories, 1 already known");
    const other = openRepository({ [`${FOLDER}/plan/other.md`]: "on  Friday\n" });
    expect((await moveTo(other, exported)).out).toBe("Imported: 0 memories, 1 already known");
  });

  it("export and import carry no secret and no name of a private memory, and name the file that has one", async () => {
    const secret = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    const files = openRepository({
      [`${FOLDER}/idea/a.md`]: `---\ntitle: a\n# ${secret}\n---\nx`,
      [`${FOLDER}/idea/b.md`]: "see private/idea/c for it",
      [`${FOLDER}/idea/fine.md`]: "fine",
    });
    const { code, err, out } = await runStrata(files, "export");
    expect([code, out.split("\n").length]).toEqual([1, 1]);
    expect(out).not.toContain("ghp_");
    expect(err).toMatch(/idea\/a\.md: it holds a secret \(GitHub token\)/);
    expect(err).toMatch(/idea\/b\.md: it names the private memory/);
    const line = (name: string, contents: string) => JSON.stringify({ v: 1, id: `idea/${name}`, contents });
    const target = openRepository({ "/m.jsonl": [line("a", secret), line("fine", "fine")].join("\n") });
    const taken = await runStrata(target, "import /m.jsonl");
    expect(taken).toMatchObject({ code: 1, out: "Imported: 1 memory, 1 refused" });
    expect([...target.contents].some(([path, one]) => path !== "/m.jsonl" && `${one}`.includes("ghp_"))).toBe(
      false,
    );
  });

  it("import takes the complete lines of a damaged file, and names the others", async () => {
    const exported = await runStrata(openRepository(odd), "export");
    const bytes = Buffer.from(
      `not ours\n${exported.out}\n{"v":1,"id":"../../etc/x","contents":"x"}\n{"v":1,"id":"idea/☃`,
    );
    const target = openRepository({ "/m.jsonl": bytes.subarray(0, bytes.length - 1) });
    const { code, err, out } = await runStrata(target, "import /m.jsonl");
    expect([code, out]).toEqual([1, "Imported: 5 memories"]);
    for (const line of [1, 7, 8]) expect(err).toContain(`line ${line} of /m.jsonl is not a complete memory`);
    const none = await runStrata(openRepository({ "/m.jsonl": "# A page\n" }), "import /m.jsonl");
    expect(none).toMatchObject({ code: 3, err: expect.stringContaining("strata import markdown") });
    expect(await runStrata(openRepository(), "import /not/there")).toMatchObject({
      code: 3,
      err: expect.stringContaining("does not exist"),
    });
    expect(await runStrata(openRepository({ "/m.jsonl": "" }), "import /m.jsonl")).toMatchObject({ code: 0 });
    expect(await runStrata(openRepository(), "import")).toMatchObject({ code: 2 });
  });

  it("export skips unreadable files, and overwrites none", async () => {
    const files = openRepository({
      [`${FOLDER}/idea/a.md`]: "---\ntitle: [",
      [`${FOLDER}/idea/b.md`]: "fine",
    });
    const { code, err, out } = await runStrata(files, "export out.jsonl");
    expect([code, out]).toEqual([1, `Exported: 1 memory to ${PROJECT}/out.jsonl`]);
    expect(err).toContain("idea/a.md: its frontmatter begins with --- but does not end");
    expect(await runStrata(files, "export out.jsonl")).toMatchObject({ code: 3 });
    expect((await runStrata(openRepository(), "export")).out).toBe("");
  });

  it("an import that was interrupted anywhere ends, when repeated, where an uninterrupted one does", () => {
    const one = fc.record({
      id: fc.constantFrom("idea/a", "idea/A", "idea/a-2", "plan/a", "private/idea/a"),
      contents: fc.constantFrom("x", "X ", "y", "---\ntitle: x\n---\nz"),
      isArchived: fc.boolean(),
    });
    const byID = { selector: ({ id }: { id: string }) => id };
    const set = fc.uniqueArray(one, byID);
    fc.assert(
      fc.property(set, set, (incoming, existing) => {
        const first = planImport(incoming, existing, { withGlobal: true });
        expect(first.add.length + first.duplicates.length).toBe(incoming.length);
        const after = [...existing, ...first.add];
        expect(new Set(after.map(({ id }) => id.toLowerCase())).size).toBeGreaterThanOrEqual(
          new Set(existing.map(({ id }) => id.toLowerCase())).size + first.add.length,
        );
        // Whenever it is broken off, the second time brings what is missing and nothing else.
        for (let done = 0; done <= first.add.length; done++) {
          const there = [...existing, ...first.add.slice(0, done)];
          const again = planImport(incoming, there, { withGlobal: true });
          const sorted = (all: typeof there) => all.map(({ id, contents }) => `${id} ${contents}`).sort();
          expect(sorted([...there, ...again.add])).toEqual(sorted(after));
        }
      }),
    );
  });
});

describe("strata import of folders", () => {
  const memory = {
    "/repo/.memory/context.md": "# Context\n\n## Goal\n\nship the parser\n",
    "/repo/.memory/findings.md": "# Findings\n\n## The API is slow\n\n2 s a call\n",
    "/repo/.memory/decisions.md": "# Decisions\n\n## Use Postgres\n\nbecause of JSON\n",
    "/repo/.memory/errors.log": "x",
    "/repo/.memory/session.json": "{}",
  };

  it("import reads a .memory folder with its sources, and changes nothing the second time", async () => {
    const files = openRepository(memory);
    const first = await runStrata(files, "import /repo/.memory");
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining("Imported: 3 memories") });
    expect(first.out).toContain("No memories in errors.log, session.json.");
    const { memories } = JSON.parse((await runStrata(files, "list --json")).out);
    expect(memories).toMatchObject([
      {
        id: "decision/use-postgres",
        title: "Use Postgres",
        content: "because of JSON",
        provenance: { by: "person", how: "imported" },
        extra: { "imported-from": ".memory/decisions.md" },
      },
      { id: "knowledge/the-api-is-slow" },
      { id: "plan/goal", content: "ship the parser" },
    ]);
    expect((await runStrata(files, "import /repo/.memory")).out).toContain("0 memories, 3 already known");
  });

  it("import reads the pages of a MEMORY.md folder by kind, and the index without its links", async () => {
    const files = openRepository({
      "/m/MEMORY.md": "# Memory\n\n- [Tone](tone.md) — short answers\n\n## Build\n\nrun make first\n",
      "/m/tone.md":
        "---\nname: Tone\ndescription: how to answer\ntype: user\nextra: 1\n---\n\nshort answers\n",
      "/m/ci.md": "---\nname: CI\nmetadata:\n  type: project\n---\nruns on Fridays\n",
      "/m/notes.md": "## Ports\n\n8080\n",
      "/m/bad.md": Uint8Array.from([0xff, 0xfe, 0x41]),
    });
    const { code, out } = await runStrata(files, "import /m --global");
    expect([code, out]).toEqual([0, "Imported: 4 memories\nNo memories in bad.md."]);
    const { memories } = JSON.parse((await runStrata(files, "list --json")).out);
    expect(memories).toMatchObject([
      { id: "global/knowledge/build", content: "run make first" },
      { id: "global/knowledge/ci", content: "runs on Fridays" },
      { id: "global/knowledge/ports", content: "8080" },
      { id: "global/preference/tone", aliases: ["how to answer"], extra: { extra: 1 } },
    ]);
  });

  it("import refuses other folders, and Strata's own", async () => {
    const files = openRepository({ "/x/readme.md": "x" });
    await runStrata(files, "remember x y z");
    for (const [line, what] of [
      ["import /x", "a .memory folder"],
      [`import ${FOLDER}`, "strata export"],
    ] as const)
      expect(await runStrata(files, line)).toMatchObject({ code: 3, err: expect.stringContaining(what) });
  });
});

describe("strata ingest", () => {
  it("ingest imports Markdown files by heading, once, and names the sections that it refuses", async () => {
    const secret = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    const files = openRepository({
      [`${PROJECT}/docs/a.md`]: `# Use X\n\nsmall\n\n# Token\n\n${secret}\n\n# Long\n\n${"word ".repeat(8_000)}`,
      [`${PROJECT}/docs/b.md`]: "# Use X\n\nsmall\n\n# Ideas\n\n## Shout\n\nloud",
    });
    const dry = await runStrata(files, "ingest docs/a.md docs/b.md --dry-run");
    expect(dry.out).toContain("Would import  knowledge  Use X  (docs/a.md)");
    expect([...files.contents.keys()].filter((path) => path.includes(".opencode"))).toEqual([]);
    const { code, err, out } = await runStrata(files, "ingest docs/a.md docs/b.md");
    expect([code, out]).toEqual([1, "Imported: 2 memories, 1 already known, 2 refused"]);
    expect(err).toMatch(/Token.*holds a secret/);
    expect(err).toMatch(/Long.*32000 characters/);
    expect((await runStrata(files, "list")).out).toMatch(/^idea\/shout .*\nknowledge\/use-x /);
    expect((await runStrata(files, "ingest docs/b.md --type decision")).out).toContain("2 already known");
  });

  it("ingest changes nothing if one of the files is not Markdown", async () => {
    const files = openRepository({
      [`${PROJECT}/a.md`]: "# A\nx",
      [`${PROJECT}/b.md`]: Uint8Array.from([0xff, 0]),
    });
    for (const [line, code, what] of [
      ["ingest a.md b.md", 3, "is not UTF-8 text"],
      ["ingest a.md nothing.md", 3, "does not exist"],
      ["ingest a.md --type colour", 2, "must be one of"],
      ["ingest", 2, "missing required argument"],
    ] as const)
      expect(await runStrata(files, line)).toMatchObject({ code, err: expect.stringContaining(what) });
    expect([...files.contents.keys()].filter((path) => path.includes(".opencode"))).toEqual([]);
  });
});
