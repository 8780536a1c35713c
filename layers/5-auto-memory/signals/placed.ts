/** The user's sentences in a message, with their positions. Pure, in slices. */

import { MOST_SENTENCES, splitLine } from "../../../src/language/sentences.js";
import type { Sliced } from "../../../src/slices.js";
import type { Placed } from "./features.js";
import { hasEnding, quotesOthers, readOwn } from "./own-lines.js";
import { tongueOf } from "./tongues/tongue.js";

/** A line of placed sentences. */
export interface PlacedLine {
  sentences: readonly Placed[];
  isItem: boolean;
  /** An item of a list announced as rules. */
  isRule: boolean;
}

export interface PlacedText {
  lines: readonly PlacedLine[];
  restore(piece: string): string;
}

export function* readPlaced(text: string): Sliced<PlacedText> {
  const { paragraphs, restore } = yield* readOwn(text);
  const lines: (Omit<PlacedLine, "sentences"> & { sentences: Placed[] })[] = [];
  let left = MOST_SENTENCES;
  for (const paragraph of paragraphs) {
    let areRules = false;
    let isAnnounced = false;
    for (const line of paragraph) {
      if (!line.isItem) areRules = hasEnding(line, ({ introducesRules }) => introducesRules);
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
      lines.push({ sentences, isItem: line.isItem, isRule: line.isItem && areRules });
      if (!line.isItem || /[:：]\s*$/.test(line.text)) isAnnounced = /[:：]\s*$/.test(line.text);
    }
  }
  const all = lines.flatMap(({ sentences }) => sentences);
  for (const [at, sentence] of all.entries()) Object.assign(sentence, { at, of: all.length });
  return { lines, restore };
}
