/** `/memory-trust`: shows memories that wait for acceptance, and accepts them. A yes accepts only what was shown before. */
import { StrataError } from "../../../src/base/error.js";
import { formatAccepted, formatRevoked, formatWaiting } from "../../../src/memory/format-foreign.js";
import type { Memory } from "../../../src/memory/memory.js";
import type { Memories } from "../../../src/memory/store.js";

const YES = "/memory-trust yes";

/** Answers the command's arguments. Rejects with StrataError WORDS, and with the system's error. */
export function createTrustAnswers(memories: Memories): (words: string) => Promise<string> {
  const shown = new Set<string>();

  function show(waiting: readonly Memory[]): string {
    for (const memory of waiting) shown.add(nameOf(memory));
    return formatWaiting(waiting, YES);
  }

  return async (words) => {
    await memories.list();
    const waiting = memories.foreign();
    if (words === "undo") return formatRevoked(await memories.revoke());
    if (words === "") return show(waiting);
    if (words !== "yes")
      throw new StrataError("WORDS", `expected yes, undo or nothing (to list them), got "${words}"`);
    const unseen = waiting.filter((memory) => !shown.has(nameOf(memory)));
    if (unseen.length === 0) return formatAccepted(await memories.accept(undefined, YES));
    const seen = waiting.filter((memory) => !unseen.includes(memory)).map(({ id }) => id);
    const accepted = seen.length > 0 ? [formatAccepted(await memories.accept(seen, YES))] : [];
    return [...accepted, show(unseen)].join("\n");
  };
}

const nameOf = ({ content, id, title, type }: Memory): string => JSON.stringify([id, type, title, content]);
