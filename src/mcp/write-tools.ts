/** Tools that add or change memories. What a client may do with one is decided by the operations. */

import * as z from "zod";
import { StrataError } from "../base/error.js";
import { shortenPath } from "../base/text.js";
import { type Memory, readTypeName } from "../memory/memory.js";
import {
  type Answer,
  type OperationEntry,
  perform,
  planCause,
  type WrittenData,
} from "../operations/operation.js";
import { requirePermit } from "../operations/permit.js";
import { operations } from "../operations/table.js";
import { findEntities } from "../text/entities.js";
import type { ClientContext } from "./client.js";
import { requireMemory } from "./reading.js";
import { args, callPlugins, defineTool, formatRefusal, type McpTool, readScope, refuse } from "./tool.js";

const MOST_IDS = 500;
const parts = { what: args.remark.optional(), why: args.remark.optional(), learned: args.remark.optional() };

const blockerTool = (name: string, description: string, set: "default" | "plugins"): McpTool =>
  defineTool({
    ...{ name, description, set, effect: "write" },
    input: { memory_id: args.memoryID },
    async run({ memory_id }, client, call) {
      const { id } = await requireMemory(client, memory_id);
      const action = name === "resolve_blocker" ? "resolve" : "reopen";
      return callPlugins(client.update, { id, action }, client, call);
    },
  });

export const writeTools: readonly McpTool[] = [
  defineTool({
    name: "remember",
    description:
      "Store one fact: a decision with its reason, a blocker, how something is done. Not the task or its state. directive, preference, feedback, pattern: wait until the user confirms.",
    input: {
      content: args.content,
      category: args.category,
      ...parts,
      entities: args.entities.optional(),
      project: args.project.optional(),
      private: z.boolean().optional(),
    },
    effect: "write",
    set: "default",
    privateArguments: ["private"],
    async run({ project: where, ...args }, client) {
      const isGlobal = readScope(client.shared.project, where) === "global";
      return remember(client, { ...args, content: composeText(args), global: isGlobal });
    },
  }),
  defineTool({
    name: "edit_memory",
    description: "Change a memory's text, or one part of it.",
    input: { memory_id: args.memoryID, content: args.content.optional(), ...parts },
    effect: "write",
    set: "default",
    async run({ memory_id, ...given }, client, call) {
      if (Object.values(given).every((part) => part === undefined))
        throw refuse("Nothing was changed. Expected content, what, why or learned; none came.");
      return client.shared.inTurn(async () => {
        const memory = await requireMemory(client, memory_id);
        requirePermit(client.core, "edit", memory);
        const changed = Object.entries(given).filter(([, part]) => part !== undefined);
        const content = composeText({ ...splitText(memory.content), ...Object.fromEntries(changed) });
        return callPlugins(client.update, { id: memory.id, action: "edit", content }, client, call);
      });
    },
  }),
  defineTool({
    name: "archive_memory",
    description: "Archive a memory that no longer holds; the user can restore it.",
    input: { memory_id: args.memoryID, reason: args.reason.optional() },
    effect: "destroy",
    set: "default",
    async run({ memory_id, reason: why }, client) {
      const { id } = await requireMemory(client, memory_id);
      const { data } = await change(client, operations.archive, { name: id, reason: why });
      const { done, path } = data as WrittenData;
      return `${done}: ${id} in ${shortenPath(path, client.core.root)}`;
    },
  }),
  blockerTool("resolve_blocker", "Mark a blocker as resolved.", "default"),
  blockerTool("unresolve_blocker", "Reopen a resolved blocker.", "plugins"),
  defineTool({
    name: "delete_memory",
    description:
      "Delete the file of a memory that an agent noted, and its vector. The history keeps its text.",
    input: {
      memory_id: args.memoryID,
      // Other memory servers have this parameter; here the vector is always deleted with the file.
      also_delete_vector: z.boolean().optional(),
    },
    effect: "destroy",
    async run({ memory_id }, client) {
      const { core } = client;
      const memory = await requireMemory(client, memory_id);
      requirePermit(core, "delete", memory);
      const { id, status } = memory;
      // One run, so that an undo reverts both steps.
      const cause = planCause(core, "delete");
      const archived = status === "archived" ? undefined : await core.memories.archive(id, cause);
      const deleted = archived?.kind === "refused" ? archived : await core.memories.discard(id, cause);
      if (deleted.kind === "refused") throw refuse(`Not deleted: ${deleted.why}`);
      return `Deleted: ${id}. strata memory history ${id} shows its text, strata undo restores it.`;
    },
  }),
  defineTool({
    name: "bulk_archive",
    description:
      "Archive many memories, by ids or by category and age; none if one of them changes meanwhile.",
    input: {
      memory_ids: z.array(args.memoryID).min(1).max(MOST_IDS).optional(),
      category: args.category.optional(),
      older_than_days: args.days.min(1).optional(),
      reason: args.reason,
    },
    effect: "destroy",
    async run({ category: word, memory_ids, older_than_days: olderThan, reason: why }, client) {
      const type = readTypeName(word);
      if ((type !== undefined || olderThan !== undefined) === (memory_ids !== undefined))
        throw refuse("Nothing was changed. Expected memory_ids, or category and older_than_days; not both.");
      const named: Memory[] = [];
      for (const id of memory_ids ?? []) named.push(await requireMemory(client, id));
      const ids = memory_ids && named.map(({ id }) => id);
      const done = await change(client, operations.archive, { ids, type, olderThan, reason: why });
      if (done.run === undefined)
        throw refuse("Nothing was changed: no memory that a client may archive matches.");
      return [done.text, ...(done.notes ?? [])].join("\n");
    },
  }),
  defineTool({
    name: "log_session",
    description: "Store what a session did as an event, and each learning as a fact.",
    input: {
      summary: args.remark,
      learnings: z.array(args.remark).max(20).optional(),
      entities: args.entities.optional(),
    },
    effect: "write",
    set: "default",
    run: ({ summary, ...more }, client) => logSummary(client, summary, more),
  }),
];

interface Remembered {
  content: string;
  category: string;
  entities?: readonly string[] | undefined;
  global?: boolean | undefined;
  private?: boolean | undefined;
}

async function remember({ core }: ClientContext, given: Remembered): Promise<string> {
  const { category, content, entities: about = [], global, private: isPrivate } = given;
  const entity = [...new Set([...about, ...findEntities(content)])];
  const input = { content, type: readTypeName(category), entity, global, private: isPrivate };
  return (await perform(core, operations.remember, input)).text;
}

/** Runs an operation; its refusal says that nothing was changed. */
async function change({ core }: ClientContext, entry: OperationEntry, input: object): Promise<Answer> {
  try {
    return await perform(core, entry, input);
  } catch (thrown) {
    if (!(thrown instanceof StrataError) || thrown.message.startsWith("Nothing was")) throw thrown;
    throw refuse(`Nothing was changed: ${thrown.message}`);
  }
}

/** Stores what passes the gate. @throws StrataError if nothing does */
export async function logSummary(
  client: ClientContext,
  summary: string,
  given: { entities?: string[] | undefined; learnings?: string[] | undefined } = {},
): Promise<string> {
  const { entities: about, learnings = [] } = given;
  const facts = learnings.map((one) => ({ category: "fact", content: one, entities: about }));
  const kept: string[] = [];
  const refused: string[] = [];
  for (const draft of [{ category: "event", content: summary, entities: about }, ...facts])
    await remember(client, draft).then(
      (line) => kept.push(line),
      (thrown: unknown) => refused.push(`Not kept: ${formatRefusal(thrown)}`),
    );
  const lines = [...kept, ...refused].join("\n");
  if (kept.length === 0) throw refuse(lines);
  return lines;
}

/* A memory's text: its content, then what, why and learned as labelled paragraphs. Pure. */

const LABELS = { what: "What", why: "Why", learned: "Learned" } as const;
const NAMES = Object.keys(LABELS) as (keyof typeof LABELS)[];
type Parts = { [name in keyof typeof LABELS | "content"]?: string | undefined };

function composeText({ content: text = "", ...labelled }: Parts): string {
  const paragraphs = NAMES.flatMap((name) => {
    const part = labelled[name];
    return part === undefined ? [] : [`${LABELS[name]}: ${part}`];
  });
  return [text.trim(), ...paragraphs].filter((part) => part !== "").join("\n\n");
}

/** Recognises labelled paragraphs only at the end. */
function splitText(text: string): Parts {
  const paragraphs = text.split(/\n{2,}/);
  const found: Parts = {};
  for (let last = paragraphs.at(-1); last !== undefined; last = paragraphs.at(-1)) {
    const name = NAMES.find((one) => last.startsWith(`${LABELS[one]}: `) && found[one] === undefined);
    if (name === undefined) break;
    found[name] = last.slice(LABELS[name].length + 2);
    paragraphs.pop();
  }
  return { ...found, content: paragraphs.join("\n\n") };
}
