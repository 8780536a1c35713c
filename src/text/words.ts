/**
 * The words of a statement: normalises spelling, extracts the words that carry meaning, and measures how far two texts
 * share them. Pure.
 */
import { foldLetters, isDense } from "../base/text.js";

/** Unifies wide characters, minus signs and apostrophes, and drops invisible marks. Case and spaces stay. */
export function normalise(text: string): string {
  return (
    text
      // Not NFKC, which turns 10⁵ into 105.
      .normalize("NFC")
      .replace(/\p{Cf}/gu, "")
      .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .replaceAll("−", "-")
      .replaceAll("’", "'")
  );
}

const WORD = /[#!&]\d+|[\p{L}\p{N}][\p{L}\p{N}_./@'-]*/gu;
const RUNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu;

/** Function words that any statement may have. */
export const FILLERS: ReadonlySet<string> = new Set(
  "the a an is are was were be of to in on at for and or we it this that".split(" "),
);
/** Words that differ between an agent's wording and the user's. */
const PERSONS = new Set("these those with as by i you he she they please s t".split(" "));

/**
 * Words in the singular, names and paths whole; pairs of characters for scripts without spaces. Omits fillers, the
 * caller's `empty` words, and negations.
 */
export const readWords = (text: string, empty: ReadonlySet<string> = new Set()): Set<string> =>
  split(text, toSingular, pairsOf, empty);

/**
 * Stems for finding a text's subject: "pushing" is "push", and for scripts without spaces each character is a word. Too
 * coarse to decide that two texts say the same.
 */
export const readStems = (text: string): Set<string> =>
  split(text, toStem, (characters) => characters, PERSONS);

function split(
  text: string,
  simplify: (word: string) => string,
  splitRun: (characters: readonly string[]) => readonly string[],
  empty: ReadonlySet<string>,
): Set<string> {
  const isSaying = (word: string): boolean =>
    word !== "" && !FILLERS.has(word) && !empty.has(word) && !NEGATIVE_WORD.test(word);
  const words = (normalise(text).toLowerCase().match(WORD) ?? [])
    .filter(isSaying)
    .flatMap((word) => word.match(RUNS) ?? [])
    // A longer one is data, at which a host's engine is slow.
    .flatMap((run) => (isDense(run) ? splitRun([...run]) : [run.length > 120 ? run : simplify(run)]));
  return new Set(words.filter(isSaying));
}

/** "Tests'" is "test". */
function toSingular(word: string): string {
  const bare = word.replace(/[./'-]+$/, "").replace(/'s$/, "");
  return bare.length > 3 && /^[\p{L}-]+[^s]s$/u.test(bare) ? bare.slice(0, -1) : bare;
}

const toStem = (word: string): string => toSingular(word).replace(/(?<=\p{L}{3})(s|es|ed|ing)$/u, "");

const pairsOf = (characters: readonly string[]): string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`);

export function countShared(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of wanted) if (given.has(word)) shared++;
  return shared;
}

/** Jaccard overlap of two sets of words: 0 to 1. */
export function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = countShared(one, other);
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Share of the first set's words found in the second: 0 to 1; 1 if the first is empty. */
export const coverageOf = (words: ReadonlySet<string>, by: ReadonlySet<string>): number =>
  words.size === 0 ? 1 : countShared(words, by) / words.size;

/* Words that negate a statement. Pure. */

const CONTRACTED =
  "\\w+n['’]t|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could|must|need)nt";
/** Excludes past tense: it reports what was not, and forbids nothing. */
const PAST = "(?!(?:did|was|were|had|has|have)n['’]?t\\b)";
/** Negations for patterns with flag "i"; `NEGATIVE_HAN` is a set of Chinese characters. */
export const NEGATIVE = `not|never|no|without|cannot|${CONTRACTED}`;
/** A word that is only a negation. */
export const NEGATIVE_WORD = new RegExp(`^${PAST}(?:not|never|no|cannot|${CONTRACTED})$`, "i");
export const NEGATIVE_HAN = "不别勿禁没无";

const pattern = (words: string, flags: string): RegExp =>
  new RegExp(`\\b${words}\\b|[${NEGATIVE_HAN}]|避免`, flags);
const ANY = `(?:${NEGATIVE}|avoid|(?<!-)stop|forbid(?:den)?)`;
const NEGATION = pattern(ANY, "giu");
const RULING_OUT = pattern(`${PAST}${ANY}`, "iu");
/** "No, use tabs" forbids nothing. */
const INTERJECTION = /^(no|nope|nah|wait|stop)\s*[,.!:;–—-]+\s*/i;
/** "是不是" and "有没有" ask. */
const ASKING_HAN = /(\p{sc=Han})[不没]\1/gu;

/** True if it rules something out. */
export const isNegative = (text: string): boolean => RULING_OUT.test(withoutEmpty(text));

/** True if the statement is negated; two negations cancel out. */
export const isNegated = (text: string): boolean =>
  [...withoutEmpty(text).matchAll(NEGATION)].length % 2 === 1;

/** Without the negations that deny nothing. */
const withoutEmpty = (text: string): string => text.replace(INTERJECTION, "").replace(ASKING_HAN, "");

/** Includes characters that often negate nothing: here any difference counts. */
const TURNING_HAN = `${NEGATIVE_HAN}非未`;
/** Words that negate or restrict what follows. */
const TURNING = new RegExp(
  `\\b(?:${NEGATIVE}|instead|always|only|before|after|until|unless|except|least|most|less|more)\\b|[${TURNING_HAN}]`,
  "giu",
);
const TURNS = new RegExp(
  `\\b(${NEGATIVE})\\b[ ]+(?:the |an? |any |be )?([\\p{L}\\p{N}]{2})|([${TURNING_HAN}]\\p{Script=Han})`,
  "gu",
);
const SPELT = /`[^`]+`|[\w./@:-]*[\d/_@][\w./@:-]*|\b[a-z]+[A-Z]\w*\b/g;
const NAMED =
  /\b(?:staging|production|prod|development|dev|preview|sandbox|canary|local|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|(?:生产|预发|线上)(?:环境)?|(?:测试|开发|本地)(?:环境|(?=库|数据库|服|机|站))|周[一二三四五六日天]/gi;
/** Capitals within a sentence. */
const NAMES = /(?<=[\p{L}\p{N},;:)'"] )(?:"|\()?(\p{Lu}[\p{Lu}\p{Ll}\p{N}+#-]+)/gu;

/** Numbers, names, names in code, paths, environments and negations, in lower case. */
export function readPivots(text: string): ReadonlySet<string> {
  const plain = normalise(text);
  const found = [TURNING, SPELT].flatMap((row) => plain.match(row) ?? []);
  const pivots = found.map((pivot) => pivot.replace(/^`|[`.:,;]+$/g, "").toLowerCase());
  return new Set([...pivots, ...readNames(text)]);
}

/** Names within a sentence, and environments, in lower case. */
export function readNames(text: string): ReadonlySet<string> {
  const plain = normalise(text);
  const names = [...plain.matchAll(NAMES)].map(([, name = ""]) => name);
  return new Set([...(plain.match(NAMED) ?? []), ...names].map((name) => name.toLowerCase()));
}

/** A pivot of these texts that the new one lacks, or one that only the new one has. */
export function findStrayPivot(
  texts: readonly string[],
  worded: string,
): { lost: string } | { added: string } | undefined {
  const all = texts.join("\n");
  const lost = [...readPivots(all)].find((pivot) => !says(worded, pivot));
  if (lost !== undefined) return { lost };
  const added = [...readPivots(worded)].find((pivot) => !says(all, pivot));
  if (added !== undefined) return { added };
  const turned = readTurns(worded);
  const turn = [...readTurns(all)].find((one) => !turned.has(one));
  return turn === undefined ? undefined : { lost: turn };
}

function says(text: string, pivot: string): boolean {
  const plain = normalise(text).toLowerCase();
  for (let at = plain.indexOf(pivot); at !== -1; at = plain.indexOf(pivot, at + 1)) {
    const isWhole = !isWord(plain[at - 1], pivot.at(0)) && !isWord(plain[at + pivot.length], pivot.at(-1));
    if (isWhole) return true;
  }
  return false;
}

/** True if the two adjacent characters belong to one word. */
const isWord = (beside: string | undefined, letter: string | undefined): boolean =>
  /[\w-]/.test(beside ?? "") && /\w/.test(letter ?? "");

/** Negations with the word they negate: "not use" is lost if "not" moves to another word. */
function readTurns(text: string): ReadonlySet<string> {
  const turns = normalise(text).toLowerCase().matchAll(TURNS);
  return new Set([...turns].map(([, turning, next, han]) => han ?? `${turning} ${next}…`));
}

const ABSOLUTE = /\b(always|every|all|must|only)\b|总是|必须|务必|只|都|永远/iu;

/** True if it rules something out or allows no exception. */
export const isDecisive = (text: string): boolean => isNegative(text) || ABSOLUTE.test(text);

/** True if both rule something out or neither does, and the text is only absolute if the evidence is. */
export const isDecidedAlike = (text: string, evidence: string): boolean =>
  isNegative(text) === isNegative(evidence) && (!ABSOLUTE.test(text) || ABSOLUTE.test(evidence));

/** What blanks, quotes and brackets part; and letters of scripts that write no blank before a number or a name. */
const PIECES = /[^\s"'`()*,;\u3000-\u303f“”・ー\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/gu;

/** A number, path, address or the like in the text that the evidence lacks. "Node.js" is there as "nodejs" too. */
export function findUnsupported(text: string, evidence: string): string | undefined {
  const given = normalise(evidence).toLowerCase();
  const [said, letters] = [fenceNumbers(given), foldLetters(given)];
  return (normalise(text).toLowerCase().match(PIECES) ?? [])
    .filter((word) => /[\d/\\@_#$=<>|~]|[^\s:]:[^\s]|\p{L}{2}\.\p{L}|^--?\p{L}/u.test(word))
    .map((word) => word.replace(/^:+|[.:!?]+$/g, "").replace(/^(\d[\d.,:]*)-?\p{L}+$/u, "$1"))
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && !said.includes(fenceNumbers(word)))
    .find((word) => !/^[\p{L}.]+$/u.test(word) || !letters.includes(foldLetters(word)));
}

/** "80" is no part of "8080". */
const fenceNumbers = (text: string): string => text.replace(/\d+/g, " $& ");
