import { parseJson } from "../base/records.js";
import { each, matching, object, parserOf, string } from "../base/shape.js";
import { isProcessIdentity, type ProcessIdentity } from "./processes.js";

/** Owner of a lock: the contents of its file, one line of JSON for people and programs. */
export interface LockToken {
  /** Unique for each time the lock is taken. */
  id: string;
  /** Part of the program that holds it. */
  instance: string;
  process: ProcessIdentity;
  /** ISO date-time, for people only. */
  since: string;
}

export function formatToken(token: LockToken): string {
  return `${JSON.stringify(token)}\n`;
}

const isToken = object<LockToken>({
  // Becomes part of a file's name.
  id: matching(/^[\w-]+$/),
  ...each(string, "instance", "since"),
  process: isProcessIdentity,
});

/** `undefined` for an incomplete or foreign file. */
export const parseToken = (text: string): LockToken | undefined => parserOf(isToken)(parseJson(text));

/** For a message to people. */
export function formatHolder(token: LockToken | undefined): string {
  if (!token) return "an unknown owner";
  const { process, instance, since } = token;
  return `instance ${instance} (process ${process.id} on ${process.host}) since ${since}`;
}

/** What is unknown about a lock, and what will happen to it. For a message to people. */
export function formatDoubt(signMs: number): string {
  return `it was last active at ${new Date(signMs).toISOString()}, and this machine cannot tell whether it still runs: the lock is taken over after a minute without activity`;
}
