/** Finds memories related to another: linked by a person or a merge, or about the same file or issue. Pure. */
import type { Memory } from "../memory/memory.js";
import { findEntities } from "../recall/entities.js";

export interface Related {
  how: "links" | "linked from" | "same subject";
  other: Memory;
}

/** A subject shared by more memories does not relate any two of them. */
const MOST_OF_ONE_SUBJECT = 20;
const MOST_BY_SUBJECT = 5;

/** Each memory once, stored links first. */
export function findRelated(memory: Memory, all: readonly Memory[]): Related[] {
  const others = all.filter(({ id }) => id !== memory.id);
  const links = new Set(memory.links);
  const to = others.filter(({ id }) => links.has(id));
  const from = others.filter((other) => !links.has(other.id) && other.links.includes(memory.id));
  const known = new Set([...to, ...from]);
  const subjects = readSubjects(memory);
  const about = new Map<string, Memory[]>([...subjects].map((subject) => [subject, []]));
  for (const other of subjects.size === 0 ? [] : others)
    for (const subject of readSubjects(other)) about.get(subject)?.push(other);
  const bySubject = [...about.values()].flatMap((some) => (some.length > MOST_OF_ONE_SUBJECT ? [] : some));
  const shared = [...new Set(bySubject)].filter((other) => other.status === "active" && !known.has(other));
  return [
    ...to.map((other): Related => ({ how: "links", other })),
    ...from.map((other): Related => ({ how: "linked from", other })),
    ...shared.slice(0, MOST_BY_SUBJECT).map((other): Related => ({ how: "same subject", other })),
  ];
}

/** The files and issues that the memory names. */
const readSubjects = ({ content, entities, title }: Memory): ReadonlySet<string> =>
  new Set([...entities, ...findEntities(`${title}\n${content}`)]);
