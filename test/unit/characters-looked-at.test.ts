import { describe, expect, it } from "vitest";
import { isTelling } from "../../layers/5-auto-memory/judge/model-judge.js";
import { findWhen, formatTitle } from "../../layers/5-auto-memory/words/describe.js";
import { findMark } from "../../layers/5-auto-memory/words/marked.js";
import { readStatements } from "../../layers/5-auto-memory/words/statements.js";
import { weighShape } from "../../layers/5-auto-memory/words/worth.js";
import { REPORTS } from "../../layers/errors/ended-call.js";
import { parseMemoryFile } from "../../src/memory/memory-file.js";
import { findNextStep, findReasons, findRules } from "../../src/notes/wording.js";
import { compareStatements } from "../../src/text/compare.js";
import { languages } from "../../src/text/language.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";
import { countLookedAt } from "../support/looked-at.js";
import { shapes } from "../support/shapes.js";

/** One of each kind; the bench tries all of them. */
const HARD = new Set([
  "a",
  " ",
  "\n",
  "。",
  "！",
  "? ",
  "! ",
  "a@b",
  "<a ",
  "-",
  '"a',
  "never ",
  "said: ",
  "```\n",
  "a\n",
]);
const tried = shapes.filter(
  ({ name }) => !name.includes("× n") || [...HARD].some((atom) => name === `${JSON.stringify(atom)} × n`),
);

/** Every pattern of the languages, wherever it stands in them. */
function listPatterns(value: unknown): RegExp[] {
  if (value instanceof RegExp) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listPatterns) : [];
}

/** As after a turn. */
function read(text: string): void {
  const statements = readStatements({ id: "msg_1", text });
  for (const one of statements) findMark(one, statements);
  weighShape({ statements, characters: text.length });
}

const ofLanguages = new Set(listPatterns(languages));
/** A sentence with the one that gives its reason. */
const TWO_SENTENCES = 2 * 601 + 1;
/** Of each line it is asked whether a machine wrote it, in some twenty ways; a line has two characters at least. */
const MOST_SEARCHES_A_CHARACTER = 10;
const SIZE = 60_000;

describe("what a user writes, whatever its shape", () => {
  it.each(tried)("$name: no language's pattern is tried on more than two sentences", ({ make }) => {
    const text = make(SIZE);
    const { longest, searches } = countLookedAt(() => read(text));
    const tooLong = [...longest].filter(
      ([pattern, length]) => ofLanguages.has(pattern) && length > TWO_SENTENCES,
    );
    expect(tooLong).toEqual([]);
    expect(searches).toBeLessThan(MOST_SEARCHES_A_CHARACTER * SIZE);
  });

  it.each(tried)("$name: twice as much is looked at no more than twice as often", ({ make }) => {
    const readAll = (size: number) => {
      const text = make(size);
      return countLookedAt(() => [findRules(text), findReasons(text), read(text), findNextStep(text)]);
    };
    const [once, twice] = [readAll(50_000), readAll(100_000)];
    expect(twice.characters).toBeLessThan(2.2 * once.characters + 100_000);
  });
});

const longestOf = (work: () => void): number => Math.max(0, ...countLookedAt(work).longest.values());

it("a pattern that may go back over its text is tried on no command that is longer than people type", () => {
  expect(longestOf(() => isTelling(`echo 'a${" ".repeat(100_000)}'`))).toBe(0);
  expect(longestOf(() => isTelling(`echo 'a${" ".repeat(900)}'`))).toBeLessThan(1_000);
});

it("a pattern that may go back over its text is tried on no more of a sentence than a title has room for", () => {
  expect(longestOf(() => formatTitle(" ".repeat(100_000)))).toBeLessThanOrEqual(600);
});

it("a pattern that may go back over its text is tried on no more of a memory than a statement has", () => {
  expect(longestOf(() => compareStatements("中".repeat(100_000), "x"))).toBeLessThanOrEqual(8_000);
});

it("a pattern that may go back over its text is tried on no more of a rule than is looked through for commands", () => {
  expect(longestOf(() => findWhen("-".repeat(100_000)))).toBeLessThanOrEqual(8_000);
});

describe("frontmatter", () => {
  const place = {
    scope: "project",
    sensitivity: "internal",
    type: "knowledge",
    name: "x",
    isArchived: false,
    modifiedMs: 0,
  } as const;
  const read = (front: string) => parseMemoryFile(Buffer.from(`---\n${front}\n---\nx\n`), place);

  it.each([
    [
      "of more than 16 KB is a problem",
      `title: ${"a".repeat(17_000)}`,
      "has 17008 bytes, expected at most 16384",
    ],
    [
      "of thousands of lines is a problem",
      "k: 1\n".repeat(2_000),
      "lines and characters such as quotes and brackets",
    ],
    [
      "nested without need is a problem",
      `a: ${"[".repeat(20)}${"]".repeat(20)}`,
      "is nested more than 16 levels deep",
    ],
  ])("%s", (_, front, what) => {
    const reading = read(front);
    expect(reading.kind === "problem" ? reading.what : "").toContain(what);
  });

  it("a body of 250 KB costs no search through it for each of its lines", () => {
    const once = countLookedAt(() => void parseMemoryFile(Buffer.from("- a\n".repeat(30_000)), place));
    const twice = countLookedAt(() => void parseMemoryFile(Buffer.from("- a\n".repeat(60_000)), place));
    expect(twice.characters).toBeLessThan(2.2 * once.characters + 1_000);
  });
});

describe("private keys", () => {
  const HEAD = "-----BEGIN PRIVATE KEY-----\n";
  const BODY = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ".repeat(4)}\n`;

  it("a private key without an end goes as far as the next one begins", () => {
    const text = `${HEAD}${BODY}${HEAD}${BODY}-----END PRIVATE KEY-----`;
    expect(redactSecrets(text).text).toBe("[removed: private key][removed: private key]");
  });

  it("private keys are looked for no farther than the next one's beginning", () => {
    const read = (count: number) => countLookedAt(() => void redactSecrets(HEAD.repeat(count))).characters;
    expect(read(400)).toBeLessThan(2.2 * read(200));
  });
});

it("a report of failed tests is looked for within a line: empty lines before it are not gone over again and again", () => {
  expect(REPORTS.exec(`${"\n".repeat(50)}  FAILED one\n`)?.[0]).toBe("  FAILED");
});
