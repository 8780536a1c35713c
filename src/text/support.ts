import { isNegative, NEGATIVE, NEGATIVE_HAN, normalise } from "./words.js";

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
export function isDecisive(text: string): boolean {
  return isNegative(text) || ABSOLUTE.test(text);
}

/** True if both rule something out or neither does, and the text is only absolute if the evidence is. */
export function isDecidedAlike(text: string, evidence: string): boolean {
  return isNegative(text) === isNegative(evidence) && (!ABSOLUTE.test(text) || ABSOLUTE.test(evidence));
}

/** A number, path, address or the like in the text that the evidence lacks. */
export function findUnsupported(text: string, evidence: string): string | undefined {
  const said = normalise(evidence).toLowerCase();
  return (normalise(text).match(/[^\s"'`()（）,，;；。“”「」]+/g) ?? [])
    .filter((word) => /[\d/\\@_#$=<>|~]|[^\s:]:[^\s]|\p{L}\.\p{L}|^--?\p{L}/u.test(word))
    .map((word) => word.replace(/[.:!?！？：]+$/, "").toLowerCase())
    .find((word) => /[\p{L}\p{N}]/u.test(word) && !said.includes(word));
}
