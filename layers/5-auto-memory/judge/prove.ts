/**
 * Proof of a verdict by code: what a judge may not decide alone. Pure.
 *
 *     rules            hold the user's own words, so a directive, preference or feedback is the quote, letter by letter
 *     other types      say what the judge says, if the quote and its context support it: no number, name, path or negation
 *                      of the judge's own; otherwise the user decides
 *     never            a rule from a question, or from a list that a heading gives to somebody else
 *
 * Secrets, repeats and contradictions are the gate's.
 */
import { foldLetters } from "../../../src/base/text.js";
import type { SaidStatement } from "../../../src/memory/candidates/candidate.js";
import { usersTypes } from "../../../src/memory/memory.js";
import {
  coverageOf,
  findUnsupported,
  isNegative,
  normalise,
  readNames,
  readStems,
} from "../../../src/text/words.js";
import { saysEverywhere } from "../said/find-said.js";
import { formatTitle } from "../words/describe.js";
import { announcesOthers, formatStatement } from "../words/statements.js";
import type { Verdict } from "./verdicts.js";

interface Quoted {
  quote: readonly SaidStatement[];
  around: string;
  /** What the agent had asked or done; it makes nothing hold in all projects. */
  context?: string;
}

/**
 * What to keep, or the fault as text: why nothing can be kept of it. Without `isProved` the judge's sentence says more than
 * the user's words, or the opposite: the user decides. The title stands alone, for a rule whose words do not.
 */
export function prove(
  { isGlobal, says, type }: Pick<Verdict, "isGlobal" | "says" | "type">,
  { around, context = "", quote }: Quoted,
) {
  const evidence = quote
    .map((one, at) => (one.heading === quote[at - 1]?.heading ? one.text : formatStatement(one)))
    .join(" ");
  const isRule = usersTypes.has(type);
  if (isRule && quote.every(({ isQuestion }) => isQuestion)) return "the quote is a question";
  if (isRule && quote.some(({ heading }) => heading !== undefined && announcesOthers(heading)))
    return "the quote stands below a heading that gives it to somebody else";
  const isSupported = !goesBeyond(says, quote, `${evidence}\n${around}\n${context}`);
  const content = isRule ? evidence : says;
  return {
    type,
    content,
    isProved: isRule || isSupported,
    title: formatTitle(isSupported ? says : evidence),
    evidence,
    isGlobal: isGlobal && saysEverywhere(around),
  };
}

/** Does a sentence say more than what supports it, or the opposite? */
function goesBeyond(says: string, quote: readonly SaidStatement[], support: string): boolean {
  const isPortuguese = PORTUGUESE.test(withoutMarks(`${says}\n${support}`));
  const denies = (text: string): boolean => isDenying(isPortuguese ? text.replace(/\bnos?\b/gi, "") : text);
  const denied = quote.flatMap(({ text }) => text.split(CLAUSE)).filter(denies);
  const turns = denies(says) ? !denies(support) : !isRestricting(says) && saysDenied(says, denied);
  return turns || findUnsupported(says, support) !== undefined || namesMore(says, support);
}

const CLAUSE = /[,;，；、。]/;

/** A clause that denies may be left out whole, but its rest may not be said without the negation. */
function saysDenied(says: string, denied: readonly string[]): boolean {
  const said = readRoots(says);
  return denied.some((clause) => coverageOf(readRoots(clause), said) >= 0.5);
}

/** Beginnings of words, since their endings differ between a message and a sentence about it; no negations. */
function readRoots(text: string): Set<string> {
  const words = [...readStems(withoutMarks(text))].filter((word) => !DENIES.test(word));
  return new Set(words.map((word) => word.slice(0, /\p{sc=Hangul}/u.test(word) ? 2 : 3)));
}

/** A name that the support lacks, in languages where only names have capitals and users do not transliterate them. */
function namesMore(says: string, support: string): boolean {
  if (GERMAN.test(says) || !/^\P{L}*\p{sc=Latin}/u.test(says)) return false;
  const given = withoutMarks(normalise(support));
  const [letters, words] = [foldLetters(given), given.toLowerCase().match(/[\p{L}\p{N}]{5,}/gu) ?? []];
  return [...readNames(says)].some((written) => {
    const name = foldLetters(withoutMarks(written));
    // A Pole has "grafane" where the name is Grafana, and a hurried user calls PostgreSQL "postgres".
    const isGiven = letters.includes(name.slice(0, Math.max(4, name.length - 1)));
    return !isGiven && !words.some((word) => name.startsWith(word));
  });
}

/** What denies, and what says that something else holds instead; letters without their marks. */
const NEGATIONS: Readonly<Record<string, readonly [denying: string, restricting: string]>> = {
  English: ["nobody|nothing|none|neither|nor", "only|except|instead|rather"],
  Spanish: [
    "nunca|jamas|tampoco|ningun[oa]?|nadie|nada|sin|prohibid[oa]s?",
    "solo|excepto|salvo|en (?:vez|lugar)",
  ],
  Portuguese: ["nao|nem|nunca|nenhuma?|ninguem|nada|sem|proibid[oa]s?", "apenas|somente|exceto|salvo|em vez"],
  French: ["pas|non|jamais|aucune?|rien|sans|interdit\\p{L}*", "seulement|sauf|au lieu|plutot"],
  Italian: ["non|mai|senza|nessun[oa]?|niente|vietat[oaie]", "solo|soltanto|tranne|esclus[oaie]|invece"],
  German: ["nichts?|nie(?:mals|mand\\p{L}*)?|kein\\p{L}*|ohne|verboten", "nur|erst|außer|statt"],
  Dutch: ["niet|geen|nooit|zonder", "alleen|behalve|in plaats"],
  Russian: ["не|нет|без|ни|никто|ничего|никогда|нельзя|запрещ\\p{L}*", "только|кроме|вместо"],
  Ukrainian: ["нема|немає|жодн\\p{L}*", "лише"],
  Polish: ["nie|bez|nikt|nigdy|zad(?:en|n\\p{L}*)", "tylko|oprocz|zamiast"],
  Turkish: ["degil|yok|asla|hic(?:bir)?|\\p{L}+m[ıiu]yor\\p{L}*", "sadece|yalnızca|yerine"],
  Indonesian: ["tidak|jangan|bukan|belum|tanpa", "hanya|kecuali"],
  Vietnamese: ["khong|đung", "ngoai tru"],
};
const wordsOf = (at: 0 | 1): RegExp => {
  const words = Object.values(NEGATIONS).map((some) => some[at]);
  return new RegExp(`(?<!\\p{L})(?:${words.join("|")})(?!\\p{L})`, "iu");
};
const DENIES = wordsOf(0);
const RESTRICTS = wordsOf(1);
/** Japanese and Korean; `isNegative` knows English and Chinese. */
const DENIES_EAST =
  /ない(?!か)|ません|なし|せず|わず(?!か)|ずに|禁止|않|없|아니|말아|말라|말고|마세요|못|금지|불가|(?<!\p{L})안\s?(?![내전녕에드정쪽건])\p{L}/u;
const RESTRICTS_EAST = /[只仅除]|而不|だけ|のみ|以外|代わり|만(?!\p{L})|대신/u;
/** In Portuguese "no" is "in the". */
const PORTUGUESE = /(?<![\p{L}.])(?:em|com|uma?|nao|pra|dos|pel[oa]|aos?)(?!\p{L})/iu;
/** All nouns have capitals. */
const GERMAN =
  /(?<!\p{L})(?:und|nicht|wird|werden|wurde|ist|sind|hat|weil|auf|für|mit|bei|nach|von|im|de[mnr]|eine[mnrs]?|zu[mr]?)(?!\p{L})/iu;

const withoutMarks = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
const isDenying = (text: string): boolean =>
  isNegative(text) || DENIES.test(withoutMarks(text)) || DENIES_EAST.test(text);
const isRestricting = (text: string): boolean =>
  RESTRICTS.test(withoutMarks(text)) || RESTRICTS_EAST.test(text);
