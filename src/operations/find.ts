/** Operations that find memories, the one that is named or those that fit words, and their changes. */
import * as z from "zod";
import { formatCount } from "../base/format.js";
import { formatJudge } from "../memory/in-words.js";
import { type Memory, type MemoryType, parseID } from "../memory/memory.js";
import { type Found, formatFound, listShownWhole } from "../memory/search/search.js";
import type { LedgerLine } from "../memory/store/ledger.js";
import { readTaken } from "../sources/bootstrap/taken.js";
import { findEntities } from "../text/entities.js";
import { formatFactLine } from "./open-candidates.js";
import { defineOperation, flag, memoryType, text, wholeNumber } from "./operation.js";
import { requireMemory } from "./select.js";

const name = text("must name a memory: its id, the end of the id, or words of its title");

/* show */

export const show = defineOperation(z.object({ name }), async ({ memories, style }, wanted) => {
  const memory = await requireMemory(memories, wanted.name);
  memories.noteUse([memory.id]);
  const { created, entities, id, provenance, status, supersededBy, tags, title, updated, when } = memory;
  const { confidence } = memory.extra;
  const rows: [label: string, text: string | undefined][] = [
    ["id", `${id}, ${status}`],
    [
      "source",
      [provenance.by, provenance.session, memory.isForeign && "came with the repository"]
        .filter(Boolean)
        .join(", "),
    ],
    ["taken from", readTaken(memory)?.file],
    ["evidence", provenance.evidence],
    ["judged by", formatJudge(memory)],
    ["dates", `created ${created.slice(0, 10)}, changed ${updated.slice(0, 10)}`],
    ["tags", tags.join(", ")],
    ["about", entities.join(", ")],
    [
      "importance",
      `${memory.importance}${typeof confidence === "number" ? `, confidence ${confidence}` : ""}`,
    ],
    ["shown when", when.join(", ")],
    ["superseded by", supersededBy],
    ...findRelated(memory, await memories.list()).map(({ how, other }): [string, string] => [
      how,
      `${other.id}  ${other.title}`,
    ]),
  ];
  const facts = rows
    .filter(([, fact]) => fact !== undefined && fact !== "")
    .map(([label, fact]) => `${style.dim(label.padEnd(16))}${fact}`);
  return { text: [style.bold(title), "", memory.content, "", ...facts].join("\n"), data: memory };
});

interface Related {
  how: "links" | "linked from" | "same subject";
  other: Memory;
}

/** A subject shared by more memories does not relate any two of them. */
const MOST_OF_ONE_SUBJECT = 20;
const MOST_BY_SUBJECT = 5;

/** Memories linked by a person or a merge, then those about the same file or issue; each once. Pure. */
export function findRelated(memory: Memory, all: readonly Memory[]): Related[] {
  const others = all.filter(({ id }) => id !== memory.id);
  const to = others.filter(({ id }) => memory.links.includes(id));
  const from = others.filter((other) => !to.includes(other) && other.links.includes(memory.id));
  const bySubject = [...readSubjects(memory)].flatMap((subject) => {
    const about = others.filter((other) => readSubjects(other).has(subject));
    return about.length > MOST_OF_ONE_SUBJECT ? [] : about;
  });
  const known = new Set([...to, ...from]);
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

/* recall */

const recallInput = z.object({
  words: z.string().trim().default(""),
  type: memoryType.optional().describe("only memories of this type; without words, newest first"),
  limit: wholeNumber(1, 1_000)
    .meta({ value: "count" })
    .default(10)
    .describe("maximum number of results (default 10)"),
  archived: flag.default(false).describe("includes archived memories"),
});

export const recall = defineOperation(recallInput, async (core, wanted) => {
  const { clock, memories, session } = core;
  const { limit, type, words } = wanted;
  if (words === "" && type === undefined && !wanted.archived) {
    const overview = planOverview(await memories.list());
    return { text: formatOverview(overview, core.nameOf), data: overview };
  }
  const search = await core.search();
  if (words !== "") await search.waitForMeaning();
  const found = await search.find({
    limit,
    ...(words !== "" && { text: words }),
    ...(type !== undefined && { type }),
    ...(wanted.archived && { archived: true }),
    ...(session !== undefined && { exceptSession: session }),
  });
  const entities = await core.entities();
  await entities.prepare();
  const about = entities.find(words);
  const lineOf = (one: Found): string => formatFound(one, clock.now());
  memories.noteUse(listShownWhole(found, lineOf));
  await search.onIdle();
  const lines = [...about.map((fact) => formatFactLine(fact, clock.now())), ...found.map(lineOf)];
  return {
    text:
      lines.length > 0 ? lines.join("\n") : words === "" ? "No results." : `Nothing found for "${words}".`,
    data: { found, ...(about.length > 0 && { entities: about }) },
  };
});

/* history */

export const history = defineOperation(z.object({ name }), async ({ memories }, wanted) => {
  // A full id also finds a memory that no longer exists.
  const id = parseID(wanted.name) ? wanted.name : (await requireMemory(memories, wanted.name)).id;
  const lines = await memories.history(id);
  return {
    text: lines.length === 0 ? `No changes of ${id} are recorded.` : lines.map(formatChange).join("\n"),
    data: lines,
    isProblem: lines.length === 0,
  };
});

function formatChange(line: LedgerLine): string {
  const { after, at, before, by, from, operation, path, reason, run, session } = line;
  const step =
    before === null
      ? `created ${path}`
      : after === null
        ? `removed ${path}`
        : from === undefined
          ? `changed ${path}`
          : `moved ${from} to ${path}`;
  const time = `${at.slice(0, 19).replace("T", " ")} UTC`;
  const why = [session, run && `run ${run}`, reason].filter(Boolean).join(", ");
  return `${time}  ${by.padEnd(7)} ${operation.padEnd(10)} ${step}${why === "" ? "" : `  (${why})`}`;
}

/* What memory is about: for a search without words. */

interface Overview {
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

function planOverview(memories: readonly Memory[]): Overview {
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

function formatOverview(
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
