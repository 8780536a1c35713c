/**
 * A short queue that runs one job at a time. A job with the key of a waiting one replaces it and keeps its place.
 */
import PQueue from "p-queue";

export interface WaitingLine<Job, Result> {
  /** Resolves with the outcome. Rejects if the job does. */
  add(key: string, job: Job): Promise<Placed<Result>>;
  /** Number of waiting jobs. */
  readonly size: number;
  /** Drops the waiting jobs. */
  clear(): void;
  /** Resolves when no job is running or waiting. */
  onIdle(): Promise<void>;
}

export type Placed<Result> = { kind: "done"; result: Result } | { kind: "full" | "replaced" | "cleared" };

interface Waiting<Job, Result> {
  job: Job;
  resolve(placed: Placed<Result>): void;
  reject(thrown: unknown): void;
}

export function createWaitingLine<Job, Result>(
  mostWaiting: number,
  run: (job: Job) => Promise<Result>,
): WaitingLine<Job, Result> {
  const queue = new PQueue({ concurrency: 1 });
  const waiting = new Map<string, Waiting<Job, Result>>();

  return {
    add(key, job) {
      return new Promise((resolve, reject) => {
        const entry = { job, resolve, reject };
        const earlier = waiting.get(key);
        if (!earlier && waiting.size >= mostWaiting) return resolve({ kind: "full" });
        waiting.set(key, entry);
        if (earlier) earlier.resolve({ kind: "replaced" });
        else void queue.add(() => take(key));
      });
    },

    get size() {
      return waiting.size;
    },

    clear() {
      queue.clear();
      for (const { resolve } of waiting.values()) resolve({ kind: "cleared" });
      waiting.clear();
    },

    onIdle: () => queue.onIdle(),
  };

  async function take(key: string): Promise<void> {
    const entry = waiting.get(key);
    waiting.delete(key);
    if (!entry) return;
    await run(entry.job).then((result) => entry.resolve({ kind: "done", result }), entry.reject);
  }
}
