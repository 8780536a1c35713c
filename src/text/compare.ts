/**
 * Compares two statements by their words: the same, the opposite, or something else. Cautious: every unclear case is
 * "other", so that no memory becomes outdated by mere resemblance.
 */

import { cut } from "../base/text.js";
import { languageOf } from "./language.js";
import { countShared, coverageOf, isNegated, normalise, overlapOf, readWords } from "./words.js";

export type Relation = "same" | "contradicts" | "other";

export type Compare = typeof compareStatements;

/** The relation of a later statement to an earlier one. Pure. */
export const compareStatements = (later: string, earlier: string): Relation =>
  relate(readStatement(later), readStatement(earlier));

/** The same for many pairs of few statements; reads each once. */
export function createComparison(): Compare {
  const known = new Map<string, Statement>();
  const read = (text: string): Statement => {
    const statement = known.get(text) ?? readStatement(text);
    known.set(text, statement);
    return statement;
  };
  return (later, earlier) => relate(read(later), read(earlier));
}

function relate(a: Statement, b: Statement): Relation {
  if (rejectsEarlier(a, b)) return "contradicts";
  if (a.words.size + b.words.size === 0)
    return a.text !== "" && readMeaning(a.text) === readMeaning(b.text) ? "same" : "other";
  // Each has a subject that the other lacks: production and staging, commits and releases.
  if (hasUnshared(a.words, b.words) && hasUnshared(b.words, a.words)) return "other";
  const likeness = overlapOf(a.words, b.words);
  const [shorter, longer] = a.words.size < b.words.size ? [a.words, b.words] : [b.words, a.words];
  const doNumbersDiffer = a.numbers.size > 0 && b.numbers.size > 0 && countShared(a.numbers, b.numbers) === 0;
  // Of several numbers one may be the subject: server 64 on port 2064, server 65 on port 2065.
  const mayNumberSubjects = a.numbers.size > 1 && b.numbers.size > 1;
  if (doNumbersDiffer) {
    const isAboutSame = likeness >= SAME_SUBJECT && !mayNumberSubjects;
    return isAboutSame && a.isNegated === b.isNegated ? "contradicts" : "other";
  }
  const isWithin = shorter.size >= LEAST_WITHIN && coverageOf(shorter, longer) >= WITHIN;
  const isAlike = likeness >= SAME || isWithin;
  if (!isAlike) return "other";
  return a.isNegated === b.isNegated ? "same" : "contradicts";
}

/** Minimum Jaccard overlap of two statements about the same thing … */
const SAME_SUBJECT = 0.6;
/** … and of two that say the same. */
const SAME = 0.7;
/** Minimum share of the shorter statement's words found in the longer. */
const WITHIN = 0.9;
const LEAST_WITHIN = 3;

/** A statement in the form used for comparison. */
interface Statement {
  text: string;
  /** Affirmed words, without numbers. */
  words: Set<string>;
  numbers: Set<string>;
  /** Rejected words: "not npm", "instead of npm". */
  rejected: Set<string>;
  isNegated: boolean;
}

const REJECTS =
  /(?:,? (?:and )?not|\binstead of|\brather than|\bno longer|\bany ?more than|\bover|而不是|不是|不再用|不再使用|不用)\s*((?:[\w./@-]+\s?){1,3}|[\p{Script=Han}\w./@-]{1,12})/giu;
/** Words that do not indicate a statement's subject. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "but so with from as i you its our my your been so always do must should use used uses using prefer want will can every each all any only now here there have has let let's go going us if then than when just also still more remember note because since everything everywhere anything currently project repo repository codebase".split(
    " ",
  ),
);

/** Characters compared: a longer text is not a statement. */
const LOOKED_AT = 8_000;

function readStatement(text: string): Statement {
  // "No, …" rejects an earlier statement, not what follows.
  const statement = normalise(cut(text, LOOKED_AT));
  const lower = statement.toLowerCase().replace(languageOf(statement).opening, "");
  const rejected = new Set(
    [...lower.matchAll(REJECTS)].flatMap((match) => [...readWords(match[1] ?? "", EMPTY_WORDS)]),
  );
  const affirmed = lower.replace(REJECTS, " ");
  const all = readWords(affirmed, EMPTY_WORDS);
  const numbers = new Set([...all].filter((word) => /^v?\d[\d.:]*$/.test(word)));
  return {
    text: statement,
    words: new Set([...all].filter((word) => !numbers.has(word))),
    numbers,
    rejected: new Set([...rejected].filter((word) => !all.has(word))),
    isNegated: isNegated(affirmed),
  };
}

/** True if the later statement rejects what the earlier one affirmed. */
function rejectsEarlier({ rejected, words, numbers }: Statement, earlier: Statement): boolean {
  const hits = [...rejected].filter((word) => earlier.words.has(word) || earlier.numbers.has(word));
  if (hits.length === 0 || earlier.isNegated) return false;
  // "Spaces, not tabs, in Python" says nothing about tabs in Makefiles.
  const left = [...earlier.words, ...earlier.numbers].filter((word) => !hits.includes(word));
  return left.every((word) => words.has(word) || numbers.has(word));
}

function hasUnshared(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return countShared(words, others) < words.size;
}

/*
 * Normalises texts so that free variations of wording disappear. Equal results mean the same statement; for unequal
 * ones, a model or a person must decide.
 *
 * Cautious: an extra or moved word, a sign, a unit, or the case of a name in code makes another wording, because it may
 * make another fact. "A calls B" and "B calls A" share all their words, and "reset the staging database on Mondays"
 * differs from the same for production in only one.
 */

/** The text in lower case, without punctuation and extra spaces; words, order and symbols stay. */
export function readWording(text: string): string {
  // In code, every character and line counts.
  return text.includes("```") ? text.trim() : splitPlaces(text).join(" ");
}

/** The same, without articles and with one spelling per word. */
export function readMeaning(text: string): string {
  if (text.includes("```")) return readWording(text);
  return foldPhrases(splitSentences(text).map(moveBeginning).map(foldWords).join(" . "));
}

/** Words that are interchangeable in any context, by the kept spelling. */
const SPELLINGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    configuration: "config",
    database: "db DB",
    development: "dev",
    directory: "dir folder",
    documentation: "docs",
    each: "every",
    email: "e-mail",
    javascript: "js",
    kubernetes: "k8s",
    minutes: "mins",
    must: "shall",
    postgresql: "postgres",
    production: "prod",
    repository: "repo",
    seconds: "secs",
    typescript: "ts",
    use: "utilise utilize",
    uses: "utilises utilizes",
    ...Object.fromEntries(
      "two three four five six seven eight nine ten".split(" ").map((one, n) => [n + 2, one]),
    ),
  }).flatMap(([kept, others]) => others.split(" ").map((other) => [other, kept])),
);

/** Phrases with a shorter equivalent, or none. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/(?<=^| )(?:please|note that|remember that|keep in mind that|in order(?= to ))(?= |$) ?/g, ""],
  [/(?<=^| )(do|does|did|is|are|was|were|have|has|had|would|should|could|must)n't(?= |$)/g, "$1 not"],
  [/(?<=^| )(?:can't|cannot)(?= |$)/g, "can not"],
  [/(?<=^| )won't(?= |$)/g, "will not"],
  [/(?<=^| )(?:have to|has to)(?= )/g, "must"],
  [/(\d) ?(?:percent|per cent|%)(?= |$)/g, "$1%"],
  [/(\d) (?=(?:ms|s|min|h|kb|mb|gb|KB|MB|GB|KiB|MiB|GiB|px)(?: |$))/g, "$1"],
  // Drops articles, not quantities or names: "a few" is not "few", and "option a" is a name.
  [/(?<=^| )(?:the|an|a(?! (?:few|little|is|are|was|were|and|or|has|must|can)(?: |$)|$))(?= ) ?/g, ""],
  [/使 用/g, "用"],
  [/每 日/g, "每 天"],
  [/(?<=环 境|项 目|仓 库|目 录) [里中](?= |$)/g, ""],
  [/请 /g, ""],
];

const BEGINNING = /^(?:in|on|at|during|for|since|before|after|with|within|without) /i;

/** "In staging, X" becomes "X in staging"; with a second comma it is unclear what the beginning belongs to. */
function moveBeginning(sentence: string): string {
  const [beginning = "", rest, ...more] = sentence.split(/, /);
  if (rest === undefined || more.length > 0 || !BEGINNING.test(beginning)) return sentence;
  return `${rest.replace(/(?<![.!])[.!]+$/, "")} ${beginning}`;
}

function splitSentences(text: string): string[] {
  return text.split(/(?<=[.!?;])\s+|\n\n+/).filter((sentence) => sentence.trim() !== "");
}

const foldWords = (sentence: string): string =>
  splitPlaces(sentence)
    .map((word) => (Object.hasOwn(SPELLINGS, word) ? SPELLINGS[word] : word))
    .join(" ");

function foldPhrases(text: string): string {
  return PHRASES.reduce((folded, [phrase, kept]) => folded.replace(phrase, kept), text).trim();
}

/** A word that is not prose: with a digit, a symbol or an inner capital, or one or two capitals, like US. */
const NO_PROSE = /[^\p{L}'’-]|\p{L}\p{Lu}|^\p{Lu}{1,2}$/u;
/** Punctuation before and after a word; not "?", and none that matters in code. */
const BEFORE = /^(?:["“”„‘’'([（【「『《]|\*\*|__)+/;
const BEHIND = /(?:["“”’'\])）】」』》,;:、。.!]|\*\*|__)+$/;
const END = /[.;!。]/;
/** Replaces spaces within inline code, which is one word. */
const WITHIN_CODE = "\u0001";

function splitPlaces(text: string): string[] {
  const words = normalise(text)
    .replace(/^[ \t]*(?:[-*+]|#{1,6}|\d+\.)[ \t]+/gm, "")
    .replace(/`[^`\n]+`/g, (code) => code.replace(/\s+/g, WITHIN_CODE))
    // Han is written without spaces: each character is a word.
    .replace(/\p{Script=Han}/gu, " $& ")
    .split(/[\s\u3000]+/)
    .flatMap((word, index) => foldWord(word, index === 0));
  while (words.at(-1) === "." || words.at(-1) === ",") words.pop();
  return words;
}

/** A longer one is data: at a long run of punctuation the patterns would take time by the square of its length. */
const LONGEST_WORD = 300;

function foldWord(given: string, isFirst: boolean): string[] {
  if (given.length > LONGEST_WORD) return [given];
  // "No, use npm" rejects an earlier statement, "no use" does not; 5" and 5' are measures.
  if (/^no,$/i.test(given)) return ["no,"];
  if (/^[\d.]+["']$/.test(given)) return [given];
  const behind = BEHIND.exec(given)?.[0] ?? "";
  const bare = given.slice(0, given.length - behind.length).replace(BEFORE, "");
  const end = END.test(behind) ? ["."] : [];
  if (bare === "" || /^[—–-]$/.test(bare)) return end.length > 0 || !/[,、]/.test(behind) ? end : [","];
  return [foldCase(bare, isFirst), ...end];
}

/** "API" and "Api" are "api"; US, Go's `PATH`, readFile and src/A.ts stay. */
function foldCase(word: string, isFirst: boolean): string {
  if (word.includes("`")) return word.replaceAll("`", "");
  if (isFirst && word === "A") return "a";
  const isShout = word.length > 2 && /^\p{Lu}+$/u.test(word);
  return isShout || !NO_PROSE.test(word) ? word.toLowerCase() : word;
}
