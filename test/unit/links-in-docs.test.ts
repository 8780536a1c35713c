/** The documents: their links lead somewhere, in the repository and in the package, and the README stays one page. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { readOptions } from "../../src/operations/command.js";
import { isAlive, listAnchors, readLinks } from "../support/markdown-links.js";

const docs = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const pages = ["README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md", ...docs];
/** For those who have the sources, to which they link. */
const forContributors = new Set(["CONTRIBUTING.md", "AGENTS.md", "docs/design.md"]);

describe("the links of the documents", () => {
  it.each(pages)("the links of the documents all lead to a file and a heading that exist, on %s", (page) => {
    expect(readLinks(page).filter((link) => !isAlive(link))).toEqual([]);
  });

  it("the links of the documents lead, on pages for users, only to what the package contains", () => {
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[] };
    const packed = [...files, "README.md", "LICENSE", "package.json"];
    const isPacked = (file: string) => packed.some((path) => file === path || file.startsWith(`${path}/`));
    const links = pages.filter((page) => !forContributors.has(page)).flatMap(readLinks);
    expect(links.filter(({ file }) => !isPacked(file))).toEqual([]);
  });

  it("the links of the documents are found in text, pictures and HTML, and not in code", () => {
    const targets = ["docs/cli.md", "docs/screen.md"].flatMap(readLinks).map(({ target }) => target);
    expect(targets).toEqual(
      expect.arrayContaining(["#exit-codes", "pictures/stats.svg", "pictures/screen-wide-light.svg"]),
    );
    expect(isAlive({ page: "a.md", target: "", file: "docs/cli.md", anchor: "no-such-heading" })).toBe(false);
    expect(isAlive({ page: "a.md", target: "", file: "docs/no-such-page.md", anchor: "" })).toBe(false);
  });
});

it("anchors follow GitHub's rules: lower case, no punctuation, hyphens for spaces, numbers for repeats", () => {
  const page = "# Your `words`, and theirs\n\n## 4. A_b - c\n\n```\n# code\n```\n## [Link](x.md)!\n## Link\n";
  expect([...listAnchors(page)]).toEqual(["your-words-and-theirs", "4-a_b---c", "link", "link-1"]);
});

it("the README has at most 100 lines", () => {
  expect(readFileSync("README.md", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(100);
});

it("docs/cli.md has a row for every command of strata, with its options", async () => {
  const rows = readFileSync("docs/cli.md", "utf8").split("\n");
  const described = await Promise.all(
    commands.map(async (command) => ({ name: command.name, options: await readOptions(command) })),
  );
  const missing = described.flatMap(({ name, options }) => {
    const row = rows.find((line) => new RegExp(`^\\| \`strata ${name}[ \`]`).test(line)) ?? "";
    const flags = options.map(([flag]) => flag.split(" ")[0] ?? flag);
    return row === "" ? [name] : flags.filter((flag) => !row.includes(flag)).map((flag) => `${name} ${flag}`);
  });
  expect(missing).toEqual([]);
});
