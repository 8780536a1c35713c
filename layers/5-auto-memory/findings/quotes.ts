/** Chooses the sentences of a text that answer a request: by its rare words, or by a small model among the best of these. Pure. */
import { isRecord, parseJson } from "../../../src/base/shape.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import { createSplitter } from "../../../src/recall/terms.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { cut, foldSentence } from "../../../src/text/text.js";

export interface Quote {
  /** Line number in the tool's output, from 1. */
  line: number;
  /** Heading above it, if any. */
  heading?: string;
  text: string;
}

const MOST_QUOTES = 5;
/** Share of the best weight; sentences below it have only the request's common words. */
const LEAST_SHARE = 0.4;
/** Number of quotes, from the beginning, of a text that shares no word with the request. */
const MOST_LEADING = 2;
/** A sentence with a number says more than one without. */
const NUMBER_GAIN = 0.5;
/** Characters of the sentences among which a model chooses. */
const MATERIAL_CHARACTERS = 12_000;

export interface Quotes {
  /** The quotes found by words. */
  found: readonly Quote[];
  /** The sentences among which a model may choose, those included: the best ones that fit into its question. */
  choice: readonly Quote[];
}

/** Both in the order of the text. */
export function findQuotes(text: string, asked: string, mostCharacters = MATERIAL_CHARACTERS): Quotes {
  const ranked = rank(splitSentences(text), asked);
  const best = ranked[0]?.weight ?? 0;
  const found: Quote[] = [];
  const choice: Quote[] = [];
  const said = new Set<string>();
  let characters = 0;
  for (const { quote, weight } of ranked) {
    const { heading = "", text } = quote;
    if (characters > mostCharacters - LONGEST) break;
    const folded = foldSentence(text);
    if (said.has(folded) || !isFact(text)) continue;
    said.add(folded);
    characters += heading.length + text.length;
    choice.push(quote);
    const most = best > 0 ? MOST_QUOTES : MOST_LEADING;
    if (found.length < most && weight >= LEAST_SHARE * best) found.push(quote);
  }
  const inOrder = (quotes: Quote[]): Quote[] => quotes.sort((a, b) => a.line - b.line);
  return { found: inOrder(found), choice: inOrder(choice) };
}

/** Best first; the weight is 0 if none shares a word with the request. */
function rank(quotes: readonly Quote[], asked: string): { quote: Quote; weight: number }[] {
  const split = createSplitter();
  const sentences = quotes.map((quote) => ({ quote, terms: new Set(split(quote.text)) }));
  const rarity = new Map(
    split(asked).map((term) => {
      const having = sentences.filter(({ terms }) => terms.has(term)).length;
      return [term, Math.log(1 + sentences.length / Math.max(1, having))] as const;
    }),
  );
  return sentences
    .map(({ quote, terms }) => {
      const hits = [...rarity].filter(([term]) => terms.has(term));
      const gain = hits.length > 0 && /\d/.test(quote.text) ? NUMBER_GAIN : 0;
      return { quote, weight: hits.reduce((sum, [, one]) => sum + one, gain) };
    })
    .sort((a, b) => b.weight - a.weight || a.quote.line - b.quote.line);
}

/** False for orders and for text with a secret. */
function isFact(text: string): boolean {
  const checked = checkDraft({ type: "knowledge", content: text, provenance: { by: "tool" } });
  return checked.kind === "fit" && checked.draft.content === text;
}

const MOST_LINES = 20_000;
/** Characters read of a line; longer lines are data or minified code. */
const LONGEST_LINE = 5_000;
const [SHORTEST, LONGEST] = [20, 400];
const LEAST_WORDS = 4;
const LONGEST_HEADING = 80;
const BETWEEN_SENTENCES = /(?<=[.!?]["')\]]?)\s+(?=["'(\p{Lu}\p{N}])|(?<=[。！？])/u;

function splitSentences(text: string): Quote[] {
  let heading: string | undefined;
  return text.split("\n", MOST_LINES).flatMap((raw, index): Quote[] => {
    const line = toPlain(raw.slice(0, LONGEST_LINE));
    const [, title] = /^#{1,6}\s+(.+)$/.exec(line) ?? [];
    if (title !== undefined) {
      heading = isFact(title) ? title.slice(0, LONGEST_HEADING).trimEnd() : undefined;
      return [];
    }
    return line
      .replace(/^([-*+>|]|\d+[.)])\s+/, "")
      .split(BETWEEN_SENTENCES)
      .map((one) => ({ line: index + 1, ...(heading !== undefined && { heading }), text: one.trim() }))
      .filter((one) => isSentence(one.text));
  });
}

/** Without markup: tags, links, emphasis. */
function toPlain(line: string): string {
  return line
    .replace(/<[^<>]{1,300}>/g, " ")
    .replace(/!?\[([^[\]]{0,300})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

function isSentence(text: string): boolean {
  if (text.length < SHORTEST || text.length > LONGEST) return false;
  return text.split(" ").length >= LEAST_WORDS || /\p{sc=Han}{8}|\p{sc=Hiragana}{4}/u.test(text);
}

/* The question with which a small model chooses quotes, and the check of its answer: only given sentences count. */

const LONGEST_ASKED = 1_000;
/** Longer answers are no short list of numbers, and parsing them would block the host. */
const LONGEST_ANSWER = 20_000;

/** Neither the request nor a sentence can close its part. */
export function formatChoice(asked: string, sentences: readonly Quote[]): string {
  const request = redactSecrets(cut(asked, LONGEST_ASKED)).text.replace(/[<>]/g, " ");
  const numbered = sentences.map(({ heading, text }, index) => {
    const place = heading === undefined ? "" : `(${heading}) `;
    return `${index + 1}. ${place}${text}`;
  });
  return `<request>\n${request}\n</request>\n\n<sentences>\n${numbered.join("\n").replace(/[<>]/g, " ")}\n</sentences>`;
}

/** The chosen sentences in their order; empty if the model found no answer. `undefined` if the text has not the form of an answer. */
export function readChoice(text: string, sentences: readonly Quote[]): readonly Quote[] | undefined {
  if (text.length > LONGEST_ANSWER) return undefined;
  const value = parseJson(text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"));
  if (!isRecord(value) || !Array.isArray(value.quotes)) return undefined;
  const places = value.quotes
    .slice(0, MOST_QUOTES)
    .map((entry) => Number(isRecord(entry) ? entry.from : entry));
  const chosen = new Set(places.flatMap((place) => sentences[place - 1] ?? []));
  return sentences.filter((sentence) => chosen.has(sentence));
}
