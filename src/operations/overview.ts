/** What memory is about: for a search without words. Pure. */
import { formatCount } from "../base/format.js";
import type { Memory, MemoryType } from "../memory/memory.js";

export interface Overview {
  /** Number of active memories. */
  memories: number;
  /** Most frequent first. */
  types: readonly { type: MemoryType; count: number }[];
  /** Tags, and the files and issues of memories; most frequent first. */
  subjects: readonly { subject: string; count: number }[];
  /** Newest first. */
  newest: readonly { id: string; title: string }[];
}

const MOST = { subjects: 20, newest: 5 };

export function planOverview(memories: readonly Memory[]): Overview {
  const active = memories.filter(({ status }) => status === "active");
  const newest = [...active].sort((a, b) => (Date.parse(b.updated) || 0) - (Date.parse(a.updated) || 0));
  return {
    memories: active.length,
    types: countAll(active.map(({ type }) => type)).map(([type, count]) => ({ type, count })),
    subjects: countAll(active.flatMap(({ entities, tags }) => [...new Set([...tags, ...entities])]))
      .slice(0, MOST.subjects)
      .map(([subject, count]) => ({ subject, count })),
    newest: newest.slice(0, MOST.newest).map(({ id, title }) => ({ id, title })),
  };
}

export function formatOverview(
  { memories, newest, subjects, types }: Overview,
  nameOf: (operation: string) => string,
): string {
  if (memories === 0) return "No memories.";
  const counted = (of: readonly string[]): string => of.join(", ");
  return [
    `${formatCount(memories)} ${memories === 1 ? "memory" : "memories"}: ${counted(types.map(({ count, type }) => `${count} ${type}`))}`,
    ...(subjects.length > 0
      ? [`About: ${counted(subjects.map(({ count, subject }) => `${subject} (${count})`))}`]
      : []),
    "Newest:",
    ...newest.map(({ id, title }) => `  ${id}  ${title}`),
    `${nameOf("recall")} 'which port' searches; ${nameOf("list")} shows all.`,
  ].join("\n");
}

/** Most frequent first, then by name. */
function countAll<T extends string>(names: readonly T[]): [name: T, count: number][] {
  const counts = new Map<T, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}
