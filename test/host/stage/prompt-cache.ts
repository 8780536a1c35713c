/**
 * A provider's prompt cache, simulated: it knows which prompts it has seen lately and says how much of
 * the next one it could reuse.
 *
 * Like the real ones it matches prefixes byte for byte, and forgets what was not used for a lifetime.
 * Reading refreshes what was read: the shared prefix lives on, while the rest of the entry that gave it
 * keeps its age. (A provider does the same. Refreshing the whole entry would flatter a fork, whose
 * reads would keep the parent's own tail warm.)
 */

/** Remembers prompts for a while. Reading does not store the prompt that was asked for: write it too. */
export interface PromptCache {
  /** Bytes of the longest prefix that `prompt` shares with anything still alive; refreshes that prefix. */
  read(prompt: string): number;
  /** Stores the whole prompt. An entry that is a prefix of it is dropped, since the new one contains it. */
  write(prompt: string): void;
}

/** How long an entry lives unused, and by which clock. */
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

/** The shared prefix of the two, where it is longer than `best`; else `best`, found out cheaply. */
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
  // The end first: long prompts that diverge differ there, which spares comparing all that they share.
  const end = Math.max(0, length - 64);
  return length <= bytes.length && isSame(bytes, prefix, end, length) && isSame(bytes, prefix, 0, end);
}

function isSame(a: Buffer, b: Buffer, from: number, to: number): boolean {
  return a.compare(b, from, to, from, to) === 0;
}
