import { describe, expect, it } from "vitest";
import { parseSections, planDrafts } from "../../src/operations/transfer/markdown.js";
import { fc } from "../support/property.js";

const read = (text: string) =>
  planDrafts(parseSections(text), { name: "page.md" }).map(({ content, title, type }) => [
    type,
    title,
    content,
  ]);

describe("a Markdown page becomes memories", () => {
  it("each heading with text becomes a memory, in order, and so does text before the first heading", () => {
    expect(read("first words\n\n# A\n\n## B\n\nof b\n\n## C ##\nof c\nand more\n")).toEqual([
      ["knowledge", undefined, "first words"],
      ["knowledge", "B", "of b"],
      ["knowledge", "C", "of c\nand more"],
    ]);
  });

  it("a memory has the type that the nearest heading names", () => {
    expect(read("# Decisions\n\nno colours\n\n## Use X\n\nit is small\n\n# Idea\n\nshout")).toEqual([
      ["decision", undefined, "no colours"],
      ["decision", "Decisions: Use X", "it is small"],
      ["idea", undefined, "shout"],
    ]);
  });

  it("a title includes the parent heading if it is not unique or continues the parent's text", () => {
    expect(read("# X\n## Why\na\n# Y\n## Why\nb\n# Z\nc\n## More\nd").map(([, title]) => title)).toEqual([
      "X: Why",
      "Y: Why",
      "Z",
      "Z: More",
    ]);
  });

  it("front matter, comments and headings in code do not become memories", () => {
    const page =
      "---\ntitle: page\n---\n# A\n<!-- how to\n# fill this in -->\nbefore\n~~~sh\n# no heading\n~~~\nafter\n# B\n<!-- nothing yet -->\n";
    expect(read(page)).toEqual([["knowledge", "A", "before\n~~~sh\n# no heading\n~~~\nafter"]]);
  });

  it("CRLF, a byte order mark and an unclosed fence do not disturb the parsing", () => {
    expect(read("\uFEFF# A\r\none\r\ntwo\r\n```\r\n# B\r\n")).toEqual([
      ["knowledge", "A", "one\ntwo\n```\n# B"],
    ]);
  });

  it("every line with text ends up in exactly one memory", () => {
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
