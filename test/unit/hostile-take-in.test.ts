/** Files of a repository that try to hang or crash their readers. */
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../src/base/glob.js";
import { findKind } from "../../src/sources/bootstrap/read-facts.js";
import { openProject } from "../support/bootstrap.js";
import { runStrata } from "../support/shell.js";

const LONG = 500_000;

const read = async (path: string, text: string) => findKind(path)?.read(text, path);

describe("readers of a repository's files", () => {
  // Each took minutes with an expression that backtracks: the test's own time limit is the assertion.
  it.each([
    ["a heading of signs", "README.md", `# a${"#".repeat(LONG)}x`],
    ["a heading of spaces", "README.md", `# ${" ".repeat(LONG)}x`],
    ["a module of dots", "go.mod", "a.".repeat(LONG / 2)],
    ["empty lines in go.mod", "go.mod", "\n".repeat(LONG)],
  ])("a text with %s is read in linear time", async (_, path, text) => {
    expect(await read(path, text)).toBeInstanceOf(Array);
  });

  it.each([
    [
      "a workflow of many jobs",
      ".github/workflows/a.yml",
      `jobs:\n${Array.from({ length: 20_000 }, (_, n) => ` j${n}:\n  runs-on: x\n`).join("")}`,
    ],
    ["a workflow of quotes", ".github/workflows/a.yml", '"'.repeat(200_000)],
    ["a table of dots", "Cargo.toml", `[a${".a".repeat(100_000)}]`],
    ["keys of dots", "Cargo.toml", `a = { b${".a".repeat(20_000)} = 1 }`],
  ])("%s is refused at once", async (_, path, text) => {
    await expect(read(path, text)).rejects.toThrow();
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
