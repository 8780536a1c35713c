import type { MessageInfo } from "../../../src/io/message.js";

/** Tokens of a request and its answer. */
export interface Usage {
  sent: number;
  /** Part of `sent` that was read from the cache. */
  cached: number;
  answered: number;
}

/** As counted by the provider. */
export function countUsage({ tokens }: Pick<MessageInfo, "tokens">): Usage {
  if (!tokens) return { sent: 0, cached: 0, answered: 0 };
  const { cache, input, output, reasoning } = tokens;
  return { sent: input + cache.read + cache.write, cached: cache.read, answered: output + reasoning };
}
