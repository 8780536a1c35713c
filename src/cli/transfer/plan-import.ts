/** Which exported memories to add to those that exist, and under which ids. Pure. */
import { foldName, planName } from "../../memory/path.js";
import type { MemoryCopy } from "../../memory/store/store.js";

export interface ImportPlan {
  /** In their order, with their new ids; `from` is the old id if it differs. */
  add: (MemoryCopy & { from?: string })[];
  /** Their ids. */
  duplicates: string[];
  /** Ids of global memories, if these were not asked for. */
  leftOut: string[];
}

/**
 * A memory is a duplicate if the memory of its id has the same text, or if one of its kind has that is not itself being
 * imported: so a repeated import continues where an interrupted one ended. If other text has its id, it gets the next
 * free name.
 */
export function planImport(
  incoming: readonly MemoryCopy[],
  existing: readonly MemoryCopy[],
  { withGlobal }: { withGlobal: boolean },
): ImportPlan {
  const plan: ImportPlan = { add: [], duplicates: [], leftOut: [] };
  const there = new Map(existing.map((one) => [foldID(one.id), one]));
  const coming = new Set(incoming.map(({ id }) => foldID(id)));
  const elsewhere = new Set(existing.filter(({ id }) => !coming.has(foldID(id))).map(readWords));
  const known = new Set(existing.map(readWords));
  const names = groupNames([...there.keys(), ...coming]);
  const planned = new Set<string>();
  const late: MemoryCopy[] = [];
  for (const one of incoming) {
    const words = readWords(one);
    const spot = foldID(one.id);
    const isFree = !there.has(spot) && !planned.has(spot);
    if (one.id.startsWith("global/") && !withGlobal) plan.leftOut.push(one.id);
    else if (there.get(spot)?.contents === one.contents || elsewhere.has(words)) plan.duplicates.push(one.id);
    else if (isFree) add(one, words);
    else late.push(one);
  }
  // Renamed last, so that the names do not depend on how far an earlier import got.
  for (const one of late) {
    const words = readWords(one);
    if (known.has(words)) plan.duplicates.push(one.id);
    else add({ ...one, id: rename(one.id), from: one.id }, words);
  }
  return plan;

  function add(one: ImportPlan["add"][number], words: string): void {
    planned.add(foldID(one.id));
    known.add(words);
    plan.add.push(one);
  }

  function rename(id: string): string {
    const { folder, name } = splitID(id);
    const taken = names.get(folder) ?? new Set();
    const free = planName(name, "memory", taken);
    names.set(folder, taken.add(foldName(free)));
    return `${folder}/${free}`;
  }
}

/** Equal for two copies of one memory: its kind, title and text without differences in space and case. */
export function readWords({ contents, id }: MemoryCopy): string {
  const body = contents.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/, "");
  const title = /^title:[ \t]*(.+)$/m.exec(contents.slice(0, contents.length - body.length))?.[1] ?? "";
  return `${id.slice(0, id.lastIndexOf("/"))}\n${fold(title)}\n${fold(body)}`;
}

const fold = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

function splitID(id: string): { folder: string; name: string } {
  const end = id.lastIndexOf("/");
  return { folder: id.slice(0, end), name: id.slice(end + 1) };
}

/** Equal for ids whose files some file systems cannot tell apart. */
function foldID(id: string): string {
  const { folder, name } = splitID(id);
  return `${folder}/${foldName(name)}`;
}

function groupNames(ids: readonly string[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { folder, name } of ids.map(splitID))
    names.set(folder, (names.get(folder) ?? new Set()).add(name));
  return names;
}
