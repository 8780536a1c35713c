/** Writes imported memories to the store. An interrupted import can be repeated: it skips existing memories. */
import { randomUUID } from "node:crypto";
import { basename, dirname } from "node:path/posix";
import { countMemories } from "../../base/format.js";
import { hashOf } from "../../base/hash.js";
import { findRefusal, planMemory, refuseSecrets } from "../../memory/draft.js";
import type { Memory, MemoryDraft } from "../../memory/memory.js";
import { readTitle } from "../../memory/memory-file.js";
import { foldName } from "../../memory/path.js";
import type { MemoryCopy, OpenMemories, Written } from "../../memory/store/store.js";
import { createProgress } from "../command.js";
import { listMemories, readCollections } from "../memory-files.js";
import { withMemories } from "../open-memories.js";
import { openGate } from "../open-search.js";
import type { Answer } from "../operation.js";
import type { Project } from "../project.js";
import { noteConflicts } from "../record-rivals.js";
import { SOURCE_FIELD } from "./json-export.js";

interface ImportItem {
  name: string;
  /** Why it will be refused, as far as that is known before trying. */
  refusal?: string | undefined;
}

interface ImportBatch<Item extends ImportItem> {
  items: readonly Item[];
  duplicates: number;
  notes: readonly string[];
  isDry: boolean;
  /** Writes these items in one run, which is undone as a whole; returns one result per item, in order. */
  write(
    items: readonly Item[],
    open: { memories: OpenMemories; run: string; onProgress(done: number): void },
  ): Promise<Written[]>;
}

/** Imports all items and says what became of them. */
export async function importMemories<Item extends ImportItem>(
  project: Project,
  { duplicates, isDry, items, notes, write }: ImportBatch<Item>,
): Promise<Answer> {
  const { style } = project.cli;
  const refused = items.flatMap(({ name, refusal: why }) => (why === undefined ? [] : [{ name, why }]));
  const accepted = items.filter(({ refusal }) => refusal === undefined);
  const done = isDry || accepted.length === 0 ? undefined : await writeAll(project, accepted, write);
  refused.push(...(done?.refused ?? []));
  const imported = items.length - refused.length;
  const parts = [
    `${isDry ? "Would import" : "Imported"}: ${countMemories(imported)}`,
    ...(duplicates > 0 ? [`${duplicates} already known`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  const lines = isDry ? accepted.map(({ name }) => `Would import  ${name}`) : [];
  return {
    text: [...lines, parts.join(", ")].join("\n"),
    data: { ...(done && { run: done.run }), imported, duplicates, refused, skipped: notes },
    notes: [
      ...(done?.conflicts ?? []),
      ...refused.map(({ name, why }) => `${style.yellow("Refused")}  ${name}: ${why}`),
      ...notes.map((note) => `${style.yellow("Skipped")}  ${note}`),
    ],
    isProblem: refused.length > 0 || notes.length > 0,
  };
}

async function writeAll<Item extends ImportItem>(
  project: Project,
  items: readonly Item[],
  write: ImportBatch<Item>["write"],
) {
  const run = randomUUID().slice(0, 8);
  const progress = createProgress(project.cli, "Importing");
  const onProgress = (done: number): void => progress.step(done, items.length);
  return withMemories(project, async (memories) => {
    const written = await write(items, { memories, run, onProgress });
    const added = written.flatMap((one) => (one.kind === "written" && !one.isKnown ? [one.memory] : []));
    const refused = written.flatMap((one, n) =>
      one.kind === "refused" ? [{ name: items[n]?.name ?? "", why: one.why }] : [],
    );
    return { run, refused, conflicts: await noteConflicts(project, memories, added) };
  }).finally(() => progress.end());
}

/** Imports the drafts that repeat no existing memory and not each other; the gate compares each with what there is. */
export async function importDrafts(
  project: Project,
  drafts: readonly MemoryDraft[],
  { operation, ...batch }: { operation: "import" | "ingest"; isDry: boolean; notes: readonly string[] },
): Promise<Answer> {
  const known = new Set(listMemories(await readCollections(project)).map(readWords));
  const items: (ImportItem & { draft: MemoryDraft })[] = [];
  for (const draft of drafts) {
    const memory = planMemory(draft, readTitle, project.cli.clock.now());
    const words = readWords(memory);
    if (known.has(words)) continue;
    known.add(words);
    items.push({
      name: `${memory.type}  ${memory.title}  (${draft.extra?.[SOURCE_FIELD]})`,
      refusal: findRefusal(memory) ?? refuseSecrets(memory),
      draft,
    });
  }
  return importMemories(project, {
    ...{ ...batch, items, duplicates: drafts.length - items.length },
    async write(accepted, { memories, onProgress, run }) {
      const gate = await openGate(project, memories);
      const written: Written[] = [];
      for (const { draft } of accepted) {
        written.push(await gate.takeIn(draft, { operation, run }));
        onProgress(written.length);
      }
      return written;
    },
  });
}

/** Equal for two memories that say the same in the same scope. */
const readWords = ({ content, scope, title }: Memory): string => [scope, title, content].map(fold).join("\n");

const fold = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

interface ImportPlan {
  /** In their order, with their new ids; `from` is the old id if it differs. */
  add: (MemoryCopy & { from?: string })[];
  duplicates: string[];
  /** Ids of global memories, if these were not asked for. */
  leftOut: string[];
}

/**
 * Which exported memories to add to those that exist, and under which ids: one whose id is taken gets a name of its own,
 * made of its contents. A memory is a duplicate if the memory of its id says the same, or if one of its kind does that is
 * not itself being imported. So an interrupted import ends, when repeated, where an uninterrupted one does. Pure.
 */
export function planImport(
  incoming: readonly MemoryCopy[],
  existing: readonly MemoryCopy[],
  { withGlobal }: { withGlobal: boolean },
): ImportPlan {
  const plan: ImportPlan = { add: [], duplicates: [], leftOut: [] };
  const taken = new Map(existing.map((one) => [foldID(one.id), readCopy(one)]));
  const rename = (one: MemoryCopy): string => `${one.id}-${hashOf(readCopy(one)).slice(0, 7)}`;
  const coming = new Set(incoming.flatMap((one) => [one.id, rename(one)]).map(foldID));
  const elsewhere = new Set(existing.filter(({ id }) => !coming.has(foldID(id))).map(readCopy));
  for (const one of incoming) {
    const said = readCopy(one);
    const before = taken.get(foldID(one.id));
    const id = before === undefined ? one.id : rename(one);
    if (one.id.startsWith("global/") && !withGlobal) plan.leftOut.push(one.id);
    else if (before === said || elsewhere.has(said) || taken.has(foldID(id))) plan.duplicates.push(one.id);
    else {
      plan.add.push(before === undefined ? one : { ...one, id, from: one.id });
      taken.set(foldID(id), said);
    }
  }
  return plan;
}

/** Equal for two copies of one memory: its kind, title and text without differences in space and case. */
function readCopy({ contents, id }: MemoryCopy): string {
  const body = contents.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/, "");
  const title = /^title:[ \t]*(.+)$/m.exec(contents.slice(0, contents.length - body.length))?.[1] ?? "";
  return `${dirname(id)}\n${fold(title)}\n${fold(body)}`;
}

/** Equal for ids whose files some file systems cannot tell apart. */
const foldID = (id: string): string => `${dirname(id)}/${foldName(basename(id))}`;
