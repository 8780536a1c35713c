import { describe, expect, it } from "vitest";
import { parseSections, planDrafts } from "../../src/cli/transfer/sections.js";
import { fc } from "../support/property.js";

const read = (text: string) =>
  planDrafts(parseSections(text), { name: "page.md" }).map(({ content, title, type }) => [
    type,
    title,
    content,
  ]);

describe("a Markdown page becomes memories", () => {
  it("a Markdown page becomes memories one for each heading with text below it, in the page's order; what stands before the first is one too", () => {
    expect(read("first words\n\n# A\n\n## B\n\nof b\n\n## C ##\nof c\nand more\n")).toEqual([
      ["knowledge", undefined, "first words"],
      ["knowledge", "B", "of b"],
      ["knowledge", "C", "of c\nand more"],
    ]);
  });

  it("a Markdown page becomes memories of the type that the nearest heading names", () => {
    expect(read("# Decisions\n\nno colours\n\n## Use X\n\nit is small\n\n# Idea\n\nshout")).toEqual([
      ["decision", undefined, "no colours"],
      ["decision", "Decisions: Use X", "it is small"],
      ["idea", undefined, "shout"],
    ]);
  });

  it("a Markdown page becomes memories with the heading above where a heading stands twice, or goes on with the text above", () => {
    expect(read("# X\n## Why\na\n# Y\n## Why\nb\n# Z\nc\n## More\nd").map(([, title]) => title)).toEqual([
      "X: Why",
      "Y: Why",
      "Z",
      "Z: More",
    ]);
  });

  it("a Markdown page becomes memories without its fields, its comments, and headings that stand in code", () => {
    const page =
      "---\ntitle: page\n---\n# A\n<!-- how to\n# fill this in -->\nbefore\n~~~sh\n# no heading\n~~~\nafter\n# B\n<!-- nothing yet -->\n";
    expect(read(page)).toEqual([["knowledge", "A", "before\n~~~sh\n# no heading\n~~~\nafter"]]);
  });

  it("CRLF, a mark at its beginning and a fence that never ends are no matter", () => {
    expect(read("\uFEFF# A\r\none\r\ntwo\r\n```\r\n# B\r\n")).toEqual([
      ["knowledge", "A", "one\ntwo\n```\n# B"],
    ]);
  });

  it("every line of a page that says something is in exactly one of them", () => {
    const line = fc.constantFrom("# a", "## b", "### c", "####### no heading", "text", "", "  more");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const numbered = lines.map((one, n) => (/^(text|####### )/.test(one) ? `${one} ${n}` : one));
        const kept = parseSections(numbered.join("\n")).flatMap(({ text }) => text.split("\n"));
        const said = numbered.filter((one) => /\d/.test(one));
        expect(kept.filter((one) => /\d/.test(one))).toEqual(said);
      }),
    );
  });
});
