/** What changes memories: each under the lock of its shelf, checked before, one step on disk. */
import { join } from "node:path";
import type { Clock } from "../../../io/clock.js";
import { findRefusal } from "../../draft.js";
import { parseID } from "../../id.js";
import type { Memory } from "../../memory.js";
import type { MemoryGate } from "../../secret-gate.js";
import type { MemoryStore, OpenMemories, Written } from "../../store.js";
import type { Cause } from "../ledger-line.js";
import { findStanding, listKeptOut, pathsOf, type Standing } from "../standing.js";
import { createAdditions } from "./additions.js";
import type { Copies } from "./copies.js";
import { createEdits } from "./edits.js";
import { createPublishing } from "./publishing.js";

export interface Changes
  extends Pick<MemoryStore, "remember" | "update" | "archive" | "restore">,
    Pick<OpenMemories, "adopt" | "adoptAll" | "publish"> {
  /** The memory as its file is now. */
  find(id: string): Promise<Found | undefined>;
  discard(id: string, cause: Cause): Promise<Written>;
}

export interface Found {
  memory: Memory;
  path: string;
}

export interface ChangesOptions {
  clock: Clock;
  standings: readonly Standing[];
  gate?: MemoryGate;
  onWritten(standing: Standing, ids: readonly string[]): void;
  /** Somebody has said again what this memory says. */
  onSaidAgain(id: string): void;
}

export function createChanges({ clock, standings, gate, onSaidAgain, onWritten }: ChangesOptions): Changes {
  const parts = { clock, standings, gate, findWhy, finish };
  const { at, rewrite, ...edits } = createEdits(parts);
  const publishing = createPublishing({ ...parts, edits: { at, update: edits.update } });
  const additions = createAdditions({ ...parts, rewrite, onSaidAgain });

  return {
    ...additions,

    adopt: async (copy, cause) => (await openCopies()).adopt(copy, cause),
    adoptAll: async (copies, cause, onProgress) => (await openCopies()).adoptAll(copies, cause, onProgress),
    ...edits,
    ...publishing,

    async find(id) {
      const place = parseID(id);
      const standing = place && findStanding(standings, place);
      if (!standing) return undefined;
      for (const path of pathsOf(place)) {
        const reading = (await standing.shelf.look(path))?.reading;
        if (reading?.kind === "memory") return { memory: reading.memory, path };
      }
      return undefined;
    },
  };

  /** Loaded only for imports. */
  async function openCopies(): Promise<Copies> {
    return (await import("./copies.js")).createCopies(parts);
  }

  async function findWhy(memory: Memory): Promise<string | undefined> {
    return findRefusal(memory, listKeptOut(standings)) ?? (await gate?.(memory));
  }

  function finish(standing: Standing, path: string, memory: Memory): Written {
    const { shelf } = standing;
    onWritten(standing, [memory.id]);
    const marked = shelf.isKeptOut(path) ? { ...memory, isKeptOut: true as const } : memory;
    return { kind: "written", memory: marked, path: join(shelf.folder, path) };
  }
}
