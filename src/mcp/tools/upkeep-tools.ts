/** Tools about the memories as a whole: entities, first facts, status and upkeep. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { runDream } from "../../../layers/6-dream/dream.js";
import { formatDream } from "../../../layers/6-dream/page.js";
import { DAY_MS } from "../../base/days.js";
import { listSwitches } from "../../config/part.js";
import { createGit } from "../../io/node-git.js";
import { findPrivateID } from "../../memory/draft.js";
import { usersTypes } from "../../memory/memory.js";
import { type CliContext, createStyle } from "../../operations/command.js";
import { formatFactLine } from "../../operations/open-candidates.js";
import { parseEntityName } from "../../recall/entities.js";
import { formatStatus } from "../../status/format-status.js";
import { readStatus, type Status } from "../../status/status.js";
import type { ClientContext } from "../client-context.js";
import { days, entity, path, project, readScope } from "../fields.js";
import { formatHits } from "../find-hits.js";
import type { SharedContext } from "../shared-context.js";
import { defineTool, type McpTool, refuse } from "../tool.js";
import { isShownID, isShownPath } from "../without-private.js";

const enrichInput = z.strictObject({ entity_ref: entity, project: project.optional() });

const enrichEntity = defineTool<typeof enrichInput>({
  name: "enrich_entity",
  description: "Fetch title, state and labels of !12, #34, &5 or a URL from GitLab or GitHub.",
  input: enrichInput,
  effect: "ask",
  async run({ entity_ref, project: where }, { shared }, { signal }) {
    readScope(shared, where);
    const name = parseEntityName(entity_ref);
    if (!name)
      throw refuse(
        `"${entity_ref}" is not a merge request, issue or epic; write !12, #34, &5, acme/shop#34 or its URL.`,
      );
    const entities = await shared.entities.load();
    await entities.load();
    const { due, fresh, nowhere } = entities.plan([name]);
    const [why] = nowhere.values();
    if (why !== undefined) throw refuse(`Nothing was asked: ${why}`);
    const { facts, problems } = await entities.enrich([...due, ...fresh], { signal });
    if (facts.length === 0) throw refuse(`No answer: ${problems.join("; ") || "not found there"}`);
    return facts.map((fact) => formatFactLine(fact, shared.project.cli.clock.now())).join("\n");
  },
});

const bootstrapInput = z.strictObject({ path: path.optional() });

const bootstrapMemory = defineTool<typeof bootstrapInput>({
  name: "bootstrap_memory",
  description:
    "Import what the project's own files state: commands, versions, layout. It counts as the repository's words.",
  input: bootstrapInput,
  effect: "write",
  files: ["path"],
  async run({ path: folder }, client) {
    const { run } = await import("../../operations/bootstrap.js");
    const lines: string[] = [];
    const { allowsPrivate, project: of } = client.shared;
    const { cli, folders, globalFolder, root } = of;
    const hidden = [folders.memory, globalFolder].map((collection) => join(collection, "private"));
    const say = (text: string): void => {
      // File names come from the text of memories.
      const namesPrivate = findPrivateID(text) ?? hidden.find((path) => text.includes(path));
      if (allowsPrivate || namesPrivate === undefined) lines.push(text);
    };
    const quiet: CliContext = {
      ...cli,
      folder: root,
      // A second store in this process needs a different name for its locks.
      instance: `${client.id}-${randomUUID().slice(0, 8)}`,
      style: createStyle(false),
      ...{ say, warn: say },
    };
    await run(quiet, {}, folder === undefined ? [] : [folder]);
    return lines.join("\n");
  },
});

const statusInput = z.strictObject({});

const memoryStatus = defineTool<typeof statusInput>({
  name: "memory_status",
  description: "Counts of memories, what waits for the user, problems.",
  input: statusInput,
  effect: "read",
  async run(_args, { shared }) {
    const { candidates, config, files, project: of } = shared;
    const { layers, problems } = await of.settings();
    const switches = listSwitches(layers.map(({ settings }) => settings));
    const given = { candidates, clock: of.cli.clock, files, git: createGit() };
    const status = await readStatus(given, of.folders, config, switches);
    status.problems.unshift(...problems);
    return formatStatus(
      shared.allowsPrivate ? status : await withoutPrivate(status, shared),
      createStyle(false),
    );
  },
});

/** Recounts without private memories, and leaves out what names one. */
async function withoutPrivate(
  status: Status,
  shared: Pick<SharedContext, "findHidden" | "memories">,
): Promise<Status> {
  const memories: Record<string, number> = {};
  for (const { scope, type } of await shared.memories.list())
    if (scope === "project") memories[type] = (memories[type] ?? 0) + 1;
  const isHidden = await shared.findHidden();
  const sessions = Object.entries(status.sessions).map(([id, { title, ...rest }]) => [
    id,
    title === undefined || isHidden(title) ? rest : { ...rest, title },
  ]);
  const conflicts = status.conflicts.filter(({ id, path }) => isShownID(id) && isShownPath(path));
  return {
    ...{ ...status, memories, conflicts },
    blockers: status.blockers.filter(({ id }) => isShownID(id)),
    sessions: Object.fromEntries(sessions),
  };
}

const consolidateInput = z.strictObject({ days_stale: days.optional(), project: project.optional() });
const USUAL_STALE_DAYS = 90;
const MOST_STALE = 50;

const consolidateMemory = defineTool<typeof consolidateInput>({
  name: "consolidate_memory",
  description: "List duplicate, expired and long unused memories. Changes nothing; strata dream tidies up.",
  input: consolidateInput,
  effect: "read",
  async run({ days_stale = USUAL_STALE_DAYS, project: where }, client) {
    readScope(client.shared, where);
    const stale = await formatStale(client, days_stale);
    return `${await planDream(client)}\n${stale}`;
  },
});

/** What a dream's rules would change. */
async function planDream({ shared, id }: ClientContext): Promise<string> {
  const { config, files, locks, memories, project: of } = shared;
  const { cli, folders, log } = of;
  const outcome = await runDream(
    { clock: cli.clock, files, folders, locks, log, memories },
    { maxRuntimeMs: config.dream.maxRuntime, isDry: true },
  );
  if (outcome.kind === "refused" || outcome.kind === "failed")
    throw refuse(`Not checked for ${id}: ${outcome.why}`);
  const { changes, findings, oldNotes = 0 } = outcome.report;
  return changes.length + findings.length + oldNotes === 0
    ? "Nothing to tidy up by the rules."
    : formatDream(outcome.report);
}

/** The project's facts that were not changed or used for `staleDays`, oldest first. */
async function formatStale(client: ClientContext, staleDays: number): Promise<string> {
  const { memories, project: of } = client.shared;
  const sinceMs = of.cli.clock.now() - staleDays * DAY_MS;
  const lastMs = (id: string, updated: string): number =>
    Math.max(Date.parse(updated) || 0, memories.useOf(id)?.lastMs ?? 0);
  const stale = (await memories.list())
    .filter(({ scope, type }) => scope === "project" && !usersTypes.has(type))
    .filter(({ id, updated }) => lastMs(id, updated) < sinceMs)
    .sort((a, b) => lastMs(a.id, a.updated) - lastMs(b.id, b.updated));
  if (stale.length === 0) return `No memory is unused for ${staleDays} days.`;
  const hits = stale
    .slice(0, MOST_STALE)
    .map((memory) => ({ kind: "memory" as const, memory, why: "stale" }));
  return [`Unused for ${staleDays} days: ${stale.length}`, ...(await formatHits(client, hits))].join("\n");
}

export const upkeepTools: readonly McpTool[] = [
  enrichEntity,
  bootstrapMemory,
  consolidateMemory,
  memoryStatus,
];
