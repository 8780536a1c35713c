/** Counts and open questions of a project's memory, without reading all of it. */
import { join } from "node:path";
import { decodeText, type Files } from "../io/files.js";
import { type Memory, memoryTypes, parseID } from "../memory/memory.js";
import { formatPath, isMemoryFile } from "../memory/path.js";
import { type ConflictRecord, isSettled, readConflictRecords } from "../memory/store/conflict-log.js";
import { listItself } from "../memory/store/scan.js";

export interface MemoryStatus {
  /** Number of memories by type, private ones included; types without any are absent. */
  memories: Record<string, number>;
  /** Unresolved blockers. */
  blockers: { id: string; title: string }[];
  /** Memories with two undecided versions. */
  conflicts: Pick<ConflictRecord, "id" | "path" | "title">[];
}

/**
 * Reads blockers and conflicts. Only counts the files of other memories, which may be thousands. What cannot be read is
 * passed to `complain` and left out.
 */
export async function readMemoryStatus(
  files: Files,
  folder: string,
  complain: (thrown: unknown) => void = () => {},
): Promise<MemoryStatus> {
  const status: MemoryStatus = { memories: {}, blockers: [], conflicts: [] };
  const orNone =
    <T>(none: T) =>
    (thrown: unknown): T => {
      complain(thrown);
      return none;
    };
  for (const prefix of ["", "private/"]) {
    const root = join(folder, prefix);
    for (const type of memoryTypes) {
      const names = (await listItself(files, join(root, type)).catch(orNone([]))).filter(isMemoryFile);
      if (names.length > 0) status.memories[type] = (status.memories[type] ?? 0) + names.length;
      if (type !== "blocker") continue;
      const ids = names.map((name) => `${prefix}blocker/${name.slice(0, -".md".length)}`);
      const read = (id: string) => readMemory(files, folder, id).catch(orNone(undefined));
      for (const memory of await Promise.all(ids.map(read)))
        if (memory?.status === "active") status.blockers.push({ id: memory.id, title: memory.title });
    }
  }
  for (const record of await readConflictRecords(files, folder).catch(orNone([]))) {
    const { id, path, title } = record;
    if (!(await isDecided(files, folder, record).catch(orNone(false))))
      status.conflicts.push({ id, title, path });
  }
  return status;
}

/** Considers the project's memories only; global ones are not read here. */
async function isDecided(files: Files, folder: string, record: ConflictRecord): Promise<boolean> {
  const ids = [record.id, ...(record.otherID === undefined ? [] : [record.otherID])];
  if (ids.some((id) => parseID(id)?.scope === "global")) return false;
  const memories = await Promise.all(ids.map((id) => readMemory(files, folder, id)));
  return isSettled(
    record,
    memories.filter((memory) => memory !== undefined),
  );
}

/** `undefined` if there is none, or its front matter plainly says that it is over: there may be hundreds, and YAML is slow. */
async function readMemory(files: Files, folder: string, id: string): Promise<Memory | undefined> {
  const place = parseID(id);
  const root = id.startsWith("private/") ? join(folder, "private") : folder;
  const bytes = place && (await files.read(join(root, formatPath({ ...place, isArchived: false }))));
  if (!place || !bytes) return undefined;
  const text = decodeText(bytes);
  const [front = ""] = text.split(/\n---\r?\n/, 1);
  const isOver = /^status: *(superseded|archived) *\r?$/m.test(front);
  if (text.startsWith("---") && isOver) return undefined;
  // Loads the YAML package, which a project without blockers and conflicts does not need.
  const { parseMemoryFile } = await import("../memory/memory-file.js");
  const reading = parseMemoryFile(bytes, { ...place, isArchived: false, modifiedMs: 0 });
  return reading.kind === "memory" ? reading.memory : undefined;
}
