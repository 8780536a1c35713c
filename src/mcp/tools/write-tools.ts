/** Tools that add or change a memory. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Tool } from "../../kernel/layer.js";
import { type Memory, usersTypes } from "../../memory/memory.js";
import type { ClientContext } from "../client-context.js";
import { composeText, replaceParts } from "../compose.js";
import {
  category,
  content,
  entities,
  memoryID,
  project,
  readScope,
  reason,
  remark,
  typeOf,
} from "../fields.js";
import { requireMemory } from "../find-hits.js";
import { handOver } from "../hand-over.js";
import { defineTool, type McpCall, type McpTool, refuse } from "../tool.js";

/** Runs one of the plugin's tools for the client. */
export function callTool(
  tool: Tool,
  args: object,
  client: ClientContext,
  { id, signal }: McpCall,
): Promise<string> {
  const call = { tool: tool.name, sessionID: client.session(), callID: id, messageID: id };
  return tool.execute(args as never, call, signal);
}

/** Is it a rule in the user's words, or pinned by the user? No client may archive such a memory. */
export const isUsersRule = ({ pinned, type }: Pick<Memory, "pinned" | "type">): boolean =>
  pinned || usersTypes.has(type);

/** Is it a rule, or something that the user has said or written? No client may change its words. */
const hasUsersWords = (memory: Memory): boolean =>
  isUsersRule(memory) || memory.provenance.by === "user" || memory.provenance.by === "person";

/** A memory that a client may change. @throws StrataError if only the user may */
async function requireChangeable(
  client: ClientContext,
  id: string,
  what: "archive" | "edit",
): Promise<Memory> {
  const memory = await requireMemory(client, id);
  if (what === "edit" ? hasUsersWords(memory) : isUsersRule(memory))
    throw refuse(
      `Nothing was changed. ${memory.id} ${memory.pinned ? "was pinned by the user" : "records what the user said"}, so only the user can ${what} it, in a terminal: strata ${what} ${memory.id}`,
    );
  return memory;
}

const rememberInput = z.strictObject({
  content,
  category,
  what: remark.optional(),
  why: remark.optional(),
  learned: remark.optional(),
  entities: entities.optional(),
  project: project.optional(),
  private: z.boolean().optional(),
});

const remember = defineTool<typeof rememberInput>({
  name: "remember",
  description:
    "Store one fact: a decision with its reason, a blocker, how something is done. Not the task or its state. directive, preference, feedback, pattern: wait until the user confirms.",
  input: rememberInput,
  effect: "write",
  isDefault: true,
  isPlugins: true,
  privateArguments: ["private"],
  async run({ category: word, private: isPrivate, project: where, ...args }, client, call) {
    const type = typeOf(word) ?? "knowledge";
    if (usersTypes.has(type)) return (await handOver(client, { content: args.content, type }, call)).text;
    const scope = readScope(client.shared, where);
    const draft = {
      type,
      content: composeText(args),
      ...(args.entities && { entities: args.entities }),
      ...(scope && { scope }),
      ...(isPrivate && { sensitivity: "private" as const }),
    };
    return callTool(client.remember, draft, client, call);
  },
});

const editInput = z.strictObject({
  memory_id: memoryID,
  content: content.optional(),
  what: remark.optional(),
  why: remark.optional(),
  learned: remark.optional(),
});

const editMemory = defineTool<typeof editInput>({
  name: "edit_memory",
  description: "Change a memory's text, or one part of it.",
  input: editInput,
  effect: "write",
  isDefault: true,
  isPlugins: true,
  async run({ memory_id, ...parts }, client, call) {
    if (Object.values(parts).every((part) => part === undefined))
      throw refuse("Nothing was changed. Expected content, what, why or learned; none came.");
    return client.shared.inTurn(async () => {
      const memory = await requireChangeable(client, memory_id, "edit");
      const text = replaceParts(memory.content, parts);
      return callTool(client.update, { id: memory.id, action: "edit", content: text }, client, call);
    });
  },
});

const archiveInput = z.strictObject({ memory_id: memoryID, reason: reason.optional() });

const archiveMemory = defineTool<typeof archiveInput>({
  name: "archive_memory",
  description: "Archive a memory that no longer holds; the user can restore it.",
  input: archiveInput,
  effect: "destroy",
  isDefault: true,
  isPlugins: true,
  async run({ memory_id, reason: why }, client, call) {
    const { id } = await requireChangeable(client, memory_id, "archive");
    return callTool(
      client.update,
      { id, action: "archive", ...(why !== undefined && { reason: why }) },
      client,
      call,
    );
  },
});

const deleteInput = z.strictObject({
  memory_id: memoryID,
  // Other memory servers have this parameter; here the vector is always deleted with the file.
  also_delete_vector: z.boolean().optional(),
});

const deleteMemory = defineTool<typeof deleteInput>({
  name: "delete_memory",
  description: "Delete the file of a memory that an agent noted, and its vector. The history keeps its text.",
  input: deleteInput,
  effect: "destroy",
  async run({ memory_id }, client) {
    const { id, provenance, status } = await requireChangeable(client, memory_id, "archive");
    if (provenance.by !== "agent" && provenance.by !== "tool")
      throw refuse(`Nothing was changed. ${id} was not noted by an agent; use archive_memory instead.`);
    const { memories } = client.shared;
    // One run, so that an undo reverts both steps.
    const cause = { operation: "delete", run: randomUUID().slice(0, 8), session: client.session() };
    const archived = status === "archived" ? undefined : await memories.archive(id, cause);
    const deleted = archived?.kind === "refused" ? archived : await memories.discard(id, cause);
    if (deleted.kind === "refused") throw refuse(`Not deleted: ${deleted.why}`);
    return `Deleted: ${id}. strata memory history ${id} shows its text, strata undo restores it.`;
  },
});

const blockerInput = z.strictObject({ memory_id: memoryID });

const blockerTool = (
  name: "resolve_blocker" | "unresolve_blocker",
  rest: Pick<McpTool, "description" | "isDefault">,
): McpTool =>
  defineTool<typeof blockerInput>({
    ...{ name, ...rest, input: blockerInput, effect: "write", isPlugins: true },
    async run({ memory_id }, client, call) {
      const { id } = await requireMemory(client, memory_id);
      const action = name === "resolve_blocker" ? "resolve" : "reopen";
      return callTool(client.update, { id, action }, client, call);
    },
  });

export const writeTools: readonly McpTool[] = [
  remember,
  editMemory,
  archiveMemory,
  blockerTool("resolve_blocker", { description: "Mark a blocker as resolved.", isDefault: true }),
  blockerTool("unresolve_blocker", { description: "Reopen a resolved blocker." }),
  deleteMemory,
];
