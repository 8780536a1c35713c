/** The parts of the inspector's page that need no browser. */
import { describe, expect, it } from "vitest";
import { compareTexts, toReadable } from "../../src/inspector/page/diff.js";
import { formatRoute, parseRoute, sections } from "../../src/inspector/page/hooks.js";
import { fc, runs } from "../support/property.js";

describe("a comparison of two texts", () => {
  it("has pieces that form both texts again", () => {
    const word = fc.constantFrom("port", "8080", "the", "server", " ", "\n", "  ", "é", "listens ");
    const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = compareTexts(before, after);
        const join = (left: string) =>
          pieces
            .filter(({ kind }) => kind !== left)
            .map((one) => one.text)
            .join("");
        expect([join("added"), join("removed")]).toEqual([before, after]);
      }),
      { numRuns: runs(200, 5_000, "pairs of texts") },
    );
  });

  it("marks the words that differ, and joins neighbours", () => {
    expect(compareTexts("the server listens on port 8080", "the server listens on port 9090 now")).toEqual([
      { kind: "same", text: "the server listens on port " },
      { kind: "removed", text: "8080" },
      { kind: "added", text: "9090 now" },
    ]);
    expect(compareTexts("", "new")).toEqual([{ kind: "added", text: "new" }]);
    expect(compareTexts("same", "same")).toEqual([{ kind: "same", text: "same" }]);
  });

  it("shows texts that are too long to compare whole", () => {
    const [before, after] = ["a ".repeat(3_000), "b ".repeat(3_000)];
    expect(compareTexts(before, after).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });
});

describe("a memory's file for people", () => {
  it("has its title first, its fields without dates and source, then its text", () => {
    const file =
      "---\ntitle: Port\nstatus: superseded\ncreated: 2026-11-21T09:00:00.000Z\nupdated: 2026-11-21T09:00:00.000Z\nsource:\n  by: user\n  session: ses_1\ntags:\n  - net\n---\nthe server\n";
    expect(toReadable(file)).toBe("Port\nstatus: superseded\ntags:\n  - net\n\nthe server");
    expect(toReadable("plain text\n---\nmore")).toBe("plain text\n---\nmore");
  });
});

describe("a route", () => {
  it("leads back to the same section and id, for any id", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sections),
        fc.option(fc.string({ minLength: 1, unit: "grapheme" })),
        (section, id) => {
          const route = id === null ? { section } : { section, id };
          expect(parseRoute(formatRoute(section, route.id))).toEqual(route);
        },
      ),
      { numRuns: runs(100, 2_000, "ids") },
    );
  });

  it("is the overview if it names no valid section", () => {
    for (const hash of ["", "#", "#/", "#/x", "#/overview/%", "javascript:alert(1)"])
      expect(parseRoute(hash)).toEqual({ section: "overview" });
  });

  it("every text makes a valid address, even one with half a surrogate pair", () => {
    expect(formatRoute("sessions", "a\ud83db")).toBe("#/sessions/a%EF%BF%BDb");
    expect(formatRoute("sessions", "a\u{1f600}b")).toBe("#/sessions/a%F0%9F%98%80b");
  });
});
