/** Chooses the sentences of a text that answer a request, by its rare words. Deterministic. */
import type { Sliced } from "../../../src/base/slices.js";
import { checkDraft } from "../../../src/memory/gate/gate.js";
import { splitTerms } from "../../../src/recall/terms.js";
import { foldSentence } from "../../../src/text/text.js";

export interface Quote {
  /** Line number in the tool's output, from 1. */
  line: number;
  /** Heading above it, if any. */
  heading?: string;
  text: string;
}

interface Sentence extends Quote {
  terms: ReadonlySet<string>;
}

const MOST_QUOTES = 5;
/** Share of the best weight; sentences below it have only the request's common words. */
const LEAST_SHARE = 0.4;
/** Number of quotes, from the beginning, of a text that shares no word with the request. */
const MOST_LEADING = 2;
const MOST_LINES = 20_000;
/** Characters read of a line; longer lines are data or minified code. */
const LONGEST_LINE = 5_000;
const [SHORTEST, LONGEST] = [20, 400];
const LEAST_WORDS = 4;
const LONGEST_HEADING = 80;
/** Number of lines between pauses. */
const LINES_AT_A_TIME = 20;
/** A sentence with a number says more than one without. */
const NUMBER_GAIN = 0.5;

/** In the order of the text. */
export function* findQuotes(text: string, asked: string): Sliced<Quote[]> {
  const { best, ranked } = yield* rank(text, asked);
  const isOver = (chosen: readonly Quote[], weight: number): boolean =>
    chosen.length === (best > 0 ? MOST_QUOTES : MOST_LEADING) || weight < LEAST_SHARE * best;
  return yield* take(ranked, isOver);
}

/**
 * The sentences among which a model may choose, best first until they fill `mostCharacters`, in the order of the text.
 * They contain the quotes of `findQuotes`.
 */
export function* findChoice(text: string, asked: string, mostCharacters: number): Sliced<Quote[]> {
  const { ranked } = yield* rank(text, asked);
  const sizeOf = (chosen: readonly Quote[]): number =>
    chosen.reduce((sum, { heading = "", text: { length } }) => sum + length + heading.length, 0);
  return yield* take(ranked, (chosen) => sizeOf(chosen) > mostCharacters - LONGEST);
}

interface Weighed {
  sentence: Sentence;
  weight: number;
}

/** All sentences, best first, with the best weight; 0 if none shares a word with the request. */
function* rank(text: string, asked: string): Sliced<{ best: number; ranked: readonly Weighed[] }> {
  const sentences = yield* splitSentences(text);
  const wanted = [...new Set(splitTerms(asked))];
  const frequency = new Map(
    wanted.map((term) => [term, sentences.filter(({ terms }) => terms.has(term)).length]),
  );
  const weigh = (sentence: Sentence): number => {
    const hits = wanted.filter((term) => sentence.terms.has(term));
    const rarity = hits.map((term) => Math.log(1 + sentences.length / (frequency.get(term) ?? 1)));
    const gain = hits.length > 0 && /\d/.test(sentence.text) ? NUMBER_GAIN : 0;
    return rarity.reduce((sum, one) => sum + one, gain);
  };
  yield;
  const ranked = sentences
    .map((sentence) => ({ sentence, weight: weigh(sentence) }))
    .sort((a, b) => b.weight - a.weight || a.sentence.line - b.sentence.line);
  return { best: ranked[0]?.weight ?? 0, ranked };
}

/** The first facts until `isOver`, without repetitions, in the order of the text. */
function* take(
  ranked: readonly Weighed[],
  isOver: (chosen: readonly Quote[], weight: number) => boolean,
): Sliced<Quote[]> {
  const chosen: Sentence[] = [];
  const said = new Set<string>();
  for (const { sentence, weight } of ranked) {
    if (isOver(chosen, weight)) break;
    yield;
    const folded = foldSentence(sentence.text);
    if (said.has(folded) || !isFact(sentence.text)) continue;
    said.add(folded);
    chosen.push(sentence);
  }
  return chosen.sort((a, b) => a.line - b.line).map(({ terms: _, ...quote }) => quote);
}

/** False for orders and for text with a secret. */
function isFact(text: string): boolean {
  const checked = checkDraft({ type: "knowledge", content: text, provenance: { by: "tool" } });
  return checked.kind === "fit" && checked.draft.content === text;
}

function* splitSentences(text: string): Sliced<Sentence[]> {
  const sentences: Sentence[] = [];
  let heading: string | undefined;
  for (const [index, raw] of text.split("\n", MOST_LINES).entries()) {
    if (index % LINES_AT_A_TIME === 0) yield;
    const line = toPlain(raw.slice(0, LONGEST_LINE));
    const [, title] = /^#{1,6}\s+(.+)$/.exec(line) ?? [];
    if (title !== undefined) heading = isFact(title) ? title.slice(0, LONGEST_HEADING).trimEnd() : undefined;
    else
      for (const one of line.replace(/^([-*+>|]|\d+[.)])\s+/, "").split(BETWEEN_SENTENCES))
        if (isSentence(one.trim()))
          sentences.push({
            line: index + 1,
            ...(heading !== undefined && { heading }),
            text: one.trim(),
            terms: new Set(splitTerms(one)),
          });
  }
  return sentences;
}

const BETWEEN_SENTENCES = /(?<=[.!?]["')\]]?)\s+(?=["'(\p{Lu}\p{N}])|(?<=[。！？])/u;

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
