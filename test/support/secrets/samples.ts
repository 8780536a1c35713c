/** Samples of secrets where people have them, and whether they are found. */
import data from "./data.json" with { type: "json" };
import { createRandom, type Format, generate, isLeft, nameKey, type Surrounding } from "./generate.js";

type Texts = Readonly<Record<string, readonly string[]>>;
type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * How the keys of each provider look, as the issuers publish it and as the rules of gitleaks collect it; written apart from
 * the patterns that find them. By what people call them, then by provider.
 */
const listFormats = (rows: Rows, more: Pick<Format, "isNamed"> = {}): Format[] =>
  Object.entries(rows).flatMap(([noun, of]) =>
    Object.entries(of).map(([provider, format]) => ({ provider, format, noun, ...more })),
  );

/** The latter say nothing by themselves: only the provider's name before them tells what they are. */
export const allFormats: readonly Format[] = [
  ...listFormats(data.formats),
  ...listFormats(data.named, { isNamed: true }),
];

/** Passwords in sentences, by language; `{p}` stands for the password. The `others` were kept back until the patterns were done. */
export interface Telling {
  language: string;
  sentences: readonly string[];
  others: readonly string[];
}
export const tellings: readonly Telling[] = data.tellings;

/** What looks like a secret and is none, by kind. */
export const lookAlikes: Texts = data.lookAlikes;

/** Secrets that are known by the file, command or address around them; `«…»` holds what must go. */
export const wholeTexts: Texts = data.wholeTexts;

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
    data.passwords.flatMap((format) =>
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
