/** Tools for many memories at once, and for project files. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { countMemories } from "../../base/format.js";
import { parseJson } from "../../base/shape.js";
import type { MemoryDraft } from "../../memory/memory.js";
import { selectMemories } from "../../operations/select.js";
import { parseCopy, readJsonExport } from "../../operations/transfer/json-export.js";
import { parseSections, planDrafts } from "../../operations/transfer/sections.js";
import { redactSecrets } from "../../text/secrets/secrets.js";
import { category, days, memoryID, path, project, readScope, reason, typeOf } from "../fields.js";
import { requireMemory } from "../find-hits.js";
import { exportMemories, planFile, readFile } from "../inside.js";
import { takeIn, toDraft } from "../take-in.js";
import { defineTool, type McpTool, refuse } from "../tool.js";
import { isUsersRule } from "./write-tools.js";

const newRun = (): string => randomUUID().slice(0, 8);
const MOST_IDS = 500;

const bulkInput = z.strictObject({
  memory_ids: z.array(memoryID).min(1).max(MOST_IDS).optional(),
  category: category.optional(),
  older_than_days: days.optional(),
  reason,
});

const bulkArchive = defineTool<typeof bulkInput>({
  name: "bulk_archive",
  description: "Archive many memories, by ids or by category and age; none if one of them changes meanwhile.",
  input: bulkInput,
  effect: "destroy",
  async run({ category: word, memory_ids, older_than_days, reason: why }, client) {
    const { memories, project: of } = client.shared;
    const type = typeOf(word);
    const isSelected = type !== undefined || older_than_days !== undefined;
    if (isSelected === (memory_ids !== undefined))
      throw refuse("Nothing was changed. Expected memory_ids, or category and older_than_days; not both.");
    const all = memory_ids
      ? await Promise.all([...new Set(memory_ids)].map((id) => requireMemory(client, id)))
      : (await memories.list()).filter(({ scope }) => scope === "project");
    const selected = selectMemories(
      all.filter(({ status }) => status !== "archived"),
      {
        words: [],
        ...(type && { type }),
        ...(older_than_days !== undefined && { olderThanDays: older_than_days }),
      },
      of.cli.clock.now(),
    );
    const going = selected.filter((one) => !isUsersRule(one));
    if (going.length === 0) throw refuse("Nothing was changed: no memory that a client may archive matches.");
    const run = newRun();
    const changes = going.map((before) => ({ before, after: { ...before, status: "archived" as const } }));
    // The ledger keeps the reason for ever.
    const cause = { operation: "archive", run, reason: redactSecrets(why).text, session: client.session() };
    const allChanged = await memories.changeAll(changes, cause);
    if (allChanged.kind === "refused") throw refuse(`Nothing was changed: ${allChanged.why}`);
    const left = selected.length - going.length;
    const more = left > 0 ? ` ${countMemories(left)} left unchanged: pinned, or the user's words.` : "";
    return `Archived ${countMemories(going.length)}; strata undo --run ${run} brings them back.${more}`;
  },
});

const exportInput = z.strictObject({
  output_path: path.optional(),
  project: project.optional(),
  categories: z.array(category).min(1).optional(),
  since_days: days.optional(),
});

const exportTool = defineTool<typeof exportInput>({
  name: "export_memories",
  description: "Export memories as JSON Lines, to a new project file or as the answer.",
  input: exportInput,
  effect: "write",
  files: ["output_path"],
  async run({ categories, output_path, project: where, since_days }, client) {
    const types = categories?.flatMap((word) => typeOf(word) ?? []);
    const target =
      output_path === undefined ? undefined : await planFile(client.shared, output_path, /\.jsonl?$/i);
    return exportMemories(client.shared, {
      ...{ types, sinceDays: since_days, target },
      scope: readScope(client.shared, where),
    });
  },
});

const importInput = z.strictObject({
  input_path: path,
  dry_run: z.boolean().optional(),
  // Other memory servers have this parameter; here duplicates are always kept once.
  skip_duplicates: z.boolean().optional(),
});

const importTool = defineTool<typeof importInput>({
  name: "import_memories",
  description:
    "Import a JSON file of the project, from export_memories or another memory tool. Duplicates are stored once.",
  input: importInput,
  effect: "write",
  files: "all",
  async run({ dry_run, input_path }, client, call) {
    const { name, text } = await readFile(client.shared, input_path, /\.jsonl?$/i);
    const copies = text.split("\n").flatMap((line) => parseCopy(parseJson(line)) ?? []);
    const drafts: MemoryDraft[] = [];
    const notes: string[] = [];
    for (const copy of copies) {
      const draft = toDraft(copy);
      if (typeof draft === "string") notes.push(`Left out: ${draft}`);
      else drafts.push(draft);
    }
    if (copies.length === 0) drafts.push(...(readJsonExport(text, { name })?.drafts ?? []));
    if (drafts.length + notes.length === 0) throw refuse(`${input_path} contains no memories.`);
    const done = await takeIn(client, drafts, { operation: "import", run: newRun(), isDry: dry_run }, call);
    return [done, ...notes.slice(0, 10)].join("\n");
  },
});

const ingestInput = z.strictObject({ file_path: path });

const ingestFile = defineTool<typeof ingestInput>({
  name: "ingest_file",
  description: "Import a Markdown file of the project, one memory per heading.",
  input: ingestInput,
  effect: "write",
  files: "all",
  async run({ file_path }, client, call) {
    const { name, text } = await readFile(client.shared, file_path, /\.(md|markdown|mdx)$/i);
    const drafts = planDrafts(parseSections(text), { name });
    if (drafts.length === 0) throw refuse(`${file_path} contains no text.`);
    return takeIn(client, drafts, { operation: "ingest", run: newRun() }, call);
  },
});

export const bulkTools: readonly McpTool[] = [bulkArchive, exportTool, importTool, ingestFile];
