/**
 * The o200k tokenizer of gpt-tokenizer in a worker thread. Loading its table blocks a thread for a quarter of a second;
 * in the host's thread that would delay the user's turn.
 *
 *     here → worker   CountRequest     worker → here   CountAnswer
 *
 * The thread starts with the first count and is terminated after some idle time, which frees its memory. It never keeps
 * the process alive.
 */
import { Worker } from "node:worker_threads";
import type { Clock } from "../seams/clock.js";

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
