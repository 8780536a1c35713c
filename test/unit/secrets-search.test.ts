import { expect, it } from "vitest";
import { findSecrets, redactSecrets } from "../../src/text/secrets/secrets.js";
import { countLookedAt } from "../support/looked-at.js";
import { createRandom, generate, surroundings } from "../support/secrets/generate.js";
import { allFormats, writeSamples } from "../support/secrets/samples.js";

it("a secret is found in a long text as in a short one", () => {
  for (const { text } of allFormats.flatMap((format) =>
    writeSamples(format, surroundings.slice(0, 3), { each: 1, seed: 3 }),
  )) {
    const before = "word ".repeat(400);
    const found = findSecrets(text).map(({ name, start, end }) => [name, text.slice(start, end)]);
    const long = `${before}\n${text}`;
    expect(findSecrets(long).map(({ name, start, end }) => [name, long.slice(start, end)])).toEqual(found);
  }
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

it.each(["dp.pt.", "algolia key ", "kind: Secret\ndata:\n  a: bcde\n", "token ", "sk-", "AAAA "])(
  "%j repeated: twice as much is looked at no more than about twice as often",
  (piece) => {
    const read = (count: number) => countLookedAt(() => void findSecrets(piece.repeat(count))).characters;
    expect(read(4_000)).toBeLessThan(2.3 * read(2_000) + 100_000);
  },
);
