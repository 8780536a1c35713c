/** Names of the weak signs in a sentence; each has a learned weight. Pure. */
import { chinese } from "./concepts/chinese.js";
import { type Concept, type Concepts, conceptNames } from "./concepts/concepts.js";
import { english } from "./concepts/english.js";
import { japanese } from "./concepts/japanese.js";
import { italian, portuguese, spanish } from "./concepts/romance.js";
import { russian } from "./concepts/russian.js";
import { TECHNOLOGY } from "./forms/technologies.js";
import { bucket } from "./message-traits.js";
import { SPEECH } from "./quotations.js";
import { mendSpelling } from "./spelling.js";
import type { Tongue } from "./tongues/tongue.js";

/** A sentence with its position. */
export interface Placed {
  /** With quotations hidden. */
  text: string;
  /** With quotations. */
  whole: string;
  tongue: Tongue;
  /** Index among the sentences of the message, and their number. */
  at: number;
  of: number;
  /** In a list. */
  isItem: boolean;
  /** First on its line. */
  isFirst: boolean;
  /** After a line that ends in a colon. */
  isAnnounced: boolean;
  isBehindPaste: boolean;
}

/** Languages with labelled sentences. */
const CONCEPTS: Readonly<Partial<Record<Tongue, Concepts>>> = {
  en: english,
  zh: chinese,
  ja: japanese,
  es: spanish,
  pt: portuguese,
  it: italian,
  ru: russian,
};

export function findFeatures(placed: Placed, before: readonly string[]): string[] {
  const { at, isAnnounced, isBehindPaste, isFirst, isItem, of, text, tongue, whole } = placed;
  const lower = mendSpelling(text.toLowerCase().replaceAll("’", "'"));
  const features: string[] = ["bias", `t:${tongue}`, ...findConcepts(lower, tongue)];
  const note = (name: string, holds: boolean): void => {
    if (holds) features.push(name);
  };
  const length = tongue === "zh" || tongue === "ja" ? 2.5 * text.length : text.length;
  features.push(`len${bucket(length, LENGTHS)}`);
  note("at:only", of === 1);
  note("at:first", at === 0 && of > 1);
  note("at:last", at === of - 1 && of > 1);
  note("item", isItem);
  note("lineStart", isFirst);
  note("announced", isAnnounced);
  note("behindPaste", isBehindPaste);
  note("asks?", /[?？]\s*\S{0,3}$/.test(text));
  note("!", /[!！]/.test(text));
  note("...", /\.\.|…/.test(text));
  note("stop", /[.。]$/.test(text));
  note("colonEnd", /[:：]$/.test(text));
  note("colonIn", /\S[:：]\s+\S/.test(text));
  note("label", /^[\p{L}\w /`*-]{2,30}[:：]\s?\S/u.test(text));
  note("equals", /\S ?= ?\S/.test(text));
  note("comma", /[,，、]/.test(text));
  note("commas", (text.match(/[,，、]/g)?.length ?? 0) >= 3);
  note("paren", /[(（]/.test(text));
  note("dash", / [-–—] /.test(text));
  note("sign", /^[^\p{L}\p{N}@\uE000-\uF8FF]/u.test(text));
  note("small", /^[a-zа-я]/.test(text));
  note("capitals", /\b[A-Z]{3,}\b.*\b[A-Z]{3,}\b/.test(text));
  note("number", /\d/.test(text));
  note("unit", /\d ?(px|ms|s|sec|seconds?|min|minutes?|h|hours?|days?|gb|mb|kb|%|usd|\$|€)\b/i.test(text));
  note("url", /https?:\/\/|\bwww\./.test(whole));
  note("path", /(^|\s)([A-Za-z]:\\|~?\/\w|\.{0,2}\/\w)|\w+\/\w+\/\w+/.test(whole));
  note(
    "file",
    /\b[\w-]+\.(ts|tsx|js|jsx|py|md|json|html|css|php|java|go|rs|ya?ml|toml|cs|xml|csv|sh|ps1|kt|txt|sql|dart)\b/i.test(
      whole,
    ),
  );
  note("mention", /(^|\s)@[\w./-]+/.test(whole));
  note(
    "command",
    /\b(npm|npx|pnpm|yarn|pip|git|docker|python|cargo|flutter|gradle|mvn|dotnet|make|bash|powershell) [a-z-]/i.test(
      whole,
    ),
  );
  note("code", /[\uE000-\uEFFF]|\w+_\w+|\w+\(\)|[a-z][A-Z]\w/.test(text));
  note("name", /\S\s+[A-Z][a-z]+[A-Z]?\w*/.test(text));
  note("tech", TECH.test(lower));
  note("speech", SPEECH.test(text));
  note("symbols", (text.match(/[{}()[\];=<>|\\/]/g)?.length ?? 0) > 4);
  features.push(...findPairs(features, isFirst));
  // The subject of the previous sentence.
  for (const name of before) if (BEFORE.has(name)) features.push(`b:${name}`);
  return features;
}

const TECH = new RegExp(TECHNOLOGY);
/** Bounds in characters. */
const LENGTHS = [15, 30, 50, 80, 120, 180, 300];
const BEFORE = new Set([
  "c:correction",
  "c:order",
  "c:asks",
  "c:canYou",
  "asks?",
  "c:state",
  "c:decided",
  "c:want",
]);

function findConcepts(lower: string, tongue: Tongue): string[] {
  const concepts = CONCEPTS[tongue];
  if (!concepts) return [];
  return conceptNames.filter((name: Concept) => concepts[name]?.test(lower)).map((name) => `c:${name}`);
}

/** Pairs of signs that say more together than alone. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["c:theSubject", "c:isA"],
  ["c:theSubject", "c:must"],
  ["c:theSubject", "c:should"],
  ["c:domain", "c:can"],
  ["c:domain", "c:must"],
  ["c:domain", "c:should"],
  ["c:each", "c:must"],
  ["c:each", "c:should"],
  ["c:want", "c:each"],
  ["c:want", "c:prefer"],
  ["c:weSubject", "c:plan"],
  ["c:let", "c:instead"],
  ["c:let", "c:plan"],
  ["c:my", "c:isA"],
  ["c:iSubject", "c:env"],
  ["c:iSubject", "c:iHave"],
  ["c:rule", "c:each"],
  ["c:rule", "c:only"],
  ["c:rule", "c:dont"],
  ["c:no", "c:isA"],
  ["c:thereIs", "c:no"],
  ["c:youDid", "c:no"],
  ["c:located", "c:isA"],
  ["path", "c:isA"],
  ["url", "c:isA"],
  ["label", "path"],
  ["label", "url"],
  ["c:order", "c:look"],
  ["c:should", "c:look"],
  ["c:isA", "c:state"],
  ["c:isA", "c:domain"],
  ["c:isA", "c:env"],
  ["c:decided", "c:instead"],
  ["c:order", "asks?"],
  ["c:anaphora", "c:isA"],
  ["item", "c:order"],
  ["item", "c:must"],
  ["item", "c:rule"],
  ["c:canYou", "c:each"],
  ["c:if", "c:rule"],
  ["c:means", "c:isA"],
];

function findPairs(features: readonly string[], isFirst: boolean): string[] {
  const has = new Set(features);
  const pairs = PAIRS.filter(([a, b]) => has.has(a) && has.has(b)).map(([a, b]) => `${a}&${b}`);
  // A statement without a sign against it.
  const isPlain = !PLAIN_AGAINST.some((name) => has.has(name));
  return isPlain
    ? [
        ...pairs,
        "plain",
        ...(isFirst ? ["plain&lineStart"] : []),
        ...(has.has("c:isA") ? ["plain&c:isA"] : []),
      ]
    : pairs;
}

const PLAIN_AGAINST = [
  "asks?",
  "c:asks",
  "c:order",
  "c:canYou",
  "c:please",
  "c:state",
  "c:now",
  "c:here",
  "c:hedge",
  "c:chat",
  "c:anaphora",
  "c:did",
];
