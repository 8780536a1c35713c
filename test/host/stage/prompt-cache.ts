/**
 * Simulates a provider's prompt cache: remembers recent prompts and tells how much of the next one it
 * could reuse.
 *
 * Like real caches it matches prefixes byte for byte and forgets entries unused for their lifetime. Reading
 * refreshes only the shared prefix; the rest of the entry keeps its age. (Providers do the same. Refreshing
 * the whole entry would favour forks, whose reads would keep the parent's tail warm.)
 */

/** Remembers prompts for a while. Reading does not store the prompt; write it as well. */
export interface PromptCache {
  /** Bytes of the longest prefix that `prompt` shares with a live entry; refreshes that prefix. */
  read(prompt: string): number;
  /** Stores the whole prompt and drops entries that are a prefix of it. */
  write(prompt: string): void;
}

/** Lifetime of an unused entry, and the clock. */
export interface PromptCacheOptions {
  /** Milliseconds an unused entry lives; by default 5 minutes, as at Anthropic without a longer setting. */
  lifetimeMs?: number;
  /** The clock, in milliseconds; by default `Date.now`. */
  now?: () => number;
}

interface Entry {
  bytes: Buffer;
  usedAt: number;
}

const fiveMinutesMs = 5 * 60_000;
const maxEntries = 400;

/** Creates an empty cache. */
export function createPromptCache(options: PromptCacheOptions = {}): PromptCache {
  const lifetimeMs = options.lifetimeMs ?? fiveMinutesMs;
  const now = options.now ?? Date.now;
  let entries: Entry[] = [];

  function remember(bytes: Buffer): void {
    const others = entries.filter((entry) => !startsWith(bytes, entry.bytes));
    entries = [...others.slice(-(maxEntries - 1)), { bytes, usedAt: now() }];
  }

  return {
    read(prompt) {
      const oldest = now() - lifetimeMs;
      entries = entries.filter((entry) => entry.usedAt > oldest);
      const bytes = Buffer.from(prompt);
      const shared = entries.reduce((best, entry) => longerPrefix(bytes, entry.bytes, best), 0);
      if (shared > 0) remember(bytes.subarray(0, shared));
      return shared;
    },
    write(prompt) {
      remember(Buffer.from(prompt));
    },
  };
}

/** Length of the shared prefix if it is longer than `best`, else `best`, which is cheap to find out. */
function longerPrefix(prompt: Buffer, entry: Buffer, best: number): number {
  const limit = Math.min(prompt.length, entry.length);
  if (limit <= best || prompt[best] !== entry[best] || !isSame(prompt, entry, 0, best)) return best;
  let same = best;
  let different = limit + 1;
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (isSame(prompt, entry, same, middle)) same = middle;
    else different = middle;
  }
  return same;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  const { length } = prefix;
  // Compares the end first: diverging prompts differ there, which saves comparing their shared part.
  const end = Math.max(0, length - 64);
  return length <= bytes.length && isSame(bytes, prefix, end, length) && isSame(bytes, prefix, 0, end);
}

function isSame(a: Buffer, b: Buffer, from: number, to: number): boolean {
  return a.compare(b, from, to, from, to) === 0;
}
