/** What can be wrong with the files of a memory, and what can be done about it without loss. */
import { relative } from "node:path";
import type { ShelfPlace } from "../../memory/store/places.js";
import type { Finding } from "../doctor/finding.js";

export interface Issue extends Finding {
  /** Absolute path. */
  file: string;
  /** What the user can do. */
  todo: string;
  /** What `strata optimize --execute` does; absent if the user has to decide. */
  fixes?: readonly Fix[];
}

/** A step that loses nothing. `says` describes it to the user, in the imperative. */
export type Fix = { says: string } & (
  | { kind: "unlock"; path: string }
  | { kind: "remove"; path: string; modifiedMs: number; place: ShelfPlace }
  /** Adds the rules to this `.gitignore`. */
  | { kind: "hide"; path: string; rules: readonly string[] }
  /** Renames an invalid pending change. */
  | { kind: "set aside"; path: string; place: ShelfPlace }
  /** Finishes a pending change, then records manual edits in the ledger. */
  | { kind: "settle"; place: ShelfPlace }
  | { kind: "archive"; id: string }
  | { kind: "index"; place: ShelfPlace }
);

type Given = Omit<Issue, "level" | "fixes"> & { fixes?: readonly Fix[] | undefined };

const create = (level: Issue["level"], { fixes, ...issue }: Given): Issue => ({
  level,
  ...issue,
  ...(fixes !== undefined && { fixes }),
});

/** Something does not work. */
export const problem = (issue: Given): Issue => create("problem", issue);
/** It works, but needs attention. */
export const warning = (issue: Given): Issue => create("warning", issue);
/** Worth knowing; nothing is wrong. */
export const note = (issue: Given): Issue => create("note", issue);

export const rebuildIndex = (place: ShelfPlace): Fix => ({
  kind: "index",
  place,
  says: "rebuild MEMORY.md from the files",
});

/** The path relative to the project, if it is inside. */
export function formatPath(file: string, root: string): string {
  const inside = relative(root, file);
  return inside.startsWith("..") ? file : inside;
}

/** "2 problems, 1 warning" */
export function countIssues(issues: readonly Issue[]): string {
  const counts = (["problem", "warning", "note"] as const).map((level) => {
    const count = issues.filter((issue) => issue.level === level).length;
    return count === 0 ? [] : [`${count} ${level}${count === 1 ? "" : "s"}`];
  });
  return counts.flat().join(", ") || "no problems";
}
