import { describe, expect, it } from "vitest";
import { redactSecrets } from "../../src/text/secrets/secrets.js";
import { lastSurroundings, otherSurroundings, surroundings } from "../support/secrets/generate.js";
import {
  allFormats,
  listMissed,
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
