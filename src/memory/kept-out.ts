/**
 * Memories that git ignores although they are not in `private/`: by default what a person prefers or corrects. The
 * `.gitignore` of the project's memory folder says which, so that git and Strata agree.
 *
 *     /preference/*                 kept out, as are archived ones
 *     /archive/preference/*
 *     !/preference/tone.md          published
 *     !/archive/preference/tone.md
 */
import { formatNegation } from "../base/git-ignore.js";
import type { Memory, MemoryType } from "./memory.js";
import { ARCHIVE, formatPath, splitPath } from "./path.js";

/** The types that stay out of git unless the user's settings say otherwise. */
export const typesKeptOut: readonly MemoryType[] = ["preference", "feedback"];

/** The types that stay out of git with these settings: none if the user commits the whole folder on purpose. */
export function typesOutOfGit(
  config: { autoMemory: { keepOutOfGit: readonly MemoryType[] }; committedFolders: readonly string[] },
  { memory }: { memory: string },
): readonly MemoryType[] {
  return config.committedFolders.includes(memory) ? [] : config.autoMemory.keepOutOfGit;
}

/** Memories that no committed file may name or quote: those in `private/` and those that git ignores. */
export function isHidden({ isKeptOut, sensitivity }: Pick<Memory, "isKeptOut" | "sensitivity">): boolean {
  return sensitivity === "private" || isKeptOut === true;
}

/** The rules that keep all memories of these types out of git. */
export function planKeepingRules(types: readonly MemoryType[]): string[] {
  return types.flatMap((type) => [`/${type}/*`, `/${ARCHIVE}/${type}/*`]);
}

/** The rules that publish the memory at this path, archived or not. */
export function planPublishingRules(path: string): string[] {
  const parts = splitPath(path);
  if (!parts) return [];
  return [false, true].map((isArchived) => formatNegation(formatPath({ ...parts, isArchived })));
}

/** The `.gitignore` without the rules that publish the memory at this path. */
export function withoutPublishing(text: string, path: string): string {
  const rules = new Set(planPublishingRules(path));
  return text
    .split("\n")
    .filter((line) => !rules.has(line.trim()))
    .join("\n");
}
