/** Pages of text for narrow screens. */
import { describe, expect, it } from "vitest";
import { COLUMNS, formatSections } from "../../src/status/format-status.js";
import { fc } from "../support/property.js";

const PLAIN = { bold: (text: string) => text, yellow: (text: string) => text };
const words = fc.array(fc.string({ maxLength: 90 }), { maxLength: 20 }).map((all) => all.join(" "));

describe("a page of text", () => {
  it("no line of a page is wider than 72 columns, and no word is lost", () => {
    const row = fc.tuple(fc.constantFrom("", "Context", "Auto summaries"), words);
    const section = fc.record({ heading: words, rows: fc.array(row), isList: fc.boolean() });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 4 }), (sections) => {
        const page = formatSections(sections, PLAIN);
        for (const line of page.split("\n")) expect(line.length).toBeLessThanOrEqual(COLUMNS);
        const shown = page.replace(/\s/gu, "");
        for (const { rows } of sections)
          for (const [, text] of rows)
            expect(shown.replaceAll("-", "")).toContain(text.replace(/\s/gu, "").replaceAll("-", ""));
      }),
      { numRuns: 100 },
    );
  });
});
