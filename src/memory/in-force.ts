/** Which memories hold now. Pure. */
import type { Memory } from "./memory.js";

/** Is the memory active and not expired? */
export function isActive({ expires, status }: Pick<Memory, "expires" | "status">, nowMs: number): boolean {
  return status === "active" && (expires === undefined || !(Date.parse(expires) <= nowMs));
}

/** Is it a rule that the user has given, in a session or with an editor? */
export function isUsersRule({ isForeign, provenance, type }: Memory): boolean {
  return !isForeign && type === "directive" && (provenance.by === "user" || provenance.by === "person");
}
