import { expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.js";
import { formatMemoryFile, parseMemoryFile } from "../../src/memory/memory-file.js";
import { fc, runs } from "../support/property.js";

const place = {
  scope: "project",
  sensitivity: "internal",
  type: "decision",
  name: "x",
  isArchived: false,
  modifiedMs: 0,
} as const;

const line = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .map((text) => text.replace(/[\s\p{Cc}]+/gu, " ").trim())
  .filter((text) => text !== "");
const words = fc.array(line, { maxLength: 3 });
const body = fc
  .string({ unit: "grapheme", maxLength: 80 })
  .map((text) => text.replaceAll("\0", "").replace(/\r\n?/g, "\n").trim());
const time = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());

const memory: fc.Arbitrary<Memory> = fc.record({
  id: fc.constant("decision/x"),
  scope: fc.constant("project" as const),
  sensitivity: fc.constant("internal" as const),
  type: fc.constant("decision" as const),
  title: line,
  content: body,
  status: fc.constantFrom("active" as const, "resolved" as const, "superseded" as const),
  aliases: words,
  tags: words,
  entities: words,
  links: words,
  importance: fc.integer({ min: 0, max: 100 }).map((n) => n / 100),
  pinned: fc.boolean(),
  when: words,
  created: time,
  updated: time,
  provenance: fc.record(
    {
      by: fc.constantFrom("user" as const, "agent" as const, "tool" as const),
      session: line,
      evidence: line,
      how: fc.constantFrom("marked" as const, "model" as const),
    },
    { requiredKeys: ["by"] },
  ),
  extra: fc.dictionary(fc.stringMatching(/^[a-z]{2,8}X$/), fc.oneof(line, fc.integer(), fc.boolean(), words)),
});

const parse = (text: string): Memory => {
  const reading = parseMemoryFile(Buffer.from(text), place);
  if (reading.kind === "problem") throw new Error(reading.what);
  return reading.memory;
};

it("a memory survives writing and reading", () => {
  fc.assert(fc.property(memory, (one) => void expect(parse(formatMemoryFile(one))).toEqual(one)));
});

it("a memory written over another replaces it, and an equal one keeps every byte", () => {
  fc.assert(
    fc.property(memory, memory, (one, other) => {
      const text = formatMemoryFile(one);
      expect(formatMemoryFile(one, text)).toBe(text);
      expect(parse(formatMemoryFile(other, text))).toEqual(other);
    }),
  );
});

it("what a person wrote around the fields survives a change", () => {
  fc.assert(
    fc.property(memory, words, (one, tags) => {
      const text = formatMemoryFile(one).replace("---\n", "---\n# a word of my own\n");
      const changed = formatMemoryFile({ ...one, tags: [...tags, "added"] }, text);
      expect(changed).toContain("# a word of my own\n");
      expect(parse(changed)).toEqual({ ...one, tags: [...tags, "added"] });
    }),
  );
});

it("any file content is a memory or a problem with a reason, and never throws", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(`---\n${text}\n---\nx`)),
    fc
      .string({
        unit: fc.constantFrom("-", "\n", ":", " ", "a", "[", "]", "&", "*", "<", "\r", "|", ">", "{", "#"),
        maxLength: 60,
      })
      .map((text) => Buffer.from(`---\n${text}`)),
  );
  fc.assert(
    fc.property(bytes, (contents) => {
      const reading = parseMemoryFile(contents, place);
      if (reading.kind === "problem") expect(reading.what.length).toBeGreaterThan(5);
      else
        expect(
          parse(formatMemoryFile({ ...reading.memory, pinned: true }, Buffer.from(contents).toString())),
        ).toMatchObject({ pinned: true });
    }),
    { numRuns: runs(200, 500, "odd memory files") },
  );
});
