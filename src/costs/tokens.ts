/**
 * Counts tokens for the records. Models of other vendors count slightly differently, so these figures are estimates and
 * are labelled so wherever they are shown.
 */
import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { type Clock, waitAtMost } from "../io/clock.js";

export interface TokenCounter {
  /** Tokens of `text`. Counts each text only once. Never rejects. */
  count(text: string): Promise<number>;
}

/** Text is counted in pieces, since this tokenizer takes two seconds for an unbroken run of 64,000 letters. */
const PIECE_CHARACTERS = 1_000;
/** A longer text is estimated from this many evenly spaced pieces. */
const MOST_PIECES = 16;
/** Maximum wait of a record for its count, since the host may exit at any time. */
const COUNT_WITHIN_MS = 300;
/** Average, used if tokens cannot be counted. */
const CHARACTERS_PER_TOKEN = 4;
const REMEMBERED = 2_000;

export interface TokenCounterOptions {
  tokenize: Tokenizer;
  clock: Clock;
  /** Called with the reason if a count had to be estimated, unless the tokenizer was merely slow, as at its start. */
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

  /** Exact except at piece boundaries; a long text is sampled and scaled up. */
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

/** Total tokens of pieces of text. Rejects if it cannot count. */
export type Tokenizer = (pieces: readonly string[]) => Promise<number>;

export interface CountRequest {
  id: number;
  pieces: readonly string[];
}

export interface CountAnswer {
  id: number;
  tokens: number;
}

interface Waiting {
  resolve(tokens: number): void;
  reject(error: Error): void;
}

const ANSWER_WITHIN_MS = 10_000;
const END_AFTER_IDLE_MS = 30_000;

/** `script` is the worker's script; replaced in tests only. */
export function createTokenizer(
  clock: Clock,
  script = new URL("./tokenizer-worker.js", import.meta.url),
): Tokenizer {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let cancelEnd = (): void => {};
  let count = 0;

  return (pieces) => {
    worker ??= start();
    cancelEnd();
    cancelEnd = clock.after(END_AFTER_IDLE_MS, () => end(new Error("the tokenizer was ended")));
    const id = ++count;
    const answer = new Promise<number>((resolve, reject) => waiting.set(id, { resolve, reject }));
    const cancelDeadline = clock.after(ANSWER_WITHIN_MS, () =>
      end(new Error("the tokenizer does not answer")),
    );
    worker.postMessage({ id, pieces } satisfies CountRequest);
    return answer.finally(cancelDeadline);
  };

  function start(): Worker {
    const started = new Worker(script);
    started.unref();
    started.on("message", ({ id, tokens }: CountAnswer) => {
      waiting.get(id)?.resolve(tokens);
      waiting.delete(id);
    });
    started.on("error", (error) => end(error, started));
    started.on("exit", () => end(new Error("the tokenizer's thread has ended"), started));
    return started;
  }

  function end(why: Error, ended = worker): void {
    if (ended !== worker) return;
    void worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  }
}
