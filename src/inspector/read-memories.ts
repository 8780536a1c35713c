/** Lists, searches and reads memories for the page. Does not count as a use of them. */
import { relative, sep } from "node:path";
import { StrataError } from "../base/error.js";
import { formatJudge } from "../memory/judge.js";
import type { Memory } from "../memory/memory.js";
import type { Found } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store/store.js";
import { findRevision } from "../operations/change.js";
import { openSearch } from "../operations/open-search.js";
import type { Project } from "../operations/project.js";
import { toLine } from "../text/text.js";
import type { MemoryList, MemoryPage, MemoryRow } from "./answers.js";
import { planChanges } from "./read-steps.js";

const MOST_ROWS = 500;
const MOST_HITS = 50;
const LONGEST_TEXT = 160;

export interface ListOptions {
  words: string;
  withArchived: boolean;
}

/** Without words all memories, last changed first; with words the hits of a search, best first. */
export async function readMemories(
  memories: OpenMemories,
  project: Project,
  { withArchived, words }: ListOptions,
): Promise<MemoryList> {
  if (words === "") {
    const all = await memories.list({ archived: withArchived });
    const sorted = [...all].sort((a, b) => b.updated.localeCompare(a.updated) || a.id.localeCompare(b.id));
    const shown = sorted.slice(0, MOST_ROWS).map((memory) => toRow(memory));
    return { memories: shown, past: [], problems: memories.problems(), more: all.length - shown.length };
  }
  const search = await openSearch(project, memories);
  await search.waitForMeaning();
  const found = await search.find({ text: words, limit: MOST_HITS, archived: withArchived });
  await search.onIdle();
  return {
    memories: found.flatMap((one) => (one.kind === "memory" ? [toRow(one.memory, one.why)] : [])),
    past: found.flatMap((one) => (one.kind === "session" ? [toPast(one)] : [])),
    problems: memories.problems(),
    more: 0,
  };
}

/** @throws StrataError NO_MEMORY */
export async function readMemoryPage(
  memories: OpenMemories,
  { root }: Project,
  id: string,
): Promise<MemoryPage> {
  const memory = (await memories.list({ archived: true })).find((one) => one.id === id);
  if (!memory)
    throw new StrataError("NO_MEMORY", `there is no memory ${JSON.stringify(id)}; it may have been renamed`);
  const path = await memories.locate(id);
  const below = path === undefined ? undefined : relative(root, path);
  const judge = formatJudge(memory);
  return {
    memory,
    ...(judge !== undefined && { judge }),
    revision: findRevision(memory),
    ...(below !== undefined && !below.startsWith(`..${sep}`) && { path: below }),
    uses: memories.useOf(id)?.count ?? 0,
    changes: planChanges(await memories.history(id)),
  };
}

function toRow(memory: Memory, why?: string): MemoryRow {
  const { content, id, isForeign, isPersonal, pinned, scope, sensitivity, status, tags, title, type } =
    memory;
  return {
    ...{ id, type, title, status, pinned, scope, sensitivity, tags, updated: memory.updated },
    isForeign: isForeign === true,
    isPersonal: isPersonal === true,
    text: toLine(content, LONGEST_TEXT),
    ...(why !== undefined && { why }),
  };
}

function toPast(hit: Extract<Found, { kind: "session" }>): MemoryList["past"][number] {
  return { session: hit.sessionID, text: toLine(hit.text, LONGEST_TEXT), at: hit.date };
}
