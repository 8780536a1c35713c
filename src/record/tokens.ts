/**
 * Counts tokens, for the records. Other vendors' models count a little differently than the tokenizer used; figures
 * from here are estimates and are called so wherever they are shown.
 */
import { createHash } from "node:crypto";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { Tokenizer } from "./tokenizer.js";

export interface TokenCounter {
  /** Tokens of `text`. The same text is counted once. Never rejects. */
  count(text: string): Promise<number>;
}

/** Tokens are counted piece by piece: one unbroken run of 64,000 letters alone takes this tokenizer two seconds. */
const PIECE_CHARACTERS = 1_000;
/** A text of more pieces is counted from this many evenly spaced ones. */
const MOST_PIECES = 16;
/** A record waits no longer than this for its count: the host may be stopped at any moment. */
const COUNT_WITHIN_MS = 300;
/** What a token has in the mean, where it cannot be counted. */
const CHARACTERS_PER_TOKEN = 4;
const REMEMBERED = 2_000;

export interface TokenCounterOptions {
  tokenize: Tokenizer;
  clock: Clock;
  /** Is told why a count had to be guessed, unless the tokenizer was only slow, as it is when it starts. */
  onFailure(thrown: unknown): void;
}

export function createTokenCounter({ tokenize, clock, onFailure }: TokenCounterOptions): TokenCounter {
  const counted = new Map<string, Promise<number>>();

  return {
    async count(text) {
      const guess = Math.round(text.length / CHARACTERS_PER_TOKEN);
      const waited = await waitAtMost(clock, COUNT_WITHIN_MS, () => countOnce(text));
      if (waited.kind === "failed") onFailure(waited.thrown);
      return waited.kind === "done" ? waited.value : guess;
    },
  };

  function countOnce(text: string): Promise<number> {
    const key = createHash("sha256").update(text).digest("base64");
    const known = counted.get(key);
    if (known) return known;
    const tokens = countText(text);
    tokens.catch(() => counted.delete(key));
    if (counted.size >= REMEMBERED) counted.delete(counted.keys().next().value ?? "");
    counted.set(key, tokens);
    return tokens;
  }

  /** Exact but for the borders of the pieces; a long text is counted in samples and scaled up. */
  async function countText(text: string): Promise<number> {
    const pieces = takePieces(text);
    const characters = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (characters === 0) return 0;
    return Math.round(((await tokenize(pieces)) / characters) * text.length);
  }
}

function takePieces(text: string): string[] {
  const pieces = Math.ceil(text.length / PIECE_CHARACTERS);
  const isWhole = pieces <= MOST_PIECES;
  const stride = isWhole ? PIECE_CHARACTERS : (text.length - PIECE_CHARACTERS) / (MOST_PIECES - 1);
  return Array.from({ length: isWhole ? pieces : MOST_PIECES }, (_, n) => {
    const start = Math.floor(n * stride);
    return text.slice(start, start + PIECE_CHARACTERS);
  });
}
