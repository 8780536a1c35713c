/**
 * The question with which a small model chooses quotes, and the check of its answer: only given sentences count, whole
 * or as one continuous part that keeps every number, name, negation and condition. Pure.
 */
import { isRecord, parseJson } from "../../../src/base/records.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { findStrayPivot } from "../../../src/text/support.js";
import { cut } from "../../../src/text/text.js";
import type { Quote } from "./quotes.js";

export interface Chosen {
  /** In the order of the sentences. Empty if the model found no answer. */
  quotes: readonly Quote[];
  /** What was rejected, and why; for the log. */
  faults: readonly string[];
}

const MOST_CHOSEN = 5;
const LONGEST_ASKED = 1_000;
/** Longer answers are no short list of numbers, and parsing them would block the host. */
const LONGEST_ANSWER = 20_000;
/** Shorter parts say nothing by themselves. */
const LEAST_PART = 20;
const CONDITION =
  /(?<!\p{L})(?:if|when|while|where|whether|unless|provided|for|during|once|since|wenn|falls|sofern|solange|bei|für|si|cuando|quand|lorsque|se|quando|caso|если|когда|при|для)(?!\p{L})|如果|若|当|除非|場合|なら|とき|경우|때/iu;

export function formatChoice(asked: string, sentences: readonly Quote[]): string {
  const request = redactSecrets(cut(asked, LONGEST_ASKED)).text.replace(/[<>]/g, " ");
  const numbered = sentences.map(({ heading, text }, index) => {
    const place = heading === undefined ? "" : `(${heading}) `;
    return `${index + 1}. ${place}${text}`;
  });
  return `<request>\n${request}\n</request>\n\n<sentences>\n${numbered.join("\n").replace(/[<>]/g, " ")}\n</sentences>`;
}

/** `undefined` if the text does not have the form of an answer. */
export function readChoice(text: string, sentences: readonly Quote[]): Chosen | undefined {
  const value = parseObject(text);
  if (!Array.isArray(value?.quotes)) return undefined;
  const quotes = new Map<number, Quote>();
  const faults: string[] = [];
  for (const entry of value.quotes.slice(0, MOST_CHOSEN)) {
    const { from, text: part } = isRecord(entry) ? entry : { from: entry, text: undefined };
    const sentence = typeof from === "number" ? sentences[from - 1] : undefined;
    if (typeof from !== "number" || !sentence) faults.push("it names no sentence");
    else if (part === undefined || part === sentence.text) quotes.set(from, sentence);
    else {
      const shorter = typeof part === "string" ? shorten(sentence.text, part) : undefined;
      if (shorter === undefined) faults.push(`${from} is not shortened as the sentence allows`);
      quotes.set(from, shorter === undefined ? sentence : { ...sentence, text: shorter });
    }
  }
  const inOrder = [...quotes].sort(([a], [b]) => a - b);
  return { quotes: inOrder.map(([, quote]) => quote), faults };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const value = parseJson(text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"));
  return isRecord(value) ? value : undefined;
}

/** The part, with "…" for omissions; `undefined` if it is not part of the sentence or lacks a word that matters. */
function shorten(sentence: string, given: string): string | undefined {
  const part = given.trim().replace(/^…\s*|\s*…$/g, "");
  const at = sentence.indexOf(part);
  if (part.length < LEAST_PART || at === -1) return undefined;
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + part.length)];
  const isInWord = /[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after);
  const isScript = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}/u.test(sentence);
  if ((isInWord && !isScript) || CONDITION.test(`${before} ${after}`)) return undefined;
  if (findStrayPivot([sentence], part)) return undefined;
  const isEnd = /^[\s.!?。！？"')\]]*$/u.test(after);
  return `${before.trim() === "" ? "" : "…"}${part}${isEnd ? after.trimEnd() : "…"}`;
}
