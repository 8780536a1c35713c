/** Tells which memories are in force. Pure. */
import type { Memory } from "./memory.js";

/** Is the memory active and not expired? */
export function isActive({ expires, status }: Pick<Memory, "expires" | "status">, nowMs: number): boolean {
  return status === "active" && (expires === undefined || !(Date.parse(expires) <= nowMs));
}

/** Is it a rule from the user, given in a session or with an editor? */
export function isUsersRule({ isForeign, provenance, type }: Memory): boolean {
  return !isForeign && type === "directive" && (provenance.by === "user" || provenance.by === "person");
}
