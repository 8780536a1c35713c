import { parseJson } from "../records.js";
import { isProcessIdentity, type ProcessIdentity } from "../seams/processes.js";
import { each, matching, object, parserOf, string } from "../shape.js";

/** Who holds a lock: the contents of its file, one line of JSON for people and programs. */
export interface LockToken {
  /** Of this one holding; no other has it. */
  id: string;
  /** Of the part of the program that holds it. */
  instance: string;
  process: ProcessIdentity;
  /** ISO date-time, for people: nothing is decided by it. */
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

/** `undefined` for what is no token: half a file, or somebody else's. */
export const parseToken = (text: string): LockToken | undefined => parserOf(isToken)(parseJson(text));

/** For a message to people. */
export function formatHolder(token: LockToken | undefined): string {
  if (!token) return "somebody who has not written down who they are";
  const { process, instance, since } = token;
  return `instance ${instance} (process ${process.id} on ${process.host}) since ${since}`;
}

/** What of a lock is not known here, and what becomes of it. For a message to people. */
export function formatDoubt(signMs: number): string {
  return `whether that still runs cannot be seen from here, its last sign of life is of ${new Date(signMs).toISOString()}: it is taken over as soon as it has given none for a minute`;
}
