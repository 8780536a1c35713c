/**
 * Keeps two instances from silently overwriting each other's memories.
 *
 *     see        notes the state of a memory when this instance last read or wrote it
 *     remember   memory changed since: not written, a record keeps both versions
 *                another instance writes at the same time: both become memories, and a record names them
 *     update     memory changed since: not written, a record keeps both versions
 *     open       lists unsettled records; moves settled ones to the archive
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../../../src/base/error.js";
import { isRecord, isVersion } from "../../../src/base/shape.js";
import { toLine, withoutMark } from "../../../src/base/text.js";
import { readJsonLines } from "../../../src/io/json-lines.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
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
import { LAYER } from "./boot.js";

export type Conflicts = ReturnType<typeof createConflicts>;

export type Remembered =
  | Written
  /** Only the record was written; `existing` stays. */
  | { kind: "conflict"; existing: Memory; path: string };

export interface ConflictsOptions extends ConflictLogOptions {
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
        const why = refuseWords({ title, content: draft.content });
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
          const isRival =
            ours !== undefined &&
            known !== undefined &&
            known !== fingerprint(theirs) &&
            differ(ours, theirs);
          rival = isRival ? { theirs, ours } : undefined;
          return isRival ? undefined : ours;
        },
        cause,
      );
      if (!rival) return note(written);
      const { theirs, ours } = rival;
      const why = refuseWords(ours);
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

const differ = (one: Memory, other: Memory): boolean => fingerprint(one) !== fingerprint(other);

const MOST_SHOWN = 5;

/** Formats the conflicts for the beginning of a session, a line each; `undefined` if there are none. */
export function formatOpenConflicts(conflicts: readonly ConflictRecord[]): string | undefined {
  if (conflicts.length === 0) return undefined;
  const lines = conflicts
    .slice(0, MOST_SHOWN)
    .map(({ id, path, title }) => `- "${title}" (${id}): both are in ${path}`);
  const more =
    conflicts.length > MOST_SHOWN ? [`- and ${conflicts.length - MOST_SHOWN} more beside them`] : [];
  return ["Two versions each, and nobody has decided which holds; ask the user:", ...lines, ...more].join(
    "\n",
  );
}

/*
 * Log of the agent's changes to the user's own memories. Each change gives a toast at once, and a line in the block at the
 * beginning of the next session.
 *
 *     {"v":1,"id":"directive/r","what":"archived","words":"forget the rule about pushing","at":"…","session":"ses_1"}
 *     {"v":1,"told":1}      number of changes shown so far
 *
 * Stored in the user's state folder, a file for each project, where no repository can add a line.
 */

export interface AgentChange {
  id: string;
  /** "archived", "changed" */
  what: string;
  /** The user's words that asked for it. */
  words: string;
  session: string;
}

export type AgentChanges = ReturnType<typeof createAgentChanges>;

const MOST_NAMED = 3;
const LONGEST_WORDS = 100;

export function createAgentChanges(
  context: Pick<LayerContext, "clock" | "files" | "folders" | "host" | "log" | "toasts">,
) {
  const { clock, files, folders, host, log, toasts } = context;
  const name = createHash("sha256").update(folders.project).digest("hex").slice(0, 16);
  const path = join(host.stateFolder, "changed-by-agent", `${name}.jsonl`);
  let count = 0;

  return {
    /** Logs a change that was made. Never rejects. */
    async note(given: AgentChange): Promise<void> {
      const change = { ...given, words: redactSecrets(given.words).text };
      toasts.show(`the agent ${formatChange(change)}; strata undo undoes it`, "info");
      await append({ v: 1, ...change, at: new Date(clock.now()).toISOString() });
    },

    /** One line about the changes that no session has been shown; `undefined` if there are none. */
    async read(): Promise<string | undefined> {
      const { records } = await readJsonLines(files, path, readLine);
      const changes = records.filter((one) => typeof one !== "number");
      const shown = records.filter((one) => typeof one === "number").reduce((a, b) => Math.max(a, b), 0);
      count = changes.length;
      return formatChanges(changes.slice(shown));
    },

    /** Notes that a session shows the line read last. Never rejects. */
    markShown: (): Promise<void> => append({ v: 1, told: count }),
  };

  async function append(line: object): Promise<void> {
    await files
      .appendLine(path, JSON.stringify(line))
      .catch((thrown) => log.warn(LAYER, `cannot write ${path}: ${formatError(thrown)}`));
  }
}

function readLine(value: unknown): AgentChange | number | undefined {
  if (!isRecord(value) || !isVersion(value.v)) return undefined;
  const { id, session, told, what, words } = value;
  if (Number.isInteger(told)) return Number(told);
  const isWhole = [id, session, what, words].every((one) => typeof one === "string");
  return isWhole ? ({ id, session, what, words } as AgentChange) : undefined;
}

/** Formats the line for the beginning of a session. */
export function formatChanges(changes: readonly AgentChange[]): string | undefined {
  if (changes.length === 0) return undefined;
  const named = changes.slice(-MOST_NAMED).map(formatChange);
  const more = changes.length > MOST_NAMED ? ` and ${changes.length - MOST_NAMED} more` : "";
  return `Changed by the agent since: ${named.join(", ")}${more}; strata undo takes back what was done last.`;
}

function formatChange({ id, what, words }: AgentChange): string {
  const said = withoutMark(toLine(words, LONGEST_WORDS));
  return `${what} ${toLine(id, LONGEST_WORDS)} (the user said ${JSON.stringify(said)})`;
}
