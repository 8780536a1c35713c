/**
 * Hostile text for every parser of test/support/parsers: none throws but the plugin's own errors, each answers in the
 * promised shape, and a text of four times the length takes about four times the work, not sixteen times.
 *
 * The long run feeds each parser for ten minutes (`STRATA_FUZZ_MS` shortens that). How long a megabyte holds the host:
 * `npm run bench:megabyte`.
 */
import { describe, expect, it } from "vitest";
import { StrataError } from "../../src/base/error.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { mergePage } from "../../src/notes/merge.js";
import { PROJECT } from "../support/fake-host.js";
import { answers } from "../support/parsers/answers.js";
import { files } from "../support/parsers/files.js";
import { imports } from "../support/parsers/imports.js";
import type { Parser } from "../support/parsers/parser.js";
import { words } from "../support/parsers/words.js";
import { fc } from "../support/property.js";
import { type Shape, shapes } from "../support/shapes.js";
import { isLong, sizeOf } from "../support/sizes.js";

const parsers = [...files, ...imports, ...answers, ...words];
const because = "the property is the same";
const FUZZ_MS = sizeOf({ usual: 0, long: 600_000, of: "ms of hostile text for each parser", because });
const fuzzMs = Number(process.env.STRATA_FUZZ_MS ?? FUZZ_MS);
const RUNS = 8;

/* Hostile text: a sample, spoilt a few times. */

const ODD = [
  ..."\0\t\n\r\"'`\\/[]{}()<>*_#$&|;:,.!?。！「」“”\u00a0\u2028\ufeff\u202e\ud800\udc00\uffff",
  ...[
    "\u001b[31m",
    "\u001b]8;;",
    "e\u0301",
    "👩‍👩‍👧‍👦",
    "\r\n",
    "---\n",
    "```",
    "~~~",
    "<!--",
    "-->",
    "# ",
    "- ",
    "> ",
  ],
  ...[
    "1e999",
    "-0",
    "9".repeat(400),
    "NaN",
    "null",
    "0x",
    "\\u0000",
    "\\ud800",
    "275760-09-13",
    "-271821-04-20",
  ],
  ...[
    '"__proto__":',
    "constructor",
    "__proto__: ",
    "toString",
    "hasOwnProperty",
    "../",
    "file://",
    "http://[::1",
    "%00",
  ],
  ...[
    "!!js/function ",
    "&a [*a]",
    "<<: *a",
    "? ",
    "=======\n",
    "[Strata] ",
    "m1.1",
    "$&",
    "{{groups}}",
    "端口",
    "ß",
    "İ",
  ],
];

type Spoil = (text: string) => string;
const place = fc.double({ min: 0, max: 1, noNaN: true });
const spoil: fc.Arbitrary<Spoil> = fc.oneof(
  fc.tuple(place, fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: "binary", maxLength: 8 }))).map(
    ([at, piece]): Spoil =>
      (text) =>
        `${text.slice(0, at * text.length)}${piece}${text.slice(at * text.length)}`,
  ),
  fc.tuple(place, place, fc.integer({ min: 0, max: 40 })).map(
    ([a, b, count]): Spoil =>
      (text) => {
        const [from, to] = [Math.min(a, b) * text.length, Math.max(a, b) * text.length];
        const piece = text.slice(from, to);
        return `${text.slice(0, from)}${piece.repeat(piece.length > 500 ? count % 3 : count)}${text.slice(to)}`;
      },
  ),
  place.map(
    (at): Spoil =>
      (text) =>
        text.slice(0, at * text.length),
  ),
  fc.tuple(fc.constantFrom("[]", "{}", '""', "()", "「」", "``"), fc.integer({ min: 1, max: 2_000 })).map(
    ([[open = "", close = ""], depth]): Spoil =>
      (text) =>
        open.repeat(depth) + text + close.repeat(depth),
  ),
  fc.integer({ min: 1, max: 3_000 }).map(
    (depth): Spoil =>
      (text) =>
        '{"a":'.repeat(depth) + text + "}".repeat(depth),
  ),
  fc.constantFrom<Spoil>(
    (text) => text.replaceAll("\n", " "),
    (text) => text.toUpperCase(),
    (text) => text + text,
  ),
);
const hostile = ({ samples }: Parser): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...samples), fc.array(spoil, { minLength: 1, maxLength: 6 }))
    .map(([sample, spoils]) => spoils.reduce((text, one) => one(text).slice(0, 100_000), sample));

/** The result, and the longest time between two pauses, in milliseconds of this process. */
async function run(parse: Parser["parse"], text: string): Promise<{ result: unknown; ms: number }> {
  let begun = process.cpuUsage();
  let longest = 0;
  const step = (): void => {
    const { system, user } = process.cpuUsage(begun);
    longest = Math.max(longest, (system + user) / 1_000);
    begun = process.cpuUsage();
  };
  try {
    const given = parse(text) as Iterator<unknown> | undefined;
    if (typeof given?.next !== "function") {
      const result = await given;
      step();
      return { result, ms: longest };
    }
    step();
    for (;;) {
      const { done, value } = given.next();
      step();
      if (done) return { result: value, ms: longest };
    }
  } catch (thrown) {
    step();
    return { result: thrown, ms: longest };
  }
}

describe.each(parsers)("$name", (parser) => {
  it(
    "answers any text in the promised shape, or with an error of the plugin's own",
    async () => {
      for (const sample of parser.samples)
        expect(parser.fits((await run(parser.parse, sample)).result)).toBe(true);
      await fc.assert(
        fc.asyncProperty(hostile(parser), async (text) => {
          const { result } = await run(parser.parse, text);
          if (result instanceof Error && !(result instanceof StrataError)) throw result;
          expect(result instanceof StrataError || parser.fits(result)).toBe(true);
        }),
        fuzzMs > 0 ? { numRuns: 1e9, interruptAfterTimeLimit: fuzzMs } : { numRuns: RUNS },
      );
    },
    60_000 + 2 * fuzzMs,
  );

  it("takes for four times the text about four times as long", async () => {
    for (const { make, name } of baitsOf(parser)) {
      let slowest = "";
      // Another process may have had the processor: only what is slow again and again counts.
      for (let tries = 0; tries < 4; tries++) {
        const [small, large] = [await leastOf(parser, make(7_000)), await leastOf(parser, make(28_000))];
        slowest = large > 6 * small + 25 ? `${name}: ${small} ms, then ${large} ms` : "";
        if (slowest === "") break;
      }
      expect(slowest).toBe("");
    }
  }, 120_000);
});

async function leastOf({ parse }: Parser, text: string): Promise<number> {
  const first = (await run(parse, text)).ms;
  return first < 10 ? first : Math.min(first, (await run(parse, text)).ms);
}

const repeat = (piece: string, size: number): string =>
  piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** What a pattern or a parser goes over again and again: runs before an end that does not fit, and nests. */
function baitsOf({ samples }: Parser): Shape[] {
  const own = samples.flatMap((sample): Shape[] => [
    { name: "the sample again and again", make: (size) => repeat(sample, size) },
    { name: "the sample on one line", make: (size) => repeat(sample.replace(/\s+/g, " "), size) },
    { name: "its items", make: (size) => `[${repeat(`${sample.trim()},`, size)}null]` },
    ...[" ", "\n", "\r", "."].map((piece) => ({
      name: `the sample, ${JSON.stringify(piece)} × n, x`,
      make: (size: number) => `${sample}${repeat(piece, size)}x`,
    })),
  ]);
  return [
    ...own,
    { name: "lists in lists", make: (size) => "[".repeat(size / 2) + "]".repeat(size / 2) },
    { name: "objects in objects", make: (size) => `${'{"a":'.repeat(size / 6)}1${"}".repeat(size / 6)}` },
    ...shapes.filter(({ name }) => isLong || USUAL_BAITS.has(name)),
  ];
}

const USUAL_BAITS = new Set(
  ["\\", "。", " ", "「a", "a-", "## a\n", "<a ", "? "].map((one) => `${JSON.stringify(one)} × n, "!x"`),
);

it("notes to which a person adds 200,000 lines are still merged: they are not arguments of one call", () => {
  const added = "a\n".repeat(200_000);
  const state = { version: 1 as const, ledger: EMPTY_LEDGER, removed: [] };
  const { text } = mergePage(state, `# Mine\n${added}`, { project: PROJECT, sessionID: "ses_1" });
  expect(text).toContain(added);
});
