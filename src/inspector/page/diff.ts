/** What has changed, in words: two texts compared word by word, and a change in a few words. Pure. */

import { diffWordsWithSpace } from "diff";
import type { Change } from "../answers.js";

export interface Piece {
  kind: "same" | "removed" | "added";
  text: string;
}

/**
 * A memory's file for people: title, fields (without those that every change sets), text. Returns a text without front
 * matter unchanged.
 */
export function toReadable(file: string): string {
  const [, front, body = ""] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(file) ?? [];
  if (front === undefined) return file;
  const fields = front.split(/\n(?=\S)/).filter((field) => !/^(created|updated|source):/.test(field));
  const title = fields.find((field) => field.startsWith("title:"))?.slice("title:".length);
  const others = fields.filter((field) => !field.startsWith("title:"));
  return [title?.trim() ?? "", ...others, "", body.trim()].join("\n").trim();
}

/** More differing words than this take too long to compare, so both texts are shown whole. */
const MOST_EDITS = 1_000;

/** Pieces of both texts in order: without "added" ones they form the first text, without "removed" ones the second. */
export function compareTexts(before: string, after: string): Piece[] {
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes.map(({ added, removed, value }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}

/** Describes a change in a few words. */
export function nameChange({ after, before, by, movedTo, operation }: Change): string {
  const who = by === "person" && !operation.includes("by hand") ? " by hand" : "";
  if (movedTo !== undefined)
    return `${operation}${movedTo.includes("archive/") ? ", moved to the archive" : ", moved back"}${who}`;
  if (before === undefined && after !== undefined) return `${operation}, new${who}`;
  if (after === undefined) return `${operation}, removed${who}`;
  return `${operation}${who}`;
}
