/** Keeps the file of a turn that a person has dropped: marks it as used, or writes it again from the host's copy. */
import { formatError } from "../../../src/base/error.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { formatTurn } from "./format-turn.js";
import type { Seen } from "./things.js";

/** `index` is that of the turn's first answer. Never rejects. */
export async function restoreTurn(
  seen: Pick<Seen, "find" | "history">,
  { file, index }: { file: string; index: number },
  { log, resultFiles }: Pick<KernelContext, "log" | "resultFiles">,
): Promise<void> {
  const { messages } = seen.history;
  let end = index + 1;
  while (end < messages.length && isDropped(seen, end)) end++;
  try {
    if (await resultFiles.exists(file)) return await resultFiles.touch(file);
    await resultFiles.restore(file, Buffer.from(formatTurn(seen, { index, end })));
    log.warn("view", `${file} was missing and has been restored from the host's copy`);
  } catch (thrown) {
    log.error("view", `cannot restore or touch ${file}, which the context names: ${formatError(thrown)}`);
  }
}

/** A further answer of the same turn has no file of its own. */
function isDropped({ find, history }: Pick<Seen, "find" | "history">, index: number): boolean {
  const key = history.keyOf(index);
  const dropped = key ? find(key.key)?.dropped : undefined;
  return dropped !== undefined && dropped.file === undefined;
}
