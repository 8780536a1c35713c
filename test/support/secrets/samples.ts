/** Samples of secrets where people have them, and whether they are found. */
import { type Format, formats } from "./formats.js";
import { createRandom, generate, isLeft, nameKey, type Surrounding } from "./generate.js";
import { namedFormats } from "./named-formats.js";
import { passwords, type Telling } from "./told-passwords.js";

export const allFormats: readonly Format[] = [...formats, ...namedFormats];

export interface Sample {
  surrounding: string;
  secret: string;
  text: string;
}

/** `each` samples in each surrounding where the key can be told. */
export function writeSamples(
  format: Format,
  surroundings: readonly Surrounding[],
  { each, seed }: { each: number; seed: number },
): Sample[] {
  const random = createRandom(seed + format.provider.length * 131 + format.format.length * 7_919);
  const key = nameKey(format);
  return surroundings
    .filter(({ isBare }) => !(isBare && format.isNamed))
    .flatMap(({ name, write }) =>
      Array.from({ length: each }, () => {
        const secret = generate(format.format, random);
        return { surrounding: name, secret, text: write(secret, key) };
      }),
    );
}

export function writeTold(
  { others, sentences }: Telling,
  which: "sentences" | "others",
  { each, seed }: { each: number; seed: number },
): Sample[] {
  const random = createRandom(seed);
  return (which === "sentences" ? sentences : others).flatMap((sentence) =>
    passwords.flatMap((format) =>
      Array.from({ length: each }, () => {
        const secret = generate(format, random);
        return { surrounding: sentence, secret, text: sentence.replace("{p}", secret) };
      }),
    ),
  );
}

/** `each` texts of a kind whose secret is within `«…»`; of one of several lines, the first is looked for. */
export function writeWhole(
  formats: readonly string[],
  { each, seed }: { each: number; seed: number },
): Sample[] {
  const random = createRandom(seed);
  return formats.flatMap((format) =>
    Array.from({ length: each }, () => {
      const marked = generate(format, random);
      const [, secret = ""] = /«([^\n»]*)/.exec(marked) ?? [];
      return { surrounding: format, secret, text: marked.replace(/[«»]/g, "") };
    }),
  );
}

/** What a redaction leaves of them: in an address a secret stands with its signs encoded. */
export const listMissed = (samples: readonly Sample[], redact: (text: string) => string): Sample[] =>
  samples.filter(({ secret, text }) => {
    const redacted = redact(text);
    return isLeft(secret, redacted) || isLeft(encodeURIComponent(secret), redacted);
  });
