import type { z } from "zod";
import { StrataError } from "../../../src/base/error.js";
import { defineTool, type Tool, type ToolParameters } from "../../../src/kernel/tool.js";
import { findGoneFiles } from "../../../src/memory/gone-files.js";
import type { Memory } from "../../../src/memory/memory.js";
import { listShownWhole } from "../../../src/memory/search/found.js";
import type { Found } from "../../../src/memory/search/search.js";
import { describeEntities } from "../injection/named-entities.js";
import type { recallArguments } from "./arguments.js";
import { formatPath, type MemoryToolsContext } from "./common.js";
import { formatAnswer, formatHit, formatWhole } from "./format-hits.js";
import { createKeepTool } from "./keep.js";
import { createRememberTool } from "./remember.js";
import { createUpdateTool } from "./update.js";

/**
 * The agent's memory tools. Their definitions are part of every request, so they never change during a session, and a test
 * counts their tokens.
 */
export function createMemoryTools(context: MemoryToolsContext): Tool[] {
  const { agentJudge } = context;
  return [
    createRememberTool(context),
    createRecallTool(context),
    createUpdateTool(context),
    ...(agentJudge ? [createKeepTool(agentJudge)] : []),
  ];
}

/* `memory_recall`: searches the memories and the notes of earlier sessions. */

const MOST_HITS = 20;

const parameters: ToolParameters = {
  properties: {
    query: { type: "string" },
    id: { type: "string" },
  },
};
type Arguments = z.output<typeof recallArguments>;

export function createRecallTool(context: MemoryToolsContext): Tool {
  const { clock, conflicts, files, findDoubts, folders, memories, search } = context;
  return defineTool<typeof recallArguments>({
    name: "memory_recall",
    description: "Find what earlier sessions decided or learned. Also: entity (#34, path), type, archived.",
    parameters,
    loadCheck: async () => (await import("./arguments.js")).recallArguments,
    execute: ({ id, ...query }, { sessionID }) => (id === undefined ? list(query, sessionID) : show(id)),
  });

  async function list(
    { archived, entity, query, type }: Omit<Arguments, "id">,
    sessionID: string,
  ): Promise<string> {
    if (query === undefined && entity === undefined && type === undefined)
      throw new StrataError("EMEMORYRECALL", "Expected query, id, entity or type; none came.");
    const hits = await search.find({
      limit: MOST_HITS,
      exceptSession: sessionID,
      ...(query !== undefined && { text: query }),
      ...(entity !== undefined && { entity }),
      ...(type !== undefined && { type }),
      ...(archived && { archived }),
    });
    const about = await describeEntities(context, `${entity ?? ""}\n${query ?? ""}`);
    const found = hits.flatMap((hit) => (hit.kind === "memory" ? [hit.memory] : []));
    conflicts.see(found);
    const doubts = await findDoubts(found);
    const format = (hit: Found): string =>
      formatHit(hit, { nowMs: clock.now(), project: folders.project, doubts });
    const shown = hits.slice(0, MOST_HITS);
    memories.noteUse(listShownWhole(shown, format));
    return formatAnswer([...about, ...shown.map(format)]);
  }

  async function show(id: string): Promise<string> {
    const memory = (await memories.read(id)) ?? (await findByEnding(id));
    if (!memory) throw new StrataError("EMEMORYRECALL", `There is no memory ${id}; a query finds ids.`);
    const gone = (await findGoneFiles({ files, project: folders.project }, [memory])).get(memory.id) ?? [];
    const path = formatPath((await memories.locate(memory.id)) ?? memory.id, folders.project);
    memories.noteUse([memory.id]);
    conflicts.see([memory]);
    const doubt = (await findDoubts([memory])).get(memory.id);
    return formatWhole(memory, { nowMs: clock.now(), path, gone, doubt });
  }

  /** Finds `decision/port-8080` by `port-8080` if no other id ends so. */
  async function findByEnding(id: string): Promise<Memory | undefined> {
    const [hit] = await search.find({ id, archived: true, limit: 1 });
    return hit?.kind === "memory" ? hit.memory : undefined;
  }
}
