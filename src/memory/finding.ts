/**
 * Findings: quotes from pages, searches and documents that an agent read, kept as private knowledge. They are others'
 * words: never a rule, never in the boot block, and shown with their source and age.
 */
import type { Memory } from "./memory.js";

/** The tag of a finding. */
export const FINDING = "finding";

export function isFinding({ provenance, tags }: Pick<Memory, "provenance" | "tags">): boolean {
  return provenance.by === "tool" && tags.includes(FINDING);
}
