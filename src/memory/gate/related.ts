/**
 * Finds the memories that a draft may repeat or contradict, without comparing it with each. The gate needs only these:
 * a memory about something else does not affect its decision.
 */
import { createComparison, createStatementReader } from "../../text/compare.js";
import { createStatementIndex } from "../../text/statement-index.js";
import type { Memory, MemoryDraft } from "../memory.js";
import { isNear, isSameSource, relate } from "./gate.js";

export interface Related {
  /** Adds a memory, or replaces the one with its id. */
  set(memory: Memory): void;
  remove(id: string): void;
  /** The memories relevant to `planWrite`, in the order in which the store lists a folder. */
  find(draft: MemoryDraft): Memory[];
  /** Number of memories examined by calls of `find`. */
  readonly looked: number;
}

export function createRelated(): Related {
  const memories = new Map<string, Memory>();
  const read = createStatementReader();
  const compare = createComparison(read);
  const contents = createStatementIndex(read);
  const evidences = createStatementIndex(read);
  /** By title, the only field by which counted commands are compared. */
  const counted = new Map<string, Set<string>>();
  const messages = new Map<string, Set<string>>();

  return {
    set(memory) {
      const { content, id, provenance, title } = memory;
      const before = memories.get(id);
      memories.set(id, memory);
      // Earlier versions stay in the indexes: `find` compares with the current memory.
      if (before?.content !== content) contents.add(id, content);
      const { evidence, how, message } = provenance;
      if (evidence !== undefined && before?.provenance.evidence !== evidence) evidences.add(id, evidence);
      if (how === "counted") add(counted, title, id);
      if (message !== undefined) add(messages, message, id);
    },

    remove(id) {
      memories.delete(id);
    },

    find(draft) {
      const { content, provenance, title = "" } = draft;
      const { evidence, how, message } = provenance;
      const ids = new Set<string>([
        ...(how === "counted" ? (counted.get(title) ?? []) : contents.find(content)),
        ...(evidence === undefined ? [] : evidences.find(evidence)),
        ...(message === undefined ? [] : (messages.get(message) ?? [])),
      ]);
      const found: Memory[] = [];
      for (const id of ids) {
        const memory = memories.get(id);
        if (!memory || memory.isForeign || !isNear(draft, memory)) continue;
        const isRelated =
          isSameSource(draft, memory.provenance) || relate(draft, memory, compare) !== "other";
        if (isRelated) found.push(memory);
      }
      return found.sort((a, b) => (fileOf(a) < fileOf(b) ? -1 : 1));
    },

    get looked() {
      return contents.looked + evidences.looked;
    },
  };
}

/** Files are listed by name, and "a-b.md" comes before "a.md". */
const fileOf = ({ id }: Memory): string => `${id}.md`;

function add(lists: Map<string, Set<string>>, key: string, id: string): void {
  const list = lists.get(key);
  if (list) list.add(id);
  else lists.set(key, new Set([id]));
}
