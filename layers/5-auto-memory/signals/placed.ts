/** The user's sentences in a message, with their positions. Pure, in slices. */

import { type Line, MOST_SENTENCES, splitLine } from "../../../src/language/sentences.js";
import type { Sliced } from "../../../src/slices.js";
import type { Placed } from "./features.js";
import { hasEnding, INTRODUCES_ANSWERS, quotesOthers, readOwn } from "./own-lines.js";
import { tongueOf } from "./tongues/tongue.js";

/** A line of placed sentences. */
export interface PlacedLine {
  sentences: readonly Placed[];
  isItem: boolean;
  /** What its list is announced as. Items of a question are left out. */
  list: "rules" | "important" | "answers" | undefined;
}

export interface PlacedText {
  lines: readonly PlacedLine[];
  restore(piece: string): string;
}

export function* readPlaced(text: string): Sliced<PlacedText> {
  const { paragraphs, restore } = yield* readOwn(text);
  const lines: (Omit<PlacedLine, "sentences"> & { sentences: Placed[] })[] = [];
  let left = MOST_SENTENCES;
  // A blank line may follow the line that announces a list.
  let list: ReturnType<typeof readList>;
  let hasItems = false;
  for (const paragraph of paragraphs) {
    if (hasItems) list = undefined;
    hasItems = false;
    let isAnnounced = false;
    for (const line of paragraph) {
      if (!line.isItem) list = readList(line);
      hasItems ||= line.isItem;
      if (line.isItem && list === "question") continue;
      const sentences: Placed[] = [];
      for (const [index, sentence] of splitLine(line.text).slice(0, left).entries()) {
        yield;
        if (quotesOthers(sentence)) break;
        sentences.push({
          text: sentence,
          whole: restore(sentence),
          tongue: tongueOf(sentence),
          at: 0,
          of: 0,
          isItem: line.isItem,
          isFirst: index === 0,
          isAnnounced,
          isBehindPaste: line.isBehindPaste,
        });
      }
      left -= sentences.length;
      const announced = line.isItem && list !== "question" ? list : undefined;
      lines.push({ sentences, isItem: line.isItem, list: announced });
      if (!line.isItem || /[:：]\s*$/.test(line.text)) isAnnounced = /[:：]\s*$/.test(line.text);
    }
  }
  const all = lines.flatMap(({ sentences }) => sentences);
  for (const [at, sentence] of all.entries()) Object.assign(sentence, { at, of: all.length });
  return { lines, restore };
}

/** A line that is only a heading such as "IMPORTANT:". */
const IMPORTANT =
  /^\W*(?:very |most )?(?:important|warning|attention|caution|constraints?|restrictions?|don'?ts|wichtig|importante?|attenzione|важно|重要|注意|注意事项)\W*$/iu;
const ASKS =
  /[?？]["')\]*]*\s*[:：]?\s*$|^(?:which|what|can you|could you|do you|should (?:i|we))\b[^.!]*[:：]\s*$/i;

/** What a line announces the list behind it as. */
function readList(line: Line): "rules" | "important" | "answers" | "question" | undefined {
  if (ASKS.test(line.text)) return "question";
  if (INTRODUCES_ANSWERS.test(line.text)) return "answers";
  if (hasEnding(line, ({ introducesRules }) => introducesRules)) return "rules";
  return IMPORTANT.test(line.text) ? "important" : undefined;
}
