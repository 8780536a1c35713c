/**
 * Keeps two instances from silently overwriting each other's memories.
 *
 *     see        notes the state of a memory when this instance last read or wrote it
 *     remember   memory changed since: not written, a record keeps both versions
 *                another instance writes at the same time: both become memories, and a record names them
 *     update     memory changed since: not written, a record keeps both versions
 *     open       lists unsettled records; moves settled ones to the archive
 */
import { toLine, withoutMark } from "../../../src/base/text.js";
import { refuseWords } from "../../../src/memory/draft.js";
import type { Memory, MemoryDraft, MemoryType } from "../../../src/memory/memory.js";
import {
  type ConflictLogOptions,
  type ConflictRecord,
  createConflictLog,
  findUnseenRival,
  fingerprint,
  type OtherVersion,
} from "../../../src/memory/store/conflict-log.js";
import type { Cause } from "../../../src/memory/store/ledger.js";
import type { MemoryStore, Written } from "../../../src/memory/store/store.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";

export type Conflicts = ReturnType<typeof createConflicts>;

type Remembered =
  | Written
  /** Only the record was written; `existing` stays. */
  | { kind: "conflict"; existing: Memory; path: string };

interface ConflictsOptions extends ConflictLogOptions {
  store: Pick<MemoryStore, "list" | "remember" | "update">;
  /** True if new memories of this type go to `private/`, and their record as well. Default: none does. */
  isPrivate?(type: MemoryType): boolean;
}

export function createConflicts(options: ConflictsOptions) {
  const { store } = options;
  const seen = new Map<string, string>();
  const records = createConflictLog(options);

  return {
    see,

    /** Like the store's. A draft without a title never conflicts. */
    async remember(draft: MemoryDraft, cause: Cause): Promise<Remembered> {
      const { title } = draft;
      if (title === undefined) return note(await store.remember(draft, cause));
      const existing = findUnseenRival({ ...draft, title }, await listOwn(), seen);
      if (existing) {
        const why = refuseWords(`${title}\n${draft.content}`);
        if (why !== undefined) return { kind: "refused", why };
        const hidden = options.isPrivate?.(draft.type) && { sensitivity: "private" as const };
        const path = await records.add(existing, { ...draft, ...hidden, title, by: cause.session });
        return { kind: "conflict", existing, path };
      }
      const written = note(await store.remember(draft, cause));
      if (written.kind === "written" && !written.isKnown) await recordRace(written.memory);
      return written;
    },

    /** Like the store's. A memory that this instance has never seen is changed without a check. */
    async update(...[id, change, cause]: Parameters<MemoryStore["update"]>): Promise<Remembered> {
      let rival: { theirs: Memory; ours: Memory } | undefined;
      const written = await store.update(
        id,
        (theirs) => {
          const ours = change(theirs);
          const known = seen.get(id);
          const print = fingerprint(theirs);
          const isChanged = known !== undefined && known !== print;
          const isRival = isChanged && ours !== undefined && fingerprint(ours) !== print;
          rival = isRival ? { theirs, ours } : undefined;
          return isRival ? undefined : ours;
        },
        cause,
      );
      if (!rival) return note(written);
      const { theirs, ours } = rival;
      const why = refuseWords(`${ours.title}\n${ours.content}`);
      if (why !== undefined) return { kind: "refused", why };
      const { content, sensitivity, title } = ours;
      const path = await records.add(theirs, { content, sensitivity, title, by: cause.session });
      see([theirs]);
      return { kind: "conflict", existing: theirs, path };
    },

    /** Unsettled conflicts, the oldest first. */
    open: async (): Promise<readonly ConflictRecord[]> => records.listOpen(await store.list()),
  };

  /** Memories that came with the repository are not the user's version. */
  async function listOwn(except?: Memory): Promise<readonly Memory[]> {
    return (await store.list()).filter(({ id, isForeign }) => !isForeign && id !== except?.id);
  }

  function see(memories: readonly Memory[]): void {
    for (const memory of memories) seen.set(memory.id, fingerprint(memory));
  }

  function note(written: Written): Written {
    if (written.kind !== "refused") see([written.memory]);
    return written;
  }

  /** Another instance may have written about the same subject between the check and the write. */
  async function recordRace(own: Memory): Promise<void> {
    const rival = findUnseenRival(own, await listOwn(own), seen);
    if (rival) await records.add(...orderRivals(own, rival));
  }
}

/** Both sides find each other; both name the alphabetically first id as the one in use, which gives one record. */
export function orderRivals(one: Memory, rival: Memory): [current: Memory, other: OtherVersion] {
  const [current, other] = rival.id < one.id ? [rival, one] : [one, rival];
  return [current, { ...other, by: other.provenance.session }];
}

/** Tells a person that the memory they entered has a rival. */
export function formatRival({ id, title }: Memory, path: string): string {
  return `${id} has the same title ("${title}") and says otherwise; strata reconcile decides which holds. Both are in ${path}`;
}

/** The refusal for the session that wrote the other version. */
export function refuseConflict({ existing, path }: Remembered & { kind: "conflict" }): Written {
  const why = `Somebody else in this project has written about "${existing.title}" and says otherwise (${existing.id}). Both versions stand in ${path}; ask the user which holds, then bring ${existing.id} to what holds.`;
  return { kind: "refused", why, existing };
}

const MOST_SHOWN = 5;

/** Formats the conflicts for the beginning of a session, a line each; `undefined` if there are none. */
export function formatOpenConflicts(conflicts: readonly ConflictRecord[]): string | undefined {
  if (conflicts.length === 0) return undefined;
  const head = "Two versions each, and nobody has decided which holds; ask the user:";
  const lines = conflicts.map(({ id, path, title }) => `- "${title}" (${id}): both are in ${path}`);
  const left = lines.length - MOST_SHOWN;
  const more = left > 0 ? [`- and ${left} more beside them`] : [];
  return [head, ...lines.slice(0, MOST_SHOWN), ...more].join("\n");
}

export interface AgentChange {
  id: string;
  what: string;
  words: string;
}

const LONGEST_WORDS = 100;

export function formatChange({ id, what, words }: AgentChange): string {
  const said = withoutMark(toLine(redactSecrets(words).text, LONGEST_WORDS));
  const change = `${what} ${toLine(id, LONGEST_WORDS)} (the user said ${JSON.stringify(said)})`;
  return `the agent ${change}; strata undo undoes it`;
}
