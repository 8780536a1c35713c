/** Counts and open questions of a project's memory, without reading all of it. */
import { join } from "node:path";
import type { Files } from "../io/files.js";
import { type Conflict, isSettled, parseConflict } from "../memory/conflict.js";
import { type Memory, memoryTypes, parseID } from "../memory/memory.js";
import { formatPath, isMemoryFile } from "../memory/path.js";
import { listItself, readWithin } from "../memory/store/scan.js";

export interface MemoryStatus {
  /** Number of memories by type, private ones included; types without any are absent. */
  memories: Record<string, number>;
  /** Unresolved blockers. */
  blockers: { id: string; title: string }[];
  /** Memories with two undecided versions. */
  conflicts: { id: string; title: string; path: string }[];
}

/** What is read from, and who is told of what cannot be read. */
interface Source {
  files: Files;
  complain(thrown: unknown): void;
}

/**
 * Reads blockers and conflicts. Only counts the files of other memories, which may be thousands. What cannot be read is
 * passed to `complain` and left out.
 */
export async function readMemoryStatus(
  files: Files,
  folder: string,
  complain: Source["complain"] = () => {},
): Promise<MemoryStatus> {
  const source = { files, complain };
  const memories: Record<string, number> = {};
  const blockers: MemoryStatus["blockers"] = [];
  for (const place of [folder, join(folder, "private")]) {
    for (const type of memoryTypes) {
      const names = await listPages(source, join(place, type));
      if (names.length > 0) memories[type] = (memories[type] ?? 0) + names.length;
    }
    blockers.push(...(await readBlockers(source, place, place === folder ? "" : "private/")));
  }
  return { memories, blockers, conflicts: await readConflicts(source, folder) };
}

async function readBlockers(source: Source, root: string, prefix: string): Promise<MemoryStatus["blockers"]> {
  const names = await listPages(source, join(root, "blocker"));
  const read = await Promise.all(
    names.map(async (name) => {
      const text = await readText(source, root, `blocker/${name}`);
      const id = `${prefix}blocker/${name.slice(0, -".md".length)}`;
      return text === undefined || isPlainlyOver(text) ? undefined : parseMemory(text, id);
    }),
  );
  return read.flatMap((memory) =>
    memory?.status === "active" ? [{ id: memory.id, title: memory.title }] : [],
  );
}

/** Skips old blockers whose front matter plainly says so: there may be hundreds, and YAML is slow. */
function isPlainlyOver(text: string): boolean {
  const [front = ""] = text.split(/\n---\r?\n/, 1);
  return text.startsWith("---") && /^status: *(resolved|superseded|archived) *\r?$/m.test(front);
}

async function readConflicts(source: Source, folder: string): Promise<MemoryStatus["conflicts"]> {
  const open: MemoryStatus["conflicts"] = [];
  for (const place of [join(folder, "conflicts"), join(folder, "private", "conflicts")]) {
    for (const name of await listPages(source, place)) {
      const path = join(place, name);
      const text = await readText(source, place, name);
      const conflict = text === undefined ? undefined : parseConflict(text);
      if (conflict && !(await isDecided(source, folder, conflict)))
        open.push({ id: conflict.id, title: conflict.title, path });
    }
  }
  return open;
}

/** Considers the project's memories only; global ones are not read here. */
async function isDecided(source: Source, folder: string, conflict: Conflict): Promise<boolean> {
  const ids = [conflict.id, ...(conflict.otherID === undefined ? [] : [conflict.otherID])];
  if (ids.some((id) => parseID(id)?.scope === "global")) return false;
  const memories = await Promise.all(
    ids.map((id) => readMemory(source, id.startsWith("private/") ? join(folder, "private") : folder, id)),
  );
  return isSettled(
    conflict,
    memories.filter((memory) => memory !== undefined),
  );
}

async function readMemory(source: Source, root: string, id: string): Promise<Memory | undefined> {
  const place = parseID(id);
  const text = place && (await readText(source, root, formatPath({ ...place, isArchived: false })));
  return text === undefined ? undefined : parseMemory(text, id);
}

async function parseMemory(text: string, id: string): Promise<Memory | undefined> {
  const place = parseID(id);
  if (!place) return undefined;
  // Loads the YAML package, which a project without blockers and conflicts does not need.
  const { parseMemoryFile } = await import("../memory/memory-file.js");
  const bytes = new TextEncoder().encode(text);
  const reading = parseMemoryFile(bytes, { ...place, isArchived: false, modifiedMs: 0 });
  return reading.kind === "memory" ? reading.memory : undefined;
}

async function readText(
  { complain, files }: Source,
  folder: string,
  path: string,
): Promise<string | undefined> {
  const bytes = await readWithin(files, folder, path).catch((thrown) => void complain(thrown));
  return bytes && new TextDecoder().decode(bytes);
}

async function listPages({ complain, files }: Source, folder: string): Promise<string[]> {
  const names = await listItself(files, folder).catch((thrown) => void complain(thrown));
  return (names ?? []).filter(isMemoryFile);
}
