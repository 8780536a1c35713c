import { createFindSimilar } from "../memory/gate/find-similar.js";
import { createGate, type Gate } from "../memory/gate/gate.js";
import type { OpenMemories } from "../memory/store.js";
import { openSearch } from "./open-search.js";
import type { Project } from "./project.js";

/** The gate for what a person adds: the same as in OpenCode. */
export async function openGate(project: Project, memories: OpenMemories): Promise<Gate> {
  const search = await openSearch(project, memories);
  return createGate({ memories, findSimilar: createFindSimilar(memories, search) });
}
