/**
 * Two versions of one memory that nobody has decided between: a file of its own, for people to read and to settle.
 *
 *     <memory>/conflicts/<name>-<8 hex>.md            of private memories <memory>/private/conflicts/
 *
 * The first line is for the machine, the rest for people.
 */
import { createHash } from "node:crypto";
import { isVersion } from "../record/version.js";
import { parseJson } from "../records.js";
import { each, object, optional, parserOf, string } from "../shape.js";
import { parseID } from "./id.js";
import type { Memory, MemoryDraft } from "./memory.js";

export interface Conflict {
  v: 1;
  /** The memory that stands. */
  id: string;
  title: string;
  /** `fingerprint` of what stands; once that is another, somebody has decided. */
  standing: string;
  /** The other version, where it is a memory too. */
  otherID?: string;
  /** Of the other version. */
  other: string;
  /** ISO date-time. */
  found: string;
  /** Whose they are, as far as it is known. */
  standingBy?: string;
  otherBy?: string;
}

/** What of a memory two can disagree on. */
export function fingerprint({ content, title }: Pick<Memory, "content" | "title">): string {
  const text = `${foldText(title)}\n${foldText(content)}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * The memory that a draft is about but does not know: of the same scope, type and title, of other contents, and not as
 * this instance has seen it last. `seen` is by id. Pure.
 */
export function findUnseenRival(
  draft: Pick<Memory, "content" | "title" | "type"> & Pick<MemoryDraft, "scope">,
  memories: readonly Memory[],
  seen: ReadonlyMap<string, string>,
): Memory | undefined {
  return memories.find(
    (memory) =>
      memory.type === draft.type &&
      memory.scope === (draft.scope ?? "project") &&
      (memory.status === "active" || memory.status === "resolved") &&
      foldText(memory.title) === foldText(draft.title) &&
      foldText(memory.content) !== foldText(draft.content) &&
      seen.get(memory.id) !== fingerprint(memory),
  );
}

/** The same for the same two versions, whoever finds them, and in whichever order. */
export function formatConflictName({
  id,
  other,
  standing,
}: Pick<Conflict, "id" | "other" | "standing">): string {
  const both = [standing, other].sort().join(" ");
  const name = id.split("/").at(-1) ?? "memory";
  return `${name.slice(0, 80)}-${createHash("sha256").update(both).digest("hex").slice(0, 8)}.md`;
}

export function formatConflict(conflict: Conflict, standing: string, other: string): string {
  const { found, id, otherBy, otherID, standingBy, title } = conflict;
  const by = (who: string | undefined): string => (who === undefined ? "" : `, from ${who}`);
  return [
    `<!-- strata-conflict ${JSON.stringify(conflict).replaceAll("--", "\\u002d\\u002d")} -->`,
    `# Two versions of "${title}"`,
    `Found ${found}. Change \`${id}\` to what holds, or archive it: then this is settled, and moved to the archive.`,
    `## What stands: \`${id}\`${by(standingBy)}`,
    standing,
    `## The other version${otherID === undefined ? "" : `: \`${otherID}\``}${by(otherBy)}`,
    other,
    "",
  ].join("\n\n");
}

const isID = (value: unknown): value is string => string(value) && parseID(value) !== undefined;

const isConflict = object<Conflict>({
  v: isVersion,
  id: isID,
  otherID: optional(isID),
  ...each(string, "title", "standing", "other", "found"),
  ...each(optional(string), "standingBy", "otherBy"),
});

/** `undefined` for a file that is none. */
export function parseConflict(text: string): Conflict | undefined {
  const [, line = ""] = /^<!-- strata-conflict (.*) -->$/m.exec(text.slice(0, 10_000)) ?? [];
  return parserOf(isConflict)(parseJson(line));
}

/** Has somebody decided? What stood stands no more, or the other one does not. */
export function isSettled(conflict: Conflict, memories: readonly Memory[]): boolean {
  const find = (wanted: string): Memory | undefined =>
    memories.find(({ id, status }) => id === wanted && (status === "active" || status === "resolved"));
  const standing = find(conflict.id);
  if (!standing || fingerprint(standing) !== conflict.standing) return true;
  if (conflict.otherID === undefined) return false;
  const other = find(conflict.otherID);
  return !other || fingerprint(other) !== conflict.other;
}

const foldText = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();
