import { StrataError } from "../base/error.js";
import type { Memory } from "../memory/memory.js";
import { findMemories } from "../memory/search/find.js";
import type { Memories, Written } from "../memory/store.js";
import { type CliContext, type ExitCode, exitCodes } from "./command.js";

/**
 * The one memory that matches an id, the end of an id, or words of a title. `archived: true` prefers matches in the
 * archive, `false` ignores them. Throws if none or several match.
 */
export async function requireMemory(
  memories: Memories,
  words: string,
  options: { archived?: boolean } = {},
): Promise<Memory> {
  const all = await memories.list({ archived: true });
  const isArchived = ({ status }: Memory): boolean => status === "archived";
  const wanted = options.archived === false ? all.filter((one) => !isArchived(one)) : all;
  const inArchive = options.archived ? findMemories(all.filter(isArchived), words) : [];
  const found = inArchive.length > 0 ? inArchive : findMemories(wanted, words);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only)
    throw new StrataError("NO_MEMORY", `no memory matches "${words}"; strata list shows all of them`);
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw new StrataError(
    "MANY_MEMORIES",
    `"${words}" matches ${found.length} memories, such as ${ids.join(", ")}; use the full id`,
  );
}

/** Reports the result of a change. */
export function reportWritten({ say, warn }: CliContext, written: Written, what: string): ExitCode {
  if (written.kind === "refused") {
    warn(`strata: ${written.why}`);
    return exitCodes.failed;
  }
  const done = written.kind === "unchanged" ? "Unchanged" : what;
  say(`${written.isKnown ? "Already known" : done}: ${written.memory.id}  ${written.path}`);
  return exitCodes.fine;
}
