import { expect, it } from "vitest";
import { atOnce } from "../../src/base/slices.js";
import { readHints } from "../../src/text/secrets/hints.js";
import { createOpenings, findByOpening, type Opened } from "../../src/text/secrets/openings.js";
import { findSecrets, redactSecrets, secretRules, tokenRows } from "../../src/text/secrets/secrets.js";
import { countLookedAt } from "../support/looked-at.js";
import { fc } from "../support/property.js";
import { createRandom, generate, surroundings } from "../support/secrets/generate.js";
import { allFormats, writeSamples } from "../support/secrets/samples.js";

const openings = createOpenings(tokenRows);

function findOpened(text: string, piece?: number): Opened[] {
  const all: Opened[] = [];
  const take = (opened: Opened) => {
    all.push(opened);
    return true;
  };
  atOnce(findByOpening(text, openings, take, piece));
  return all;
}

const samples = allFormats.flatMap((format) => writeSamples(format, surroundings, { each: 1, seed: 3 }));

it("tokens are found at the same places whether a text is searched in pieces or as a whole", () => {
  const text = samples.map((sample) => sample.text).join("\n");
  const whole = findOpened(text, text.length);
  expect(whole.length).toBeGreaterThan(samples.length / 2);
  for (const piece of [1_000, 16_000, 99_991]) expect(findOpened(text, piece)).toEqual(whole);
});

it("a text has a hint exactly if a search finds it, whatever the text's length", () => {
  const hints = secretRules.flatMap((rule) => rule.hints);
  const pieces = fc.oneof(
    fc.constantFrom(...hints),
    fc.string({ maxLength: 9 }),
    fc.constant("a ".repeat(700)),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
      const text = parts.join("").toUpperCase();
      const hasHint = atOnce(readHints(text));
      for (const hint of hints) expect(hasHint(hint)).toBe(text.toLowerCase().includes(hint));
    }),
  );
});

it("a token behind a line break that JSON has escaped is found whole", () => {
  const token = generate("ghp_{an36}", createRandom(1));
  const text = JSON.stringify({ log: `first\n${token}\nlast` });
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([token]);
});

it("of secrets that overlap, nothing is left", () => {
  const random = createRandom(2);
  const [one, other] = [generate("ghp_{an36}", random), generate("glpat-{b64u20}", random)];
  const text = `password=${one}/${other} and more`;
  expect(redactSecrets(text).text).toMatch(/^password=\[removed: [\w ]+\] and more$/);
});

it("a private key's first line alone, as code and documents mention it, is no secret", () => {
  const head = ["-----BEGIN", "PRIVATE KEY-----"].join(" ");
  const text = `if (pem.indexOf("${head}") !== 0) throw new Error("not PEM");\n${"x = 1;\n".repeat(100)}`;
  expect(redactSecrets(text)).toEqual({ text, found: [] });
});

it.each([
  "dp.pt.",
  "algolia key ",
  "aliyun_",
  "kind: Secret\ndata:\n  a: bcde\n",
  "token ",
  "sk-",
  "ZXlK",
  "AAAA ",
])("%j repeated: twice as much is looked at no more than twice as often", (piece) => {
  const read = (count: number) => countLookedAt(() => void findSecrets(piece.repeat(count))).characters;
  expect(read(4_000)).toBeLessThan(2.3 * read(2_000) + 100_000);
});

it("no step of the search looks at more than a piece of a long text", () => {
  const { longest } = countLookedAt(() => void findSecrets("algolia key: a token is sk-a1 ".repeat(20_000)));
  expect(Math.max(...longest.values())).toBeLessThan(60_000);
});
