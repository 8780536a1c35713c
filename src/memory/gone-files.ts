import { isAbsolute, join, normalize } from "node:path";
import type { Files } from "../io/files.js";
import { findEntities, parseEntityName } from "../text/entities.js";
import { isFinding, type Memory } from "./memory.js";

/** Maximum number of files checked per memory. */
const MOST_FILES = 5;

/** Files that a memory names and the project no longer has, by memory id. */
export async function findGoneFiles(
  { files, project }: { files: Files; project: string },
  memories: readonly Memory[],
): Promise<Map<string, string[]>> {
  const gone = new Map<string, string[]>();
  for (const memory of memories)
    for (const path of findPaths(memory)) {
      const isThere = (await files.stat(join(project, path))) !== undefined;
      if (!isThere) gone.set(memory.id, [...(gone.get(memory.id) ?? []), path]);
    }
  return gone;
}

/** Paths in a finding's quotes belong to another project. */
function findPaths(memory: Memory): string[] {
  const { content, entities } = memory;
  const named = isFinding(memory) ? entities : [...entities, ...findEntities(content)];
  return [...new Set(named)].filter(isPath).slice(0, MOST_FILES);
}

/** True for a path inside the project, not `!12`, `acme/shop#34` or a URL. */
function isPath(entity: string): boolean {
  if (!/^[\w.@][^\s*?]*$/.test(entity) || isAbsolute(entity)) return false;
  if (entity.includes("://") || parseEntityName(entity)) return false;
  return /[/.]/.test(entity) && !normalize(entity).startsWith("..");
}
