/** Tools that read and write files of the project: only in it, and no hidden ones. */
import { randomUUID } from "node:crypto";
import { dirname, join, relative, resolve } from "node:path";
import * as z from "zod";
import { DAY_MS } from "../base/days.js";
import { countMemories, formatCount } from "../base/format.js";
import { parseJson } from "../base/shape.js";
import { decodeStrictly } from "../io/files.js";
import { findPrivateID } from "../memory/draft.js";
import { type MemoryDraft, parseID, readTypeName, usersTypes } from "../memory/memory.js";
import { parseMemoryFile } from "../memory/memory-file.js";
import type { MemoryCopy } from "../memory/store/store.js";
import { plainStyle, writeNew } from "../operations/command.js";
import { readCollections } from "../operations/memory-files.js";
import { createTerminalCore, planCause } from "../operations/operation.js";
import { addForClient } from "../operations/permit.js";
import { openProject, type Project } from "../operations/project.js";
import { formatExport, parseCopy, readJsonExport } from "../operations/transfer/json-export.js";
import { OWN_FIELDS, parseSections, planDrafts } from "../operations/transfer/markdown.js";
import { isWithin } from "../project/own-files.js";
import type { ClientContext } from "./client.js";
import { args, defineTool, formatRefusal, type McpCall, type McpTool, readScope, refuse } from "./tool.js";

export const fileTools: readonly McpTool[] = [
  defineTool({
    name: "export_memories",
    description: "Export memories as JSON Lines, to a new project file or as the answer.",
    input: {
      output_path: args.path.optional(),
      project: args.project.optional(),
      categories: z.array(args.category).min(1).optional(),
      since_days: args.days.optional(),
    },
    effect: "write",
    files: ["output_path"],
    async run({ categories, output_path, project: where, since_days }, { shared }) {
      const { allowsPrivate, project: of } = shared;
      const types = categories?.flatMap((word) => readTypeName(word) ?? []);
      const scope = readScope(of, where) ?? "project";
      const file = output_path && (await findFile(of, output_path, /\.jsonl$/i, { isNew: true }));
      const target = file ? file.found : undefined;
      const sinceMs = since_days === undefined ? 0 : of.cli.clock.now() - since_days * DAY_MS;
      const collections = (await readCollections(of)).filter(
        ({ place }) => place.scope === scope && (allowsPrivate || place.sensitivity === "internal"),
      );
      const { count, problems, text } = formatExport(
        collections,
        ({ type, updated }) =>
          (types === undefined || types.includes(type)) && !(Date.parse(updated) < sinceMs),
      );
      const left = problems.length > 0 ? ` Left out ${problems.length} files: ${problems[0]}` : "";
      const counted = countMemories(count);
      if (target !== undefined)
        return `Exported: ${counted} to ${await writeNew(of.cli, target, text, false)}.${left}`;
      if (text.length > MOST_CHARACTERS)
        throw refuse(`${counted} do not fit in an answer; give output_path, categories or since_days.`);
      return text === "" ? `Nothing to export.${left}` : text.trimEnd();
    },
  }),
  defineTool({
    name: "import_memories",
    description:
      "Import a JSON file of the project, from export_memories or another memory tool. Duplicates are stored once.",
    input: {
      input_path: args.path,
      dry_run: z.boolean().optional(),
      // Other memory servers have this parameter; here duplicates are always kept once.
      skip_duplicates: z.boolean().optional(),
    },
    effect: "write",
    files: "all",
    async run({ dry_run, input_path }, client, call) {
      const { name, text } = await readFile(client.shared.project, input_path, JSON_FILE);
      const copies = text.split("\n").flatMap((line) => parseCopy(parseJson(line)) ?? []);
      const planned = copies.map(toDraft);
      const notes = planned.flatMap((one) => (typeof one === "string" ? [`Left out: ${one}`] : []));
      const drafts =
        copies.length > 0
          ? planned.filter((one) => typeof one !== "string")
          : (readJsonExport(text, { name })?.drafts ?? []);
      if (drafts.length + notes.length === 0) throw refuse(`${input_path} contains no memories.`);
      const done = await addAll(client, drafts, { operation: "import", isDry: dry_run === true }, call);
      return [done, ...notes.slice(0, MOST_NAMED)].join("\n");
    },
  }),
  defineTool({
    name: "ingest_file",
    description: "Import a Markdown file of the project, one memory per heading.",
    input: { file_path: args.path },
    effect: "write",
    files: "all",
    async run({ file_path }, client, call) {
      const { name, text } = await readFile(client.shared.project, file_path, /\.(md|markdown|mdx)$/i);
      const drafts = planDrafts(parseSections(text), { name });
      if (drafts.length === 0) throw refuse(`${file_path} contains no text.`);
      return addAll(client, drafts, { operation: "ingest", isDry: false }, call);
    },
  }),
  defineTool({
    name: "bootstrap_memory",
    description:
      "Import what the project's own files state: commands, versions, layout. It counts as the repository's words.",
    input: { path: args.path.optional() },
    effect: "write",
    files: ["path"],
    async run({ path: folder }, { id, shared }) {
      const { bootstrap } = await import("../operations/bootstrap.js");
      const { allowsPrivate, project: of } = shared;
      const hidden = [of.folders.memory, of.globalFolder].map((collection) => join(collection, "private"));
      const warnings: string[] = [];
      const warn = (text: string): void => void warnings.push(text);
      const project = await openProject({
        ...{ ...of.cli, folder: of.root, warn, style: plainStyle },
        // A second store in this process needs a different name for its locks.
        instance: `${id}-${randomUUID().slice(0, 8)}`,
      });
      const input = bootstrap.input.parse({ folders: folder === undefined ? [] : [folder] });
      const { notes = [], text } = await bootstrap.run(createTerminalCore(project, "client"), input);
      // File names come from the text of memories.
      const namesPrivate = (line: string): boolean =>
        findPrivateID(line) !== undefined || hidden.some((part) => line.includes(part));
      const lines = [...warnings, ...text.split("\n"), ...notes];
      return lines.filter((line) => allowsPrivate || !namesPrivate(line)).join("\n");
    },
  }),
];

/** Limit of an answer, to protect the client's context. */
const MOST_CHARACTERS = 100_000;

/** The memory in a line of an export as a draft, or the reason why there is none. */
function toDraft({ contents, id, isArchived }: MemoryCopy): MemoryDraft | string {
  const place = parseID(id);
  if (!place || isArchived) return `${id} is archived`;
  const reading = parseMemoryFile(Buffer.from(contents), { ...place, isArchived, modifiedMs: 0 });
  if (reading.kind === "problem") return `${id}: ${reading.what}`;
  const { id: _, isPersonal, isUndated, sensitivity, status, ...draft } = reading.memory;
  if (status !== "active") return `${id} is ${status}`;
  const extra = Object.fromEntries(Object.entries(draft.extra).filter(([field]) => !OWN_FIELDS.has(field)));
  const { created, updated, ...undated } = draft;
  return { ...undated, extra, ...(!isPersonal && { sensitivity }), ...(!isUndated && { created, updated }) };
}

/* Adds many drafts: facts as an agent's, rules as candidates, private ones only with `--private`. */

const MOST_ADDED = 2_000;
const MOST_NAMED = 10;

/** Returns a report for the client. Stops between two drafts if the client cancels. */
async function addAll(
  client: ClientContext,
  drafts: readonly MemoryDraft[],
  { isDry, operation }: { operation: "import" | "ingest"; isDry: boolean },
  call: McpCall,
): Promise<string> {
  const many = `${drafts.length} memories are too many for one import; split the file into parts of ${MOST_ADDED}.`;
  if (drafts.length > MOST_ADDED) throw refuse(many);
  const { core, shared } = client;
  const known = new Set((await core.memories.list({ archived: true })).map(({ id }) => id));
  // Shared by all changes, so that they are undone together.
  const cause = planCause(core, operation);
  const counts = { kept: 0, known: 0, waiting: 0 };
  const refused: string[] = [];
  for (const draft of drafts) {
    if (call.signal.aborted) break;
    const isRule = usersTypes.has(draft.type);
    if (draft.sensitivity === "private" && !shared.allowsPrivate)
      refused.push("a private memory; strata mcp --private imports them");
    else if (isDry) counts[isRule ? "waiting" : "kept"]++;
    else {
      // The client is the source, whatever the file says.
      const own = { ...draft, provenance: { by: "agent" as const, how: "imported" as const } };
      const added = await addForClient(core, own, cause).catch((thrown: unknown) => {
        if (!isRule) throw thrown;
        return { kind: "refused" as const, why: formatRefusal(thrown) };
      });
      if (added.kind === "refused") refused.push(`${draft.title ?? ""}: ${added.why}`);
      else if (added.kind === "waiting") counts.waiting++;
      else counts[known.has(added.memory.id) ? "known" : "kept"]++;
      if ("memory" in added) known.add(added.memory.id);
    }
  }
  const waiting = `${formatCount(counts.waiting)} ${isDry ? "would " : ""}wait for the user to confirm them`;
  const parts = [
    `${isDry ? "Would keep" : "Kept"} ${formatCount(counts.kept)}`,
    `${formatCount(counts.known)} already known`,
    ...(counts.waiting > 0 ? [waiting] : []),
    ...(refused.length > 0 ? [`${formatCount(refused.length)} refused`] : []),
  ];
  return [
    `${parts.join(", ")}.`,
    ...refused.slice(0, MOST_NAMED).map((why) => `Refused: ${why}`),
    ...(isDry || counts.kept === 0 ? [] : [`strata undo --run ${cause.run} reverts this.`]),
  ].join("\n");
}

/* Files that a client names. */

const MOST_BYTES = 4_000_000;
const JSON_FILE = /\.jsonl?$/i;

/** Reads a file; `name` is its path from the project's root. @throws StrataError if a client may not read it */
async function readFile(
  project: Project,
  given: string,
  endings: RegExp,
): Promise<{ name: string; text: string }> {
  const { cli, root } = project;
  const { found, real } = await findFile(project, given, endings, { isNew: false });
  const stat = await cli.files.statItself(real);
  if (stat?.kind !== "file") throw refuse(`${given} is not a file.`);
  if (stat.bytes > MOST_BYTES)
    throw refuse(`${given} has ${stat.bytes} bytes, more than ${MOST_BYTES}; split it.`);
  const text = decodeStrictly((await cli.files.read(real, { links: "refused" })) ?? new Uint8Array());
  if (text === undefined || text.includes("\0")) throw refuse(`${given} is not UTF-8 text.`);
  return { name: relative(root, found).replaceAll("\\", "/"), text };
}

/**
 * A file that is in the project and not hidden, neither by its path nor behind a link, which may lead anywhere. `real` is
 * the file, or the folder of a new one. @throws StrataError if a client may not use it
 */
async function findFile(
  { cli, root }: Project,
  given: string,
  endings: RegExp,
  { isNew }: { isNew: boolean },
): Promise<{ found: string; real: string }> {
  const isHidden = (path: string, base: string): boolean => /(^|[\\/])\./.test(relative(base, path));
  const found = resolve(root, given);
  if (given.includes("\0") || found === root || !isWithin(found, root))
    throw refuse(`${JSON.stringify(given)} is not a file in ${root}; name a file of the project.`);
  if (isHidden(found, root))
    throw refuse(`${given} is hidden; this tool does not use hidden files or folders.`);
  if (!endings.test(found)) throw refuse(`${given} does not match ${endings.source}.`);
  const real = await cli.files.realPath(isNew ? dirname(found) : found);
  if (real === undefined) throw refuse(`${isNew ? dirname(found) : given} does not exist in ${root}.`);
  const within = (await cli.files.realPath(root)) ?? root;
  if (!isWithin(real, within) || isHidden(real, within))
    throw refuse(`${given} links out of the project, or to a hidden file: ${real}; name the file itself.`);
  return { found, real };
}
