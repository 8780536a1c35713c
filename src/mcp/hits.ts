/** Finds memories for a client, and formats what was found. */
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import { formatOpenConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { describeEntities } from "../../layers/5-auto-memory/injection/current-facts.js";
import { formatActive } from "../../layers/5-auto-memory/injection/known-memories.js";
import { findLineIDs } from "../../layers/5-auto-memory/injection/line.js";
import { formatAnswer, formatHit, RECORD } from "../../layers/5-auto-memory/tools/tools.js";
import type { Memory } from "../memory/memory.js";
import { rankMemories } from "../memory/rank.js";
import { type Found, listShownWhole, type MemoryQuery } from "../memory/search/search.js";
import { formatUnknown, isShownPath } from "../operations/permit.js";
import type { ClientContext } from "./client.js";
import { CONVERSATION, callPlugins, type McpCall, readScope, refuse, typeOf } from "./tool.js";

export interface HitsWanted extends Pick<MemoryQuery, "archived" | "entity" | "text"> {
  category?: string | undefined;
  project?: string | undefined;
  limit?: number | undefined;
}

const USUAL_LIMIT = 10;
/** Maximum number of hits to fetch if some are filtered out afterwards. */
const MOST_SIFTED = 1_000;
/** Memories first, then lines of past sessions. @throws StrataError for another project */
export async function findHits({ shared }: ClientContext, wanted: HitsWanted): Promise<readonly Found[]> {
  const { archived, category, entity, limit = USUAL_LIMIT, text } = wanted;
  const scope = readScope(shared.project, wanted.project);
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

/** The answer to a search: what is known about the issues and files that `words` names, then the hits. */
export async function answerHits(
  client: ClientContext,
  hits: readonly Found[],
  { words = "", whole }: { words?: string; whole?: McpCall | undefined } = {},
): Promise<string> {
  const { entities, project } = client.shared;
  const about = words === "" ? [] : await describeEntities({ clock: project.cli.clock, entities }, words);
  const lines = whole ? await formatWholeHits(client, hits, whole) : await formatHits(client, hits);
  return formatAnswer([...about, ...lines]);
}

/** One line per hit. */
export async function formatHits(
  { conflicts, findDoubts, shared }: ClientContext,
  hits: readonly Found[],
): Promise<string[]> {
  const { memories, project } = shared;
  const nowMs = project.cli.clock.now();
  const found = hits.flatMap((hit) => (hit.kind === "memory" ? [hit.memory] : []));
  const doubts = await findDoubts(found);
  const format = (hit: Found): string => formatHit(hit, { nowMs, project: project.root, doubts });
  conflicts.see(found);
  memories.noteUse(listShownWhole(hits, format));
  return hits.map(format);
}

/** Each memory in full, other hits as lines. */
async function formatWholeHits(
  client: ClientContext,
  hits: readonly Found[],
  call: McpCall,
): Promise<string[]> {
  const texts: string[] = [];
  for (const hit of hits)
    if (hit.kind === "session") texts.push(...(await formatHits(client, [hit])));
    else texts.push((await showMemory(client, hit.memory.id, call)).replace(`${RECORD}\n`, ""));
  return texts;
}

/** A memory in full. */
export const showMemory = (client: ClientContext, id: string, call: McpCall): Promise<string> =>
  callPlugins(client.recall, { id }, client, call);

/** @throws StrataError if there is none */
export async function requireMemory({ shared }: ClientContext, id: string): Promise<Memory> {
  const exact = await shared.memories.read(id);
  if (exact) return exact;
  const [hit] = await shared.search.find({ id, archived: true, limit: 1 });
  if (hit?.kind === "memory") return hit.memory;
  throw refuse(formatUnknown(id));
}

/** All memories, the most important first. */
export async function rankAll({ shared: { memories, project } }: ClientContext) {
  return rankMemories(await memories.list(), memories.useOf, project.cli.clock.now());
}

/** Relative to the project, as the plugin names it. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

/** What an OpenCode session is shown when it starts, or a sentence that there is nothing. */
export async function formatBoot(client: ClientContext): Promise<string> {
  const { conflicts, core, instances, shared } = client;
  const { allowsPrivate, config } = shared;
  const ranked = (await rankAll(client)).flatMap((part) => part.memories);
  const open = (await conflicts.open()).filter(({ path }) => allowsPrivate || isShownPath(path));
  const living = config.boot.activeSessions ? await instances.living() : [];
  const block = planBoot(ranked, {
    nowMs: core.clock.now(),
    indexPath: INDEX_PATH,
    conflicts: formatOpenConflicts(open),
    active: formatActive(living, { ownID: instances.ownID, sessionID: core.session ?? client.id }),
    shows: config.boot,
  });
  const ids = new Set(findLineIDs(block ?? ""));
  conflicts.see(ranked.filter(({ id }) => ids.has(id)));
  return block ?? "Nothing is remembered about this project yet.";
}
