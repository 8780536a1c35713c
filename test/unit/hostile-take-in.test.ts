/** Files of a repository that try to hang or crash their readers. */
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../src/base/glob.js";
import { readWorkflow } from "../../src/sources/bootstrap/readers/ci.js";
import { readGoMod } from "../../src/sources/bootstrap/readers/lines.js";
import { readCargo, readPackageJson } from "../../src/sources/bootstrap/readers/manifests.js";
import { readReadme } from "../../src/sources/bootstrap/readers/readme.js";
import { openProject } from "../support/bootstrap.js";
import { runStrata } from "../support/shell.js";

const LONG = 500_000;

describe("readers of a repository's files", () => {
  // Each took minutes with an expression that backtracks: the test's own time limit is the assertion.
  it.each([
    ["a heading of signs", readReadme, `# a${"#".repeat(LONG)}x`],
    ["a heading of spaces", readReadme, `# ${" ".repeat(LONG)}x`],
    ["a module of dots", readGoMod, "a.".repeat(LONG / 2)],
    ["empty lines in go.mod", readGoMod, "\n".repeat(LONG)],
    [
      "many jobs",
      readWorkflow,
      `jobs:\n${Array.from({ length: 20_000 }, (_, n) => ` j${n}:\n  runs-on: x\n`).join("")}`,
    ],
  ])("a text with %s is read in linear time", async (_, read, text) => {
    expect(await read(text, "FILE")).toBeInstanceOf(Array);
  });

  it.each([
    ["a workflow of quotes", readWorkflow, '"'.repeat(200_000)],
    ["a table of dots", readCargo, `[a${".a".repeat(100_000)}]`],
    ["keys of dots", readCargo, `a = { b${".a".repeat(20_000)} = 1 }`],
  ])("%s is refused at once", async (_, read, text) => {
    await expect(async () => read(text, "FILE")).rejects.toThrow();
  });

  it("programs are listed by their names, and a package's type alone is not a fact", async () => {
    const read = async (manifest: object): Promise<string[]> =>
      (await readPackageJson(JSON.stringify({ name: "a", ...manifest }), "package.json")).map(
        ({ content }) => content,
      );
    expect(await read({ type: "module" })).toEqual([]);
    expect(await read({ type: "module", main: "./a.js", bin: { b: "./b.js" } })).toEqual([
      expect.stringContaining("- `main`: `./a.js`\n- `b`: `./b.js`"),
    ]);
  });

  it("headings lose their closing signs, and keep those that belong to them", async () => {
    const [, commands] = await readReadme("Text.\n\n## Use C# ##\n\n```sh\nmake\n```\n", "README.md");
    expect(commands?.content).toContain("- `Use C#`:\n- `make`");
  });
});

describe("globs of instructions", () => {
  it.each<[string, string, boolean]>([
    ["/a/*.md", "/a/b.md", true],
    ["/a/*.md", "/a/b/c.md", false],
    ["/a/**/*.md", "/a/b/c.md", true],
    ["/a/**/*.md", "/a/c.md", true],
    ["/a/**/b", "/a/xb", false],
    ["/a/**", "/a/b/c", true],
    ["/a/{b,c}/d.md", "/a/c/d.md", true],
    ["/a/[!b-d].md", "/a/c.md", false],
    ["/a/[b-d].md", "/a/c.md", true],
    ["/a/[z-a].md", "/a/c.md", false],
    ["/a/x+y(1).md", "/a/x+y(1).md", true],
    [`/a/${"**/".repeat(60)}x`, `/a/${"b/".repeat(200)}y`, false],
    [`/a/${"{a,b}".repeat(40)}`, "/a/b", false],
  ])("the glob %s against %s gives %s", (glob, path, fits) => {
    expect(compileGlob(glob)(path)).toBe(fits);
  });

  it("a glob that no regular expression can hold does not stop strata bootstrap", async () => {
    const files = openProject({
      "opencode.json": JSON.stringify({ instructions: ["[z-a]", "**/**/**/**/**/**/**/**/**/**/**/x"] }),
      ".cursorrules": "Use tabs.",
    });
    expect(await runStrata(files, "bootstrap")).toMatchObject({ code: 0 });
  });
});

describe("folders given to strata bootstrap", () => {
  it.each(["nowhere", "package.json"])(
    "strata bootstrap %s fails and says what it expects",
    async (given) => {
      const files = openProject({ "package.json": '{"name":"a","description":"b"}' });
      const { code, err } = await runStrata(files, `bootstrap ${given}`);
      expect([code, err]).toEqual([3, expect.stringContaining(`${given} is not a folder of the project`)]);
    },
  );
});
