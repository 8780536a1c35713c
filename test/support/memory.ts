import type { Memory, MemoryType } from "../../src/memory/memory.js";

/** A memory with these fields; the others are those of an agent's plain note. */
export function memoryOf(given: Partial<Memory> & { id: string }): Memory {
  const type = (given.id.split("/").at(-2) ?? "knowledge") as MemoryType;
  return {
    scope: "project",
    sensitivity: "internal",
    type,
    // The default of a file without a title: its first words.
    title: given.content?.split("\n")[0] ?? "Nothing.",
    content: "Nothing.",
    status: "active",
    aliases: [],
    tags: [],
    entities: [],
    links: [],
    importance: 0.5,
    pinned: false,
    when: [],
    created: "2026-11-20T09:00:00.000Z",
    updated: "2026-11-20T09:00:00.000Z",
    provenance: { by: "agent" },
    extra: {},
    ...given,
  };
}
