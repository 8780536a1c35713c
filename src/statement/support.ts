/**
 * Does one text say what another says? By what a fact hangs on: words that turn it round, what is spelt as no prose is,
 * names and environments. Two texts that differ in one of these say different things, and whoever words a fact anew has
 * to say each of them again. Pure.
 */
import { isNegative, NEGATIVE, NEGATIVE_HAN } from "./negations.js";
import { normalise } from "./words.js";

/** Any difference counts here, so characters that often turn nothing round are among them. */
const TURNING_HAN = `${NEGATIVE_HAN}非未`;
/** Words that turn round what is said of the next one. */
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
  /\b(?:staging|production|prod|development|dev|preview|sandbox|canary|local|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|(?:测试|生产|预发|开发|线上|本地)(?:环境)?|周[一二三四五六日天]/gi;
/** Capitals within a sentence. */
const NAMES = /(?<=[\p{L}\p{N},;:)'"] )(?:"|\()?(\p{Lu}[\p{L}\p{N}+#-]+)/gu;

/** Numbers, names, names in code, paths, environments and negations, in lower case. */
export function readPivots(text: string): ReadonlySet<string> {
  const plain = normalise(text);
  const found = [TURNING, SPELT, NAMED].flatMap((row) => plain.match(row) ?? []);
  const names = [...plain.matchAll(NAMES)].map(([, name = ""]) => name);
  return new Set([...found, ...names].map((pivot) => pivot.replace(/^`|[`.:,;]+$/g, "").toLowerCase()));
}

/** A pivot of these texts that the new one does not say, or one of its own that is in none of them. */
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

/** Would this letter beside that one be of the same word? */
const isWord = (beside: string | undefined, letter: string | undefined): boolean =>
  /[\w-]/.test(beside ?? "") && /\w/.test(letter ?? "");

/** Negations with the word that they turn round: "not use" is lost where "not" stands before another. */
function readTurns(text: string): ReadonlySet<string> {
  const turns = normalise(text).toLowerCase().matchAll(TURNS);
  return new Set([...turns].map(([, turning, next, han]) => han ?? `${turning} ${next}…`));
}

const ABSOLUTE = /\b(always|every|all|must|only)\b|总是|必须|务必|只|都|永远/iu;

/** Does it turn something down, or hold without exception? */
export function isDecisive(text: string): boolean {
  return isNegative(text) || ABSOLUTE.test(text);
}

/** What is ruled out in one must be ruled out in the other; what the text makes absolute the evidence must have. */
export function isDecidedAlike(text: string, evidence: string): boolean {
  return isNegative(text) === isNegative(evidence) && (!ABSOLUTE.test(text) || ABSOLUTE.test(evidence));
}

/** A number, path, address or the like in the text that the evidence has not. */
export function findUnsupported(text: string, evidence: string): string | undefined {
  const said = normalise(evidence).toLowerCase();
  return (normalise(text).match(/[^\s"'`()（）,，;；。“”「」]+/g) ?? [])
    .filter((word) => /[\d/\\@_#$=<>|~]|[^\s:]:[^\s]|\p{L}\.\p{L}|^--?\p{L}/u.test(word))
    .map((word) => word.replace(/[.:!?！？：]+$/, "").toLowerCase())
    .find((word) => /[\p{L}\p{N}]/u.test(word) && !said.includes(word));
}
