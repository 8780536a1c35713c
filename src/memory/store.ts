/**
 * The memories of a project and those that hold everywhere.
 *
 * Contract: there is no plain write. `change` is given the memory as it is on disk, under a lock that counts in all
 * processes, and what it returns is written whole or not at all, with one line in the ledger. What a person has done
 * with an editor is noticed before that, and is the truth. A refusal is a value and changes nothing.
 */

import type { Memory, MemoryDraft } from "./memory.js";
import type { Use } from "./rank.js";
import type { Cause, LedgerLine } from "./store/ledger-line.js";

export interface MemoryStore {
  /** The memory; `undefined` when there is none, or its file cannot be read. */
  read(id: string): Promise<Memory | undefined>;
  /** All that are active or resolved, as they are on disk now; with `archived` those in the archive too. */
  list(options?: { archived?: boolean }): Promise<readonly Memory[]>;
  /** As `list` last knew them, without a look at the disk: for what may not wait. */
  known(): readonly Memory[];
  /**
   * Adds one under a free name made from its title. Where a memory of the user's store says the same sentence already,
   * that one has a use more and nothing is added, whoever says it and in whichever way.
   */
  remember(draft: MemoryDraft, cause: Cause): Promise<Written>;
  /** Changes one. `change` may be called again; `undefined` leaves it as it is. */
  update(id: string, change: (current: Memory) => Memory | undefined, cause: Cause): Promise<Written>;
  /** Moves one to the archive, or back. Nothing is deleted. */
  archive(id: string, cause: Cause): Promise<Written>;
  restore(id: string, cause: Cause): Promise<Written>;
  /** Files that cannot be used and why: broken ones, conflict markers, links out of the folder. */
  problems(): readonly FileProblem[];
  /** Is told after every change, those from outside included, which memories are others now. */
  onChange(listener: (changed: readonly string[]) => void): void;
}

/** The store with what it keeps beside the memories. */
export interface Memories extends MemoryStore {
  /** Counts that these were shown or asked for. In machine state: no file is changed by being read. */
  noteUse(ids: readonly string[]): void;
  /** As far as it is known here; complete after the first `list`. */
  useOf(id: string): Use | undefined;
  /**
   * Makes all of these changes or none, in one step on disk for each folder of memories. A memory that is not any more
   * as it was when the change was planned has none of them made.
   */
  swap(planned: readonly PlannedChange[], cause: Cause & { run: string }): Promise<Swapped>;
  /** Takes back what was done last, or in this run; what somebody has changed since stays as it is. */
  undo(cause: Cause, run?: string): Promise<Undone>;
  /**
   * Puts right what the host's undo has done to files of memories: it puts back each file that changed while an undone
   * turn ran, whoever changed it. `touched` are absolute paths; without it any file may have been. The ids of what was
   * mended. Rejects when the disk fails.
   */
  mendAfterUndo(cause: Cause, touched?: ReadonlySet<string>): Promise<readonly string[]>;
  /** Every change of a memory, the first one first, those included that a person has made. */
  history(id: string): Promise<readonly LedgerLine[]>;
  /** Absolute path of its file, in the archive too; `undefined` when there is none. */
  locate(id: string): Promise<string | undefined>;
  /** Is it being asked whose some files are? What `known` says of them may be another thing in a moment. */
  isDeciding(): boolean;
  /** Those that are not the user's until he accepts them, the archived ones too, as they were last seen. */
  foreign(): readonly Memory[];
  /** The user takes these for his own, without ids all of them; those that now are. */
  accept(ids: readonly string[] | undefined, why: string): Promise<readonly Memory[]>;
  /** Takes back what was accepted last; how many that were, `undefined` where nothing was. */
  revoke(): Promise<number | undefined>;
  /** Resolves when the indexes are written and nothing is left to be written down. Never rejects. */
  onIdle(): Promise<void>;
}

/** The store with what only a person's commands ask of it. */
export interface OpenMemories extends Memories {
  /**
   * Puts the file of a memory there as it came from another store, byte for byte, where nothing has its id: a file with
   * the same bytes leaves it as it is, any other is a refusal.
   */
  adopt(file: MemoryCopy, cause: Cause): Promise<Written>;
  /** Removes the file of one that lies in the archive; the ledger keeps every version of it. */
  discard(id: string, cause: Cause): Promise<Written>;
}

/** The file of a memory, on its way from one store to another. */
export interface MemoryCopy {
  id: string;
  isArchived: boolean;
  /** All of the file. */
  contents: string;
}

/** A memory as it is and as it shall be; one that becomes "archived" is moved there, its other fields changed first. */
export interface PlannedChange {
  before: Memory;
  after: Memory;
  /** For the ledger; without it that of all. */
  reason?: string;
}

export type Swapped =
  | { kind: "written"; ids: readonly string[] }
  /** Nothing was changed. */
  | { kind: "refused"; why: string };

export type Undone =
  | {
      kind: "undone";
      /** What was done: "remember", "dream". */
      operation: string;
      /** Of what was taken back. */
      run: string;
      /** When it had been done, ISO date-time. */
      at: string;
      ids: readonly string[];
      /** What stays as it is, and why. */
      left: readonly { id: string; why: string }[];
    }
  | { kind: "nothing"; why: string };

export type Written =
  /** `isKnown`: what was to be remembered was known, and this is the memory that says it. */
  | { kind: "written"; memory: Memory; path: string; isKnown?: true }
  | { kind: "unchanged"; memory: Memory; path: string; isKnown?: true }
  /** The sentence says what was expected, what came and what to do. */
  | { kind: "refused"; why: string; existing?: Memory };

export interface FileProblem {
  path: string;
  what: string;
}
