/** Tools that find memories and change none. */
import * as z from "zod";
import { describeEntities } from "../../../layers/5-auto-memory/injection/named-entities.js";
import { formatAnswer } from "../../../layers/5-auto-memory/tools/tools.js";
import { parseID } from "../../memory/memory.js";
import { anyCategory, entity, limit, memoryID, project, query } from "../fields.js";
import { findHits, formatHits, formatWholeHits, requireMemory, showMemory } from "../find-hits.js";
import { findLinked, formatBoot, linkTypes } from "../resources.js";
import { defineTool, type McpTool } from "../tool.js";
import { bulkTools } from "./bulk-tools.js";
import { sessionTools } from "./session-tools.js";
import { upkeepTools } from "./upkeep-tools.js";
import { writeTools } from "./write-tools.js";

const recallInput = z.strictObject({
  query,
  limit: limit.optional(),
  project: project.optional(),
  category: anyCategory.optional(),
  compact: z.boolean().optional(),
});

const recall = defineTool<typeof recallInput>({
  name: "recall",
  description:
    "Find what earlier sessions decided or learned. An id as query shows that memory in full, compact: false all hits.",
  input: recallInput,
  effect: "read",
  isDefault: true,
  isPlugins: true,
  async run({ category, compact = true, limit: most, project: where, query: text }, client) {
    const named = parseID(text) && (await client.shared.memories.read(text));
    if (named) return showMemory(client, named);
    const hits = await findHits(client, { text, category, project: where, limit: most });
    const about = await describeEntities({ clock: client.shared.project.cli.clock, ...client.shared }, text);
    return formatAnswer([
      ...about,
      ...(compact ? await formatHits(client, hits) : await formatWholeHits(client, hits)),
    ]);
  },
});

const historyInput = z.strictObject({
  query,
  category: anyCategory.optional(),
  limit: limit.optional(),
});

const searchHistory = defineTool<typeof historyInput>({
  name: "search_history",
  description: "Like recall, including archived memories and session notes (category: conversation).",
  input: historyInput,
  effect: "read",
  isPlugins: true,
  async run({ category, limit: most, query: text }, client) {
    const hits = await findHits(client, { text, category, limit: most, archived: true });
    return formatAnswer(await formatHits(client, hits));
  },
});

const contextInput = z.strictObject({ entity_ref: entity });
const MOST_ABOUT = 30;

const getContext = defineTool<typeof contextInput>({
  name: "get_context",
  description: "What is known about !12, #34, &5 or a path. Call before you work on it.",
  input: contextInput,
  effect: "read",
  isDefault: true,
  isPlugins: true,
  async run({ entity_ref }, client) {
    const hits = await findHits(client, { entity: entity_ref, limit: MOST_ABOUT });
    const about = await describeEntities(
      { clock: client.shared.project.cli.clock, ...client.shared },
      entity_ref,
    );
    return formatAnswer([...about, ...(await formatHits(client, hits))]);
  },
});

const bootInput = z.strictObject({});

const getBootContext = defineTool<typeof bootInput>({
  name: "get_boot_context",
  description:
    "The user's rules, open blockers and the most important memories. Call at the start of a session.",
  input: bootInput,
  effect: "read",
  isDefault: true,
  isPlugins: true,
  run: (_args, client) => formatBoot(client),
});

const linkedInput = z.strictObject({
  memory_id: memoryID,
  link_types: z.array(z.enum(linkTypes)).min(1).optional(),
});

const getLinkedMemories = defineTool<typeof linkedInput>({
  name: "get_linked_memories",
  description:
    "Memories that link to or from one, supersede it, are superseded by it, or share its entities.",
  input: linkedInput,
  effect: "read",
  async run({ link_types, memory_id }, client) {
    const memory = await requireMemory(client, memory_id);
    const linked = findLinked(memory, await client.shared.memories.list({ archived: true }), link_types);
    const groups = linked.map(async ({ memories, type }) => [
      `${type}:`,
      ...(await formatHits(
        client,
        memories.map((one) => ({ kind: "memory" as const, memory: one, why: type })),
      )),
    ]);
    return formatAnswer((await Promise.all(groups)).flat());
  },
});

export const searchTools: readonly McpTool[] = [
  recall,
  getContext,
  getBootContext,
  getLinkedMemories,
  searchHistory,
];

/** All tools of the server. Clients add the server's name to a tool's, for example `memory_recall`. */
export const tools: readonly McpTool[] = [
  ...searchTools,
  ...writeTools,
  ...sessionTools,
  ...bulkTools,
  ...upkeepTools,
];
