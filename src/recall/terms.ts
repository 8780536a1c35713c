/**
 * Splits a text into index terms.
 *
 *     "Where does createUserIndex live?"   createuserindex, creat, user, index, live
 *     "src/context/request.ts:12"             src/context/request.ts, src, view, request.ts, request, ts, 12
 *     "see !12 and #34"                    !12, #34, 12, 34
 *     "端口改成8080"                        端口, 口改, 改成, 8080
 *
 * Names are indexed whole and in parts, so that either finds them. Latin words lose accents, and words of plain English
 * letters are stemmed (Porter). Scripts without spaces are split into pairs of characters, which gives the same terms
 * in every runtime; word segmenters do not.
 */

import { stemmer } from "stemmer";
import { MOST_OF_A_FIELD } from "../base/text.js";

/** Maximum number of cached words: the vocabulary of a project. */
const MOST_REMEMBERED = 20_000;
/** A longer word is a hash, a key or minified code. */
const LONGEST_TERM = 120;

/** A word, a name or a path, delimited by spaces, brackets and most punctuation. */
const CHUNK = /[\p{L}\p{N}_@!#&/\\.~+'’-]+/gu;
const ENTITY = /^[!#&]\d+$/;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}|\p{N}+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{M}ー]+/gu;
/** "May" as a month, unless it begins a sentence: "in May", "May 2023", not "May I". */
const MONTH_OF_MAY = "month_may";
const MAY = /May\b(?<=[^.!?\s]\s+May)|\bMay(?=[\s,]+\d)/g;

/** All terms in the order of the text, with repetitions. */
export function splitTerms(text: string): string[] {
  return findChunks(text).flatMap(splitChunk);
}

/** A `splitTerms` that caches words: most words of a text recur. */
export function createSplitter(): (text: string) => string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const terms: string[] = [];
    for (const chunk of findChunks(text)) {
      let found = known.get(chunk);
      if (!found) {
        found = splitChunk(chunk);
        if (known.size >= MOST_REMEMBERED) known.clear();
        known.set(chunk, found);
      }
      for (const term of found) terms.push(term);
    }
    return terms;
  };
}

function findChunks(text: string): string[] {
  const read = text.slice(0, MOST_OF_A_FIELD).normalize("NFKC").replace(MAY, MONTH_OF_MAY);
  return read.match(CHUNK) ?? [];
}

/** True if the text has something from code: a path, a name in camelCase or snake_case, a call, an entity, a flag. */
export function hasIdentifiers(text: string): boolean {
  return /`|\p{Ll}\p{Lu}|\w_\w|\w\(\)|[!#&]\d|(^|\s)--?\w|\w[/\\]\w|\b[\w-]+\.(?!\s)[a-z]{1,4}\b/u.test(
    text.slice(0, MOST_OF_A_FIELD),
  );
}

/** The term of a word; `undefined` for a stop word or one that is too long. */
function toTerm(word: string): string | undefined {
  const plain = word
    .normalize("NFD")
    .replace(/(?<=[A-Za-z])\p{M}+/gu, "")
    .normalize("NFC")
    .toLowerCase();
  if (plain === "" || plain.length > LONGEST_TERM || stopWords.has(plain)) return undefined;
  return /^[a-z]{3,}$/.test(plain) ? stemmer(plain) : plain;
}

function splitChunk(raw: string): string[] {
  if (raw === MONTH_OF_MAY) return ["may"];
  const chunk = trimPunctuation(raw);
  if (chunk === "") return [];
  const terms: string[] = [];
  if (ENTITY.test(chunk)) terms.push(chunk);
  if (UNSPACED.test(chunk)) addUnspaced(terms, chunk);
  const segments = chunk.split(/[/\\]/).filter((segment) => segment !== "");
  if (segments.length > 1) addWhole(terms, segments.join("/"));
  for (const segment of segments) addSegment(terms, segment);
  return terms;
}

function addSegment(terms: string[], segment: string): void {
  const parts = [...segment.replace(UNSPACED_RUN, " ").matchAll(PART)].map(([part]) => part);
  if (parts.length > 1 && isName(segment)) addWhole(terms, trimPunctuation(segment));
  for (const part of parts) {
    // The "k", "8" and "s" of "k8s" would match anything.
    if (parts.length > 1 && part.length === 1) continue;
    const term = toTerm(part);
    if (term !== undefined) terms.push(term);
  }
}

function addWhole(terms: string[], name: string): void {
  if (name.length <= LONGEST_TERM) terms.push(name.toLowerCase());
}

/** `user_id`, `v2`, `k8s`, `getUser` and `node.js` are names; `it's` and `well-known` are words. */
function isName(segment: string): boolean {
  return /[_.~+@]/.test(segment) || /^[\p{L}\p{N}]+$/u.test(segment);
}

function trimPunctuation(chunk: string): string {
  const end = chunk.replace(/['’.!#&/\\~+_-]+$/u, "");
  return ENTITY.test(end) ? end : end.replace(/^[^\p{L}\p{N}@_]+/u, "");
}

function addUnspaced(terms: string[], chunk: string): void {
  for (const [run] of chunk.matchAll(UNSPACED_RUN)) {
    for (const piece of run.replace(chineseJoints, " ").split(" ")) {
      const letters = [...piece];
      if (letters.length === 1 && !/\p{Script=Hiragana}/u.test(piece)) terms.push(piece);
      for (let n = 0; n + 1 < letters.length; n++) terms.push(`${letters[n]}${letters[n + 1]}`);
    }
  }
}

/**
 * Stop words: function words and question words. Without the latter, "when did we decide on the port" would find
 * entries with "when" and "did".
 */
const groups = [
  "a an the this that these those such same other another each every either neither both all any some few more most",
  "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself",
  "we us our ours ourselves they them their theirs themselves one ones someone somebody something anyone anybody anything",
  "everyone everybody everything nobody nothing",
  "what which who whom whose when where why how whether whatever whichever whoever whenever wherever",
  "am is are was were be been being do does did done doing have has had having can could may might must shall should",
  "will would ought cannot",
  "isn aren wasn weren don doesn didn haven hasn hadn couldn mightn mustn shouldn won wouldn ain s t d ll m re ve",
  "and or but nor so yet if then else because as until while although though unless than",
  "of at by for with without about against between into through during before after above below to from up down in out",
  "on off over under again further once here there upon within along among across toward towards via per",
  "not no only own too very just also even still already ever really quite rather perhaps maybe please ok okay yes",
  "tell know think say said says go going went gone get got gets getting let lets like well much many lot lots etc",
];

export const stopWords: ReadonlySet<string> = new Set(groups.join(" ").split(" "));

/** Chinese function and question words; pairs of characters never span them. */
export const chineseJoints =
  /什么|怎么|怎样|如何|为什么|哪里|哪个|哪些|多少|我们|你们|他们|是否|可以|应该|[的了吗呢吧啊是在和与或就都也把被这那我你他她它]/gu;
