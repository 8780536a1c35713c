/** The memory changes that the page can request. Each is one step in the ledger, with a run that undoes it. */
import { randomUUID } from "node:crypto";
import { relative, sep } from "node:path";
import { planRemembered } from "../../layers/5-auto-memory/commands/remembered.js";
import { formatUndone, undoChange } from "../../layers/6-dream/undo.js";
import { StrataError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import { type Check, list, object, oneOf, optional, string } from "../base/shape.js";
import { formatContradicted } from "../memory/gate/gate.js";
import { formatJudge } from "../memory/judge.js";
import { type Memory, type MemoryDraft, type MemoryType, memoryTypes } from "../memory/memory.js";
import type { Found } from "../memory/search/search.js";
import type { OpenMemories, Written } from "../memory/store/store.js";
import { openGate } from "../operations/open-memories.js";
import { openSearch } from "../operations/open-search.js";
import type { Project } from "../operations/project.js";
import { recordRivals } from "../operations/record-rivals.js";
import { toLine } from "../text/text.js";
import type { Done, MemoryList, MemoryPage, MemoryRow } from "./answers.js";
import { planChanges } from "./read-steps.js";

/** Reads the body of a request. @throws StrataError BAD_REQUEST */
export type Wanted<T> = (body: unknown) => T;

/** `what`: the fields that the body must have. */
export const wanted =
  <T>(what: string, check: Check<T>): Wanted<T> =>
  (body) => {
    if (check(body)) return body;
    throw new StrataError("BAD_REQUEST", `expected a JSON object with ${what}; the body differs`);
  };

type Run<T> = (asked: T, memories: OpenMemories, project: Project) => Promise<Done>;

/** Reads a request's body before the store is opened. @throws StrataError BAD_REQUEST */
type MemoryChange = (body: unknown) => (memories: OpenMemories, project: Project) => Promise<Done>;

const change =
  <T>(read: Wanted<T>, run: Run<T>): MemoryChange =>
  (body) => {
    const asked = read(body);
    return (memories, project) => run(asked, memories, project);
  };

const flag = (value: unknown): value is boolean => typeof value === "boolean";
const byID = wanted("a memory's id", object<{ id: string }>({ id: string }));

interface Edit {
  id: string;
  /** Revision that the edit is based on. */
  revision: string;
  title: string;
  content: string;
  tags: string[];
}

interface Remembered {
  content: string;
  title?: string;
  type?: MemoryType;
  isPrivate?: boolean;
}

/** By the last part of the URL. */
export const memoryChanges: Readonly<Record<string, MemoryChange>> = {
  edit: change(
    wanted<Edit>(
      "id, revision, title, content and tags",
      object<Edit>({
        ...{ id: string, revision: string, title: string, content: string },
        tags: list(string),
      }),
    ),
    edit,
  ),
  pin: change(
    wanted("id and isPinned", object<{ id: string; isPinned: boolean }>({ id: string, isPinned: flag })),
    async ({ id, isPinned }, memories) => {
      const pin = (current: Memory): Memory => ({ ...current, pinned: isPinned });
      const cause = planCause(isPinned ? "pin" : "unpin");
      return report(await memories.update(id, pin, cause), isPinned ? "Pinned" : "Unpinned", cause.run);
    },
  ),
  archive: change(byID, async ({ id }, memories) => {
    const cause = planCause("archive");
    return report(await memories.archive(id, cause), "Archived", cause.run);
  }),
  restore: change(byID, async ({ id }, memories, project) => {
    const cause = planCause("restore");
    const written = await memories.restore(id, cause);
    if (written.kind === "written") await recordRivals(project, memories, [written.memory]);
    return report(written, "Restored", cause.run);
  }),
  accept: change(
    wanted("id and revision", object<{ id: string; revision: string }>({ id: string, revision: string })),
    accept,
  ),
  remember: change(
    wanted<Remembered>(
      "content, and title, type and isPrivate if given",
      object<Remembered>({
        content: string,
        title: optional(string),
        type: optional(oneOf(memoryTypes)),
        isPrivate: optional(flag),
      }),
    ),
    remember,
  ),
  undo: change(wanted("run, if given", object<{ run?: string }>({ run: optional(string) })), undo),
};

/** Accepts only the revision that the user has read. */
async function accept(
  { id, revision }: Pick<Edit, "id" | "revision">,
  memories: OpenMemories,
): Promise<Done> {
  // The store only accepts memories that it has listed.
  const now = (await memories.list({ archived: true })).find((one) => one.id === id);
  if (now && findRevision(now) !== revision)
    throw new StrataError("STALE", "the memory has changed since you read it; read it again, then accept it");
  const [accepted] = await memories.accept([id], "the inspector");
  if (!accepted)
    throw new StrataError("REFUSED", `${id} was not accepted: it is already yours, or it is gone`);
  return { what: `Accepted as yours: ${accepted.title}`, memory: id };
}

async function edit(asked: Edit, memories: OpenMemories, project: Project): Promise<Done> {
  const { content, id, revision, title } = asked;
  const tags = asked.tags.map((tag) => tag.trim()).filter((tag) => tag !== "");
  if (title.trim() === "" || content.trim() === "")
    throw new StrataError("REFUSED", "a memory needs a title and text; archive it if it no longer holds");
  const cause = planCause("edit");
  let isStale = false;
  const written = await memories.update(
    id,
    (current) => {
      isStale = findRevision(current) !== revision;
      if (isStale) return undefined;
      const isReworded = current.title !== title || current.content !== content;
      // The same source as after an edit in a text editor: the quote no longer matches the text.
      const provenance = isReworded ? { by: "person" as const } : current.provenance;
      return { ...current, title, content, tags, provenance };
    },
    cause,
  );
  if (isStale)
    throw new StrataError(
      "STALE",
      "the memory changed while you edited it; copy your text, and open the memory again to see the new version",
    );
  if (written.kind !== "written") return report(written, "Changed");
  const now = (await memories.list()).find((one) => one.id === written.memory.id) ?? written.memory;
  // Saving a foreign memory accepts it, as with strata edit.
  const refusal = now.isForeign ? await tryAccept(memories, now.id) : undefined;
  await recordRivals(project, memories, [now]);
  const done = report(written, "Saved", cause.run);
  return refusal === undefined ? done : { ...done, what: `${done.what}\nIt is not yours yet: ${refusal}` };
}

/** Returns the reason of a refusal. */
async function tryAccept(memories: OpenMemories, id: string): Promise<string | undefined> {
  try {
    await memories.accept([id], "the inspector");
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StrataError) return thrown.message;
    throw thrown;
  }
}

async function remember(asked: Remembered, memories: OpenMemories, project: Project): Promise<Done> {
  const content = asked.content.trim();
  if (content === "") throw new StrataError("REFUSED", "the text is empty; enter what to remember");
  const { isPrivate, title, type } = asked;
  const said = type === undefined ? planRemembered(content) : { type, content };
  const draft: MemoryDraft = {
    ...said,
    provenance: { by: "user" },
    ...(title !== undefined && title.trim() !== "" && { title: title.trim() }),
    ...(isPrivate === true && { sensitivity: "private" }),
  };
  const cause = planCause("remember");
  const gate = await openGate(project, memories);
  const { contradicted, written } = await gate.keep(draft, cause);
  const isNew = written.kind === "written" && !written.isKnown;
  if (isNew) await recordRivals(project, memories, [written.memory]);
  const done = report(written, "Remembered", isNew ? cause.run : undefined);
  return { ...done, what: [done.what, ...formatContradicted(contradicted)].join("\n") };
}

async function undo({ run }: { run?: string }, memories: OpenMemories, project: Project): Promise<Done> {
  const { cli, folders, log } = project;
  const files = cli.files;
  const undone = await undoChange({ clock: cli.clock, files, folders, log, memories }, {}, run);
  if (undone.kind === "nothing") throw new StrataError("REFUSED", undone.why);
  const [memory] = undone.ids;
  return { what: formatUndone(undone), ...(memory !== undefined && { memory }) };
}

export const planCause = (operation: string): { operation: string; run: string } => ({
  operation,
  run: randomUUID().slice(0, 8),
});

/** @throws StrataError REFUSED with the reason why nothing was changed. */
export function report(written: Written, done: string, run?: string): Done {
  if (written.kind === "refused") throw new StrataError("REFUSED", written.why);
  const what = written.kind === "unchanged" ? "Unchanged" : done;
  const { id, title } = written.memory;
  return {
    what: `${written.isKnown ? "Already known" : what}: ${title}`,
    memory: id,
    ...(run !== undefined && written.kind === "written" && { run }),
  };
}

/* Lists, searches and reads memories for the page. Does not count as a use of them. */

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

/** Changes with the memory's content. */
export function findRevision({ content, pinned, status, tags, title }: Memory): string {
  return hashOf(JSON.stringify([title, content, tags, pinned, status]));
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
