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
import type { SaidStatement } from "../../../src/memory/candidates/candidate.js";
import { usersTypes } from "../../../src/memory/memory.js";
import { findUnsupported, readNames } from "../../../src/text/support.js";
import { isNegative, normalise } from "../../../src/text/words.js";
import { saysEverywhere } from "../said/find-said.js";
import { announcesOthers, formatStatement } from "../words/statements.js";
import { formatTitle } from "../words/title.js";
import type { Verdict } from "./batch.js";

export interface Quoted {
  /** The quoted statements, in order. */
  quote: readonly SaidStatement[];
  /** All of the message. */
  around: string;
  /** What the agent had asked or done; it makes nothing hold in all projects. */
  context?: string;
}

export interface Proved {
  /** Otherwise the judge's sentence says more than the user's words, or the opposite: the user decides. */
  isProved: boolean;
  type: Verdict["type"];
  /** What stands alone, for a rule whose words do not. */
  title: string;
  content: string;
  /** The user's words, below their headings. */
  evidence: string;
  isGlobal: boolean;
}

/** The fault as text: why nothing can be kept of it. */
export function prove(
  { isGlobal, says, type }: Pick<Verdict, "isGlobal" | "says" | "type">,
  { around, context = "", quote }: Quoted,
): Proved | string {
  const evidence = joinQuote(quote);
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

/** The statements, a heading once. */
function joinQuote(quote: readonly SaidStatement[]): string {
  return quote
    .map((one, at) => (one.heading === quote[at - 1]?.heading ? one.text : formatStatement(one)))
    .join(" ");
}

/** Negations of the languages that `isNegative` does not know. */
const DENIES =
  /(?<!\p{L})(?:nunca|jamás|tampoco|ningun[oa]?|sin|não|nem|nenhum[a]?|sem|pas|jamais|aucune?|sans|nicht|nie(?:mals)?|kein\p{L}{0,2}|ohne|mai|senza|nessun[oa]?|не|нет|без|никогда|нельзя)(?!\p{L})|ない|ません|なし|禁止|않|없|말아|금지/iu;

const denies = (text: string): boolean => isNegative(text) || DENIES.test(text);

/** Does a sentence say more than what supports it, or the opposite? */
function goesBeyond(says: string, quote: readonly SaidStatement[], support: string): boolean {
  if (findUnsupported(says, support) !== undefined) return true;
  if (denies(says) && !denies(support)) return true;
  // The sum of several sentences may leave one of their negations out; that of one sentence may not.
  if (quote.length === 1 && denies(quote[0]?.text ?? "") && !denies(says)) return true;
  const given = normalise(support).toLowerCase();
  return [...readNames(says)].some((name) => !given.includes(name));
}
