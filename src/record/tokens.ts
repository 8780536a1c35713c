/**
 * Counts tokens with the o200k tokenizer of gpt-tokenizer, for the records. Its table takes some 100 ms to load and
 * megabytes of memory, so it is loaded once, on the first count, and never while a turn waits. Other vendors' models
 * count a little differently; figures from here are estimates and are called so wherever they are shown.
 */
import { createHash } from "node:crypto";

export interface TokenCounter {
  /** Tokens of `text`. The same text is counted once. */
  count(text: string): Promise<number>;
}

export type Tokenizer = (text: string) => number;

/** Tokens are counted piece by piece: one unbroken run of 64,000 letters alone takes this tokenizer two seconds. */
const PIECE_CHARACTERS = 1_000;
/** A text of more pieces is counted from this many evenly spaced ones. */
const MOST_PIECES = 16;
const REMEMBERED = 2_000;

export function createTokenCounter(load: () => Promise<Tokenizer> = loadTokenizer): TokenCounter {
  let tokenizer: Promise<Tokenizer> | undefined;
  const counted = new Map<string, number>();

  return {
    async count(text) {
      const key = createHash("sha256").update(text).digest("base64");
      const known = counted.get(key);
      if (known !== undefined) return known;
      tokenizer ??= load();
      const tokens = countPieces(text, await tokenizer);
      if (counted.size >= REMEMBERED) counted.delete(counted.keys().next().value ?? "");
      counted.set(key, tokens);
      return tokens;
    },
  };
}

/** Exact but for the borders of the pieces; a long text is counted in samples and scaled up. */
function countPieces(text: string, tokenize: Tokenizer): number {
  const pieces = Math.ceil(text.length / PIECE_CHARACTERS);
  if (pieces <= MOST_PIECES) {
    let tokens = 0;
    for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
      tokens += tokenize(text.slice(start, start + PIECE_CHARACTERS));
    }
    return tokens;
  }
  const stride = (text.length - PIECE_CHARACTERS) / (MOST_PIECES - 1);
  let sampled = 0;
  for (let n = 0; n < MOST_PIECES; n++) {
    const start = Math.floor(n * stride);
    sampled += tokenize(text.slice(start, start + PIECE_CHARACTERS));
  }
  return Math.round((sampled / (MOST_PIECES * PIECE_CHARACTERS)) * text.length);
}

async function loadTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // A tool result may well contain "<|endoftext|>"; here it is only text.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}
