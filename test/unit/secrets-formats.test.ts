import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findSecrets, redactSecrets } from "../../src/text/secrets/secrets.js";
import { countLookedAt } from "../support/looked-at.js";
import {
  createRandom,
  generate,
  lastSurroundings,
  otherSurroundings,
  surroundings,
} from "../support/secrets/generate.js";
import {
  allFormats,
  listMissed,
  lookAlikes,
  tellings,
  wholeTexts,
  writeSamples,
  writeTold,
  writeWhole,
} from "../support/secrets/samples.js";

const SEED = 14;
/** Of the samples of a provider or language; chance makes some look like words. */
const MOST_MISSED = 0.05;

const redact = (text: string): string => redactSecrets(text).text;

describe("keys of a provider, generated from their published format", () => {
  const everywhere = [...surroundings, ...otherSurroundings, ...lastSurroundings];
  it.each(allFormats.map((format) => [`${format.provider} ${format.noun}`, format] as const))(
    "%s: at least 95 of 100 are found in their surroundings",
    (_, format) => {
      const samples = writeSamples(format, everywhere, { each: 2, seed: SEED });
      const missed = listMissed(samples, redact);
      expect(samples.length).toBeGreaterThanOrEqual(40);
      expect(missed.slice(0, missed.length > samples.length * MOST_MISSED ? 9 : 0)).toEqual([]);
    },
  );
});

describe("a password that is told in a sentence", () => {
  it.each(tellings.map((telling) => [telling.language, telling] as const))(
    "%s: at least 95 of 100 are found",
    (_, telling) => {
      for (const which of ["sentences", "others"] as const) {
        const samples = writeTold(telling, which, { each: 3, seed: SEED });
        const missed = listMissed(samples, redact);
        expect(samples.length).toBeGreaterThanOrEqual(80);
        expect(missed.slice(0, missed.length > samples.length * MOST_MISSED ? 9 : 0)).toEqual([]);
      }
    },
  );
});

describe("a secret that is known by the file, command or address around it", () => {
  it.each(Object.entries(wholeTexts))("%s: at least 95 of 100 are found", (_, formats) => {
    const samples = writeWhole(formats, { each: 20, seed: SEED });
    const missed = listMissed(samples, redact);
    expect(missed.slice(0, missed.length > samples.length * MOST_MISSED ? 9 : 0)).toEqual([]);
  });
});

it("what takes a secret's place holds none, wherever the secret stood", () => {
  for (const format of allFormats)
    for (const { text } of writeSamples(format, surroundings, { each: 1, seed: SEED + 1 }))
      expect(redactSecrets(redact(text)).found).toEqual([]);
});

const EACH = 20;
/** Of all look-alikes of a kind. */
const MOST_FALSE = 0.01;

const findIn = (text: string): string[] => findSecrets(text).map(({ end, start }) => text.slice(start, end));

describe("what looks like a secret and is none", () => {
  it.each(Object.entries(lookAlikes))("%s: at most one of 100 is taken for one", (_, formats) => {
    const random = createRandom(SEED);
    const texts = formats.flatMap((format) => Array.from({ length: EACH }, () => generate(format, random)));
    const taken = texts.filter((text) => findIn(text).length > 0);
    expect(taken.slice(0, taken.length > texts.length * MOST_FALSE ? 9 : 0)).toEqual([]);
  });

  it("a lock file holds none", () => {
    const lock = readFileSync("package-lock.json", "utf8");
    expect(lock.match(/"integrity"/g)?.length).toBeGreaterThan(100);
    expect(findIn(lock)).toEqual([]);
  });

  it("the manifests and change logs of the installed packages hold none", () => {
    const folders = readdirSync("node_modules").flatMap((name) =>
      name.startsWith("@") ? readdirSync(`node_modules/${name}`).map((part) => `${name}/${part}`) : [name],
    );
    const paths = folders
      .flatMap((folder) => ["package.json", "CHANGELOG.md"].map((name) => `node_modules/${folder}/${name}`))
      .filter((path) => existsSync(path));
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.flatMap((path) => findIn(readFileSync(path, "utf8")))).toEqual([]);
  });
});

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
