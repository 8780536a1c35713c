import { isRecord } from "../records.js";
import type { ProcessIdentity } from "../seams/processes.js";

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

/** `undefined` for what is no token: half a file, or somebody else's. */
export function parseToken(text: string): LockToken | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value.process)) return undefined;
  const { id, instance, since, process } = value;
  const texts = [id, instance, since, process.start, process.host, process.machine];
  // The id becomes part of a file's name.
  if (!texts.every((one) => typeof one === "string") || !/^[\w-]+$/.test(String(id))) return undefined;
  return Number.isInteger(process.id) ? (value as unknown as LockToken) : undefined;
}

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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
