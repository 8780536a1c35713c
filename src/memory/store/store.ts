/**
 * The memories of a project and the global ones.
 *
 * Contract: there is no plain write. `change` receives the memory as it is on disk, under a lock across processes, and
 * the store writes the result whole or not at all, with one ledger line. A person's edits are noticed before that and
 * take precedence. A refusal is a value and changes nothing.
 */
import type { Memory, MemoryDraft } from "../memory.js";
import type { Use } from "../rank.js";
import type { Trust } from "../trust/trust.js";
import type { Cause, LedgerLine } from "./ledger.js";
import type { SharedLine } from "./receipt.js";

export interface MemoryStore {
  /** The memory; `undefined` if there is none or its file cannot be read. */
  read(id: string): Promise<Memory | undefined>;
  /** All active and resolved memories as they are on disk now; `archived` adds those in the archive. */
  list(options?: { archived?: boolean }): Promise<readonly Memory[]>;
  /** The result of the last `list`, without disk access: for callers that may not wait. */
  known(): readonly Memory[];
  /**
   * Adds a memory under a free name made from its title. If a memory that is not foreign says the same sentence
   * already, that one gains a use and nothing is added.
   */
  remember(draft: MemoryDraft, cause: Cause): Promise<Written>;
  /** Changes a memory. `change` may be called more than once; returning `undefined` leaves the memory as it is. */
  update(id: string, change: (current: Memory) => Memory | undefined, cause: Cause): Promise<Written>;
  /** Moves a memory to the archive, or back. Nothing is deleted. */
  archive(id: string, cause: Cause): Promise<Written>;
  restore(id: string, cause: Cause): Promise<Written>;
  /** Files that cannot be used, and why: damage, conflict markers, links out of the folder. */
  problems(): readonly FileProblem[];
  /** Calls `listener` with the ids of changed memories after every change, external ones included. */
  onChange(listener: (changed: readonly string[]) => void): void;
}

/** The store with its state beside the memories. */
export interface Memories extends MemoryStore {
  /** Counts that these were shown or asked for. Kept in machine state: reading changes no memory file. */
  noteUse(ids: readonly string[]): void;
  /** The uses known so far; complete after the first `list`. */
  useOf(id: string): Use | undefined;
  /**
   * Makes all of these changes or none, in one step on disk per memory folder. If any memory has changed since the
   * change was planned, none is made.
   */
  changeAll(planned: readonly PlannedChange[], cause: Cause & { run: string }): Promise<AllChanged>;
  /**
   * Reverts the last operation, or this run; memories changed since then stay as they are. With `since`, an ISO date-time,
   * nothing from before is reverted.
   */
  undo(cause: Cause, run?: string, since?: string): Promise<Undone>;
  /**
   * Repairs memory files after the host's undo, which restores each file that changed while an undone turn ran, no
   * matter who changed it. `touched` are absolute paths; without it, any file may be affected. Returns the ids of
   * repaired memories. Rejects when the disk fails.
   */
  mendAfterUndo(cause: Cause, touched?: ReadonlySet<string>): Promise<readonly string[]>;
  /** Every change of a memory, oldest first, including changes by people. */
  history(id: string): Promise<readonly LedgerLine[]>;
  /** Absolute path of its file, also in the archive; `undefined` if there is none. */
  locate(id: string): Promise<string | undefined>;
  /** True while the trust of some files is being decided: what `known` says of them may change in a moment. */
  isDeciding(): boolean;
  /** Memories that wait for the user to accept them, including archived ones, as last seen. */
  foreign(): readonly Memory[];
  /** The user accepts these, or all without `ids`. Returns the accepted memories. */
  accept(ids: readonly string[] | undefined, why: string): Promise<readonly Memory[]>;
  /** Reverts the last acceptance. Returns the number of memories; `undefined` if nothing was accepted. */
  revoke(): Promise<number | undefined>;
  /** Whether the people of the project's remotes are the user's team. */
  readonly team?: Trust["team"];
  /** Resolves when the indexes and all else are written. Never rejects. */
  onIdle(): Promise<void>;
}

/** The store with the operations that only a person's commands need. */
export interface OpenMemories extends Memories {
  /**
   * Writes files of memories from another store, byte for byte, if their ids are free: several hundred in one step on disk,
   * one result per file, in order. An existing file with the same bytes stays; any other is a refusal.
   */
  adoptAll(
    files: readonly MemoryCopy[],
    cause: Cause & { run: string },
    onProgress?: (done: number) => void,
  ): Promise<Written[]>;
  /**
   * Lets git see a project memory that it ignores, with its history, unless it holds a secret or names a hidden memory. A
   * private memory moves to the folder of the others, under the first free name. Undone as any change.
   */
  publish(id: string, cause: Omit<Cause, "operation"> & { run: string }): Promise<Written>;
  /** Removes the file of an archived memory; the ledger keeps every version. */
  discard(id: string, cause: Cause): Promise<Written>;
  readonly exchange: Exchange;
}

/** Exchanges memories with other machines, except private ones. */
export interface Exchange {
  /** The ledger lines that may be shared, and what to check them against. */
  read(scope: Memory["scope"]): Promise<Shared>;
  /**
   * Applies lines that other machines shared, and merges them with changes made here, in atomic steps of a few hundred
   * memories.
   */
  take(scope: Memory["scope"], lines: readonly SharedLine[], options: TakeOptions): Promise<Taken>;
}

export interface Shared {
  lines: readonly SharedLine[];
  /** Fingerprints of memories that must not leave this machine. */
  hidden: ReadonlySet<string>;
  isThere(path: string): boolean;
  /** True if the user wrote or accepted the version that this line creates. */
  isOwn(line: LedgerLine): boolean;
}

export interface TakeOptions {
  /** True if the remote has the line with this id. */
  isShared(id: string): boolean;
  /** The remote's memories do not count as the user's. */
  isForeign: boolean;
}

export interface Taken {
  /** Ids of the changed memories. */
  ids: string[];
  /** Paths of new conflict records. */
  conflicts: string[];
  /** Memories left unchanged until the reason is gone. */
  deferred: { id: string; why: string }[];
}

/** A memory's file in transfer from one store to another. */
export interface MemoryCopy {
  id: string;
  isArchived: boolean;
  /** The whole file. */
  contents: string;
}

/**
 * A memory before and after; if its status becomes "archived", its other fields are changed first, then its file is
 * moved.
 */
export interface PlannedChange {
  before: Memory;
  after: Memory;
  /** For the ledger; defaults to the reason of the whole change. */
  reason?: string;
}

export type AllChanged =
  | { kind: "written"; ids: readonly string[] }
  /** Nothing was changed. */
  | { kind: "refused"; why: string };

export type Undone =
  | {
      kind: "undone";
      /** The reverted operation: "remember", "dream". */
      operation: string;
      /** Id of the reverted run. */
      run: string;
      /** When that operation ran, ISO date-time. */
      at: string;
      ids: readonly string[];
      /** Memories that stay as they are, and why. */
      left: readonly { id: string; why: string }[];
    }
  | { kind: "nothing"; why: string };

export type Written =
  /** `isKnown`: this existing memory says the sentence already. `superseded`: what the gate has put aside for it. */
  | { kind: "written"; memory: Memory; path: string; isKnown?: true; superseded?: readonly Memory[] }
  | { kind: "unchanged"; memory: Memory; path: string; isKnown?: true }
  /** `why` says what was expected, what came and what to do. */
  | { kind: "refused"; why: string; existing?: Memory };

export interface FileProblem {
  path: string;
  what: string;
}
