/**
 * All tools of the server: those that find memories, about sessions, and about the memories as a whole. Clients add the
 * server's name to a tool's, for example `memory_recall`.
 */

import * as z from "zod";
import { formatAnswer } from "../../layers/5-auto-memory/tools/recall.js";
import { answerOutcome } from "../../layers/7-across-agents/leases/leases.js";
import { formatLines, formatQuotes } from "../conversations/quotes.js";
import { type Memory, parseID, usersTypes } from "../memory/memory.js";
import { plainStyle } from "../operations/command.js";
import { formatFactLine, openProjectEntities, requireEntity } from "../operations/enrich.js";
import { by, since } from "../operations/find.js";
import { perform } from "../operations/operation.js";
import { isShownID, isShownPath } from "../operations/permit.js";
import { readProjectStatus } from "../operations/status.js";
import { operations } from "../operations/table.js";
import { formatSession } from "../project/instances.js";
import { formatStatus } from "../status/format-status.js";
import type { Status } from "../status/status.js";
import type { ClientContext, SharedContext } from "./client.js";
import { fileTools } from "./file-tools.js";
import { answerHits, findHits, formatBoot, formatHits, requireMemory, showMemory } from "./reading.js";
import { args, defineTool, type McpTool, readScope, refuse } from "./tool.js";
import { logSummary, writeTools } from "./write-tools.js";

const linkTypes = ["links", "linked_by", "supersedes", "superseded_by", "entity"] as const;

export const tools: readonly McpTool[] = [
  defineTool({
    name: "recall",
    description:
      "Find what earlier sessions decided or learned. An id as query shows that memory in full, compact: false all hits.",
    input: {
      query: args.query,
      limit: args.limit.optional(),
      project: args.project.optional(),
      category: args.anyCategory.optional(),
      compact: z.boolean().optional(),
    },
    effect: "read",
    set: "default",
    async run({ compact = true, query: text, ...wanted }, client, call) {
      const named = parseID(text) && (await client.shared.memories.read(text));
      if (named) return showMemory(client, named.id, call);
      const hits = await findHits(client, { text, ...wanted });
      return answerHits(client, hits, compact ? undefined : call);
    },
  }),
  defineTool({
    name: "get_context",
    description: "What is known about !12, #34, &5 or a path. Call before you work on it.",
    input: { entity_ref: args.entity },
    effect: "read",
    set: "default",
    async run({ entity_ref: entity }, client) {
      return answerHits(client, await findHits(client, { entity, limit: MOST_ABOUT }));
    },
  }),
  defineTool({
    name: "get_boot_context",
    description:
      "The user's rules, open blockers and the most important memories. Call at the start of a session.",
    input: {},
    effect: "read",
    set: "default",
    run: (_args, client) => formatBoot(client),
  }),
  defineTool({
    name: "get_linked_memories",
    description:
      "Memories that link to or from one, supersede it, are superseded by it, or share its entities.",
    input: { memory_id: args.memoryID, link_types: z.array(z.enum(linkTypes)).min(1).optional() },
    effect: "read",
    async run({ link_types = linkTypes, memory_id }, client) {
      const memory = await requireMemory(client, memory_id);
      const all = await client.shared.memories.list({ archived: true });
      const left = new Set(all.filter(({ id }) => id !== memory.id));
      const lines: string[] = [];
      for (const type of link_types) {
        const found = [...left].filter((other) => isLinked[type](memory, other)).slice(0, MOST_OF_A_TYPE);
        // Each memory appears once.
        for (const one of found) left.delete(one);
        if (found.length > 0) lines.push(`${type}:`, ...formatAll(client, found, type));
      }
      return formatAnswer(lines);
    },
  }),
  defineTool({
    name: "search_history",
    description: "Like recall, including archived memories and session notes (category: conversation).",
    input: { query: args.query, category: args.anyCategory.optional(), limit: args.limit.optional() },
    effect: "read",
    set: "plugins",
    run: async ({ query: text, ...wanted }, client) =>
      answerHits(client, await findHits(client, { text, ...wanted, archived: true })),
  }),
  defineTool({
    name: "search_conversations",
    description: "Quotes what was said in earlier sessions of this project.",
    input: { query: args.query, by: by.optional(), since: since.optional(), limit: args.limit.optional() },
    effect: "read",
    set: "plugins",
    async run({ limit = MOST_QUOTES, query, ...wanted }, { shared }) {
      const { root: project } = shared.project;
      const found = await shared.quotes.find(query, { ...wanted, limit: MOST_SIFTED, project });
      const [hidden, isHidden] = await Promise.all([shared.findPrivateSessions(), shared.findHidden()]);
      const shown = found.filter(({ session, text }) => !hidden.has(session.id) && !isHidden(text));
      return formatQuotes(shown.slice(0, limit), project);
    },
  }),
  defineTool({
    name: "get_conversation",
    description: "What was said in one session, from a message on, or its end.",
    input: {
      session_id: args.sessionID,
      from_message: args.memoryID.optional(),
      limit: args.limit.optional(),
    },
    effect: "read",
    async run({ from_message: from, limit = MOST_LINES, session_id: id }, { shared }) {
      const { project, quotes } = shared;
      const isPrivate = (await shared.findPrivateSessions()).has(id);
      const found = await quotes.session(id, { limit, ...(from !== undefined && { from }) });
      if (!found || isPrivate || found.head.project !== project.root)
        throw refuse(`No conversation ${id} is known in this project; search_conversations finds ids.`);
      const isHidden = await shared.findHidden();
      return formatLines(found.lines.filter(({ text }) => !isHidden(text)));
    },
  }),
  ...writeTools,
  defineTool({
    name: "session_start",
    description: "Announce that this session works here, and on what; lists the others.",
    input: { session_id: args.sessionID, working_on: args.remark.optional() },
    effect: "write",
    set: "plugins",
    async run({ session_id, working_on }, client) {
      const name = await begin(client, session_id, working_on);
      return `Started: others see it as ${name}.\n${await listOthers(client, name)}`;
    },
  }),
  defineTool({
    name: "session_end",
    description: "End the session, release its claims and store a summary.",
    input: { session_id: args.sessionID, summary: args.remark.optional() },
    effect: "write",
    set: "plugins",
    async run({ session_id, summary }, client) {
      const session = client.nameSession(session_id);
      const { instances, leases } = client;
      if (!instances.sessions.find(session))
        throw refuse(`Session ${session_id} was not started by this client; session_start starts it.`);
      // The summary first: it is the only part that cannot be recreated.
      const kept = summary === undefined ? [] : [await logSummary(client, summary)];
      await leases.release(undefined, { session });
      instances.sessions.end(session);
      client.noteSession(undefined);
      await instances.refresh();
      return [`Ended: ${session}`, ...kept].join("\n");
    },
  }),
  defineTool({
    name: "session_heartbeat",
    description: "Report that the session is still active; renews its claims for 30 minutes.",
    input: { session_id: args.sessionID },
    effect: "write",
    set: "plugins",
    async run({ session_id }, client) {
      const session = await begin(client, session_id);
      const held = (await client.leases.list()).filter((lease) => lease.session === session);
      for (const { item } of held) await client.leases.claim(item, { session, forMs: HELD_MS });
      return `Alive: ${session}${held.length === 0 ? "" : `, holds ${held.map(({ item }) => item).join(", ")}`}`;
    },
  }),
  defineTool({
    name: "get_active_sessions",
    description: "Sessions active in this project, in OpenCode and elsewhere.",
    input: {},
    effect: "read",
    set: "plugins",
    run: (_args, client) => listOthers(client),
  }),
  defineTool({
    name: "claim_item",
    description: "Claim #34, a path or a topic for 30 minutes, so that others leave it alone.",
    input: { session_id: args.sessionID, item_ref: args.entity },
    effect: "write",
    set: "plugins",
    async run({ item_ref, session_id }, client) {
      const session = await begin(client, session_id);
      return answerOutcome(await client.leases.claim(item_ref, { session, forMs: HELD_MS }), item_ref);
    },
  }),
  defineTool({
    name: "release_item",
    description: "Release an item that the session claimed.",
    input: { session_id: args.sessionID, item_ref: args.entity },
    effect: "write",
    set: "plugins",
    async run({ item_ref, session_id }, client) {
      const session = client.nameSession(session_id);
      return answerOutcome(await client.leases.release(item_ref, { session }), item_ref);
    },
  }),
  ...fileTools,
  defineTool({
    name: "enrich_entity",
    description: "Fetch title, state and labels of !12, #34, &5 or a URL from GitLab or GitHub.",
    input: { entity_ref: args.entity, project: args.project.optional() },
    effect: "ask",
    async run({ entity_ref, project: where }, { shared }, { signal }) {
      readScope(shared.project, where);
      const name = requireEntity(entity_ref);
      const entities = await openProjectEntities(shared.project);
      const { due, nowhere } = entities.plan([name]);
      const [why] = nowhere.values();
      if (why !== undefined) throw refuse(`Nothing was asked: ${why}`);
      const { facts, problems } = await entities.enrich(due, { signal });
      if (facts.length === 0) throw refuse(`No answer: ${problems.join("; ") || "not found there"}`);
      return facts.map(formatFactLine).join("\n");
    },
  }),
  defineTool({
    name: "consolidate_memory",
    description: "List duplicate, expired and long unused memories. Changes nothing; strata dream tidies up.",
    input: { days_stale: args.days.optional(), project: args.project.optional() },
    effect: "read",
    async run({ days_stale = USUAL_STALE_DAYS, project: where }, client) {
      readScope(client.shared.project, where);
      const stale = await formatStale(client, days_stale);
      return `${await planDream(client)}\n${stale}`;
    },
  }),
  defineTool({
    name: "memory_status",
    description: "Counts of memories, what waits for the user, problems.",
    input: {},
    effect: "read",
    async run(_args, { shared }) {
      const status = await readProjectStatus(shared.project);
      const shown = shared.allowsPrivate ? status : await withoutPrivate(status, shared);
      // The rest of the list holds what no client may see.
      const todos = shown.conflicts.map(({ id, path, title }) => ({
        ...{ kind: "conflict" as const, id, ways: [] },
        what: `two versions of "${title}", choose one: ${path}`,
      }));
      return formatStatus(shown, plainStyle, { todos });
    },
  }),
];

const MOST_QUOTES = 10;
const MOST_LINES = 50;
/** Those that are private are left out afterwards. */
const MOST_SIFTED = 100;
const MOST_ABOUT = 30;
const MOST_OF_A_TYPE = 30;

const foldEntities = ({ entities }: Memory): string[] => entities.map((one) => one.toLowerCase());

/** What each type of link means between a memory and another. */
const isLinked: Readonly<Record<(typeof linkTypes)[number], (memory: Memory, other: Memory) => boolean>> = {
  links: ({ links }, { id }) => links.includes(id),
  linked_by: ({ id }, { links }) => links.includes(id),
  supersedes: ({ id }, { supersededBy }) => supersededBy === id,
  superseded_by: ({ supersededBy }, { id }) => supersededBy === id,
  entity: (memory, other) => foldEntities(memory).some((one) => foldEntities(other).includes(one)),
};

function formatAll(client: ClientContext, memories: readonly Memory[], why: string): string[] {
  const hits = memories.map((memory) => ({ kind: "memory" as const, memory, why }));
  return formatHits(client, hits);
}

/** Recounts without private memories, and leaves out what names one. */
async function withoutPrivate(status: Status, { findHidden, memories }: SharedContext): Promise<Status> {
  const counts: Record<string, number> = {};
  for (const { scope, type } of await memories.list())
    if (scope === "project") counts[type] = (counts[type] ?? 0) + 1;
  const isHidden = await findHidden();
  const sessions = Object.entries(status.sessions).map(([id, { title, ...rest }]) => [
    id,
    title === undefined || isHidden(title) ? rest : { ...rest, title },
  ]);
  return {
    ...{ ...status, memories: counts },
    conflicts: status.conflicts.filter(({ id, path }) => isShownID(id) && isShownPath(path)),
    blockers: status.blockers.filter(({ id }) => isShownID(id)),
    sessions: Object.fromEntries(sessions),
  };
}

const USUAL_STALE_DAYS = 90;
const MOST_STALE = 50;

/** What a dream's rules would change. One at a time, as they share the name of a lock. */
async function planDream({ core, shared }: ClientContext): Promise<string> {
  const { dream } = await import("../operations/dream.js");
  const { text } = await shared.inTurn(() => dream.run(core, { dryRun: true }));
  return text;
}

/** The project's facts that were not changed or used for `staleDays`, oldest first. */
async function formatStale(client: ClientContext, staleDays: number): Promise<string> {
  const unused = Math.max(1, staleDays);
  const { data } = await perform(client.core, operations.list, { unused });
  const stale = (data as { memories: readonly Memory[] }).memories
    .filter(({ scope, type }) => scope === "project" && !usersTypes.has(type))
    .sort((a, b) => a.updated.localeCompare(b.updated));
  if (stale.length === 0) return `No memory is unused for ${staleDays} days.`;
  const lines = formatAll(client, stale.slice(0, MOST_STALE), "stale");
  return [`Unused for ${staleDays} days: ${stale.length}`, ...lines].join("\n");
}

/* Sessions and claims. */

const HELD_MS = 30 * 60_000;

/** Announces the session to the other instances, or reports that it is still alive. */
async function begin(client: ClientContext, given: string, goal?: string): Promise<string> {
  const { instances } = client;
  const name = client.nameSession(given);
  instances.sessions.begin(name);
  instances.sessions.setGoal(name, goal);
  client.noteSession(name);
  await instances.join();
  await instances.refresh();
  return name;
}

async function listOthers({ instances }: ClientContext, own?: string): Promise<string> {
  const living = await instances.living();
  const lines = living.flatMap(({ id, sessions }) =>
    sessions.filter((one) => one.id !== own).map((one) => `- ${formatSession(one, id)}`),
  );
  return lines.length === 0 ? "No other session is active here." : ["Active here:", ...lines].join("\n");
}
