/** Searches for a client and formats the hits. */
import { formatPath } from "../../layers/5-auto-memory/tools/remember.js";
import { formatHit, formatWhole, RECORD } from "../../layers/5-auto-memory/tools/tools.js";
import { findGoneFiles } from "../memory/gone-files.js";
import type { Memory } from "../memory/memory.js";
import { type Found, listShownWhole, type MemoryQuery } from "../memory/search/search.js";
import type { ClientContext } from "./client-context.js";
import { CONVERSATION, readScope, typeOf } from "./fields.js";
import { refuse } from "./tool.js";
import { formatUnknown } from "./without-private.js";

export interface HitsWanted extends Pick<MemoryQuery, "archived" | "entity" | "text"> {
  category?: string | undefined;
  project?: string | undefined;
  limit?: number | undefined;
}

const USUAL_LIMIT = 10;
/** Maximum number of hits to fetch if some are filtered out afterwards. */
const MOST_SIFTED = 1_000;
/** Maximum characters of memories shown in full in one answer. */
const MOST_CHARACTERS = 40_000;

/** Memories first, then lines of past sessions. @throws StrataError for another project */
export async function findHits(
  { shared }: Pick<ClientContext, "shared">,
  wanted: HitsWanted,
): Promise<readonly Found[]> {
  const { archived, category, entity, limit = USUAL_LIMIT, text } = wanted;
  const scope = readScope(shared, wanted.project);
  const type = typeOf(category);
  const isSifted = scope !== undefined || category === CONVERSATION;
  const found = await shared.search.find({
    limit: isSifted ? MOST_SIFTED : limit,
    ...(text !== undefined && { text }),
    ...(entity !== undefined && { entity }),
    ...(type !== undefined && { type }),
    ...(archived && { archived }),
  });
  const isHidden = await shared.findHidden();
  const isWanted = (hit: Found): boolean => {
    if (hit.kind === "session") return scope !== "global" && !isHidden(hit.text);
    return category !== CONVERSATION && (scope === undefined || hit.memory.scope === scope);
  };
  return found.filter(isWanted).slice(0, limit);
}

/** One line per hit. */
export async function formatHits(
  { conflicts, shared, findDoubts }: ClientContext,
  hits: readonly Found[],
): Promise<string[]> {
  const { memories, project } = shared;
  const nowMs = project.cli.clock.now();
  const found = listMemories(hits);
  const doubts = await findDoubts(found);
  const format = (hit: Found): string => formatHit(hit, { nowMs, project: project.root, doubts });
  conflicts.see(found);
  memories.noteUse(listShownWhole(hits, format));
  return hits.map(format);
}

/** Each memory in full while it fits, other hits as lines. */
export async function formatWholeHits(client: ClientContext, hits: readonly Found[]): Promise<string[]> {
  const texts: string[] = [];
  let room = MOST_CHARACTERS;
  for (const hit of hits) {
    const [line = ""] =
      hit.kind === "memory" ? [await showMemory(client, hit.memory)] : await formatHits(client, [hit]);
    const text = line.replace(`${RECORD}\n`, "");
    if (text.length > room) break;
    room -= text.length;
    texts.push(text);
  }
  const left = hits.length - texts.length;
  return left > 0 ? [...texts, `${left} more not shown; lower the limit, or query one by its id.`] : texts;
}

export async function showMemory(
  { conflicts, shared, findDoubts }: ClientContext,
  memory: Memory,
): Promise<string> {
  const { memories, project } = shared;
  const { cli, root } = project;
  const gone = (await findGoneFiles({ files: cli.files, project: root }, [memory])).get(memory.id) ?? [];
  const path = formatPath((await memories.locate(memory.id)) ?? memory.id, root);
  memories.noteUse([memory.id]);
  conflicts.see([memory]);
  const doubt = (await findDoubts([memory])).get(memory.id);
  return formatWhole(memory, { nowMs: cli.clock.now(), path, gone, doubt });
}

/** @throws StrataError if there is none */
export async function requireMemory({ shared }: Pick<ClientContext, "shared">, id: string): Promise<Memory> {
  const exact = await shared.memories.read(id);
  if (exact) return exact;
  const [hit] = await shared.search.find({ id, archived: true, limit: 1 });
  if (hit?.kind === "memory") return hit.memory;
  throw refuse(formatUnknown(id));
}

const listMemories = (hits: readonly Found[]): Memory[] =>
  hits.flatMap((hit) => (hit.kind === "memory" ? [hit.memory] : []));
