/**
 * One change of one memory, as a line of the ledger. It holds the whole file as it was afterwards, so that the ledger
 * alone gives every file at every time, and the way back from a change is the line before it.
 */
import { createHash } from "node:crypto";
import { isRecord } from "../records.js";
import type { Cause } from "./store.js";

export interface LedgerLine extends Cause {
  v: 1;
  id: string;
  /** ISO date-time; of two lines about one file the later one has the later time, whatever the clock does. */
  at: string;
  instance: string;
  /** `person`: seen to have been done with an editor, or by git. */
  by: "strata" | "person";
  /** The memory's id. */
  key: string;
  /** Of its file, from the folder that the ledger is about. */
  path: string;
  /** Where the file was moved from, if it was. */
  from?: string;
  /** Hash of the file before; `null` when there was none. */
  before: string | null;
  after: string | null;
  /** The file afterwards; absent when it is gone, and when it is the same as before. */
  contents?: string;
}

export function parseLedgerLine(value: unknown): LedgerLine | undefined {
  if (!isRecord(value) || value.v !== 1) return undefined;
  const { id, at, instance, by, key, path, operation, before, after, from, contents } = value;
  const texts = [id, at, instance, key, path, operation];
  const isWhole =
    texts.every((one) => typeof one === "string") &&
    (by === "strata" || by === "person") &&
    [before, after].every((one) => one === null || typeof one === "string") &&
    [from, contents, value.run, value.undoes].every((one) => one === undefined || typeof one === "string");
  return isWhole ? (value as unknown as LedgerLine) : undefined;
}

/** Tells two versions of a file apart. */
export function hashOf(contents: Uint8Array | string): string {
  return createHash("sha256").update(contents).digest("hex").slice(0, 32);
}

/**
 * The files that these lines give, by path. Lines come in the order of their files; of each memory the line is taken
 * next that fits what stands there, so that the lines of two people who worked at a time find their order.
 */
export function replayLedger(lines: readonly LedgerLine[]): Map<string, string> {
  const files = new Map<string, string>();
  const hashes = new Map<string, string>();
  for (const [, own] of groupByKey(sortByTime(lines))) {
    const left = [...own];
    while (left.length > 0) {
      const fitting = left.findIndex(
        ({ path, from, before }) => (hashes.get(from ?? path) ?? null) === before,
      );
      const [line] = left.splice(Math.max(0, fitting), 1);
      if (line) apply(line);
    }
  }
  return files;

  function apply({ path, from, after, contents }: LedgerLine): void {
    const text = contents ?? files.get(from ?? path);
    if (from !== undefined) {
      files.delete(from);
      hashes.delete(from);
    }
    if (after === null || text === undefined) {
      files.delete(path);
      hashes.delete(path);
    } else {
      files.set(path, text);
      hashes.set(path, after);
    }
  }
}

/** The first one first; those of one time stay as they came. */
export function sortByTime(lines: readonly LedgerLine[]): LedgerLine[] {
  return [...lines].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** By the memories that they are about. */
export function groupByKey(lines: readonly LedgerLine[]): Map<string, LedgerLine[]> {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const group = groups.get(line.key);
    if (group) group.push(line);
    else groups.set(line.key, [line]);
  }
  return groups;
}
