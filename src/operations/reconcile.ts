/** Lists conflicts between two versions of a memory, decides one, and resolves a blocker. */
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { readPlainText } from "../io/files.js";
import { findMemories, type Memory } from "../memory/memory.js";
import { type ConflictLog, type ConflictRecord, readOtherVersion } from "../memory/store/conflict-log.js";
import type { OpenMemories, Written } from "../memory/store/store.js";
import { readDreamState } from "../project/dream-state.js";
import type { Folders } from "../project/folders.js";
import { planConflicts } from "../status/todo.js";
import type { CliContext } from "./command.js";
import { openEditor } from "./edit.js";
import { withMemories } from "./open-memories.js";
import {
  type Answer,
  answerWritten,
  defineOperation,
  defineTerminalOperation,
  flag,
  option,
  REFUSED,
  refuseCaller,
  requireProject,
  text,
} from "./operation.js";
import { openConflictLog } from "./record-rivals.js";

const choices = ["this", "that", "both"] as const;
type Choice = (typeof choices)[number] | "edited";
const keep = z.enum(choices, `must be one of ${choices.join(", ")}`);

/** A record with the current texts of both versions. */
interface OpenConflict {
  record: ConflictRecord;
  /** The record's name on the command line. */
  name: string;
  inUse: Memory;
  /** Absent if the other version exists only in the record. */
  other?: Memory;
  otherText: string;
}

interface Deciding {
  cli: Pick<CliContext, "env" | "files">;
  folders: Folders;
  memories: OpenMemories;
  log: ConflictLog;
}

const reconcileInput = z.object({
  words: z.string().trim().default(""),
  keep: option(keep, "which", "keeps this (the one in use), that (the other) or both"),
  edit: flag.default(false).describe("opens both in your editor and keeps the text that you save"),
});

export const reconcile = defineTerminalOperation(
  reconcileInput
    .refine((given) => !given.edit || given.keep === undefined, "use --keep or --edit, not both")
    .refine(
      (given) => given.words !== "" || (!given.edit && given.keep === undefined),
      "name the conflict to decide; strata reconcile lists them",
    ),
  async (project, { edit, keep: kept, words }, { caller }) => {
    const { cli } = project;
    const choice = edit ? "edited" : kept;
    if (choice !== undefined && caller !== "person") throw refuseCaller("reconcile --keep", caller);
    return withMemories(project, async (memories): Promise<Answer> => {
      const deciding = { cli, folders: project.folders, memories, log: await openConflictLog(project) };
      const open = await readOpen(deciding);
      const isConflict = words === "" || choice !== undefined || findConflicts(open, words).length > 0;
      const [blocker, ...others] = isConflict ? [] : findMemories(await listBlockers(memories), words);
      if (blocker && others.length === 0) {
        const resolve = (now: Memory): Memory => ({ ...now, status: "resolved" });
        const cause = { operation: "resolve", run: randomUUID().slice(0, 8) };
        return answerWritten(await memories.update(blocker.id, resolve, cause), "Resolved", cause.run);
      }
      const named = words === "" ? open : [requireConflict(open, words)];
      const [conflict] = named;
      if (choice !== undefined && conflict) {
        const refusal = await decideConflict(deciding, conflict, choice);
        if (refusal === undefined) return { text: `Decided: ${conflict.name}` };
        const left = `${cli.style.yellow("Open")}  ${conflict.name}: ${refusal}`;
        return { text: "", notes: [left], isProblem: true };
      }
      return {
        text: named.map(format).join("\n") || "No open conflicts.",
        data: { conflicts: named.map(describe) },
        isProblem: named.length > 0,
      };
    });
  },
);

const decideInput = z.object({
  name: text("must name a conflict"),
  keep: keep.describe("the version that holds"),
});

/** For the page, which shows both versions. */
export const decide = defineOperation(decideInput, async (core, { keep: kept, name }) => {
  const { files, folders, memories } = core;
  const log = await openConflictLog(requireProject(core));
  const deciding = { cli: { env: {}, files }, folders, memories, log };
  const conflict = requireConflict(await readOpen(deciding), name);
  const refusal = await decideConflict(deciding, conflict, kept);
  if (refusal !== undefined) throw new StrataError(REFUSED, refusal);
  const { inUse, record } = conflict;
  return { text: `Decided: ${record.title}`, data: { memory: inUse } };
});

async function listBlockers(memories: OpenMemories): Promise<Memory[]> {
  const all = await memories.list();
  return all.filter(({ status, type }) => type === "blocker" && status === "active");
}

/** Unsettled records, without those with a damaged file or a missing memory, and what the last dream has found. */
export async function readOpen({ cli, folders, log, memories }: Deciding): Promise<OpenConflict[]> {
  const all = await memories.list();
  const open: OpenConflict[] = [];
  const records = await log.listOpen(all);
  const state = await readDreamState(cli.files, folders.dreamState);
  const found = planConflicts(state, all, { folder: folders.memory, open: records });
  for (const record of [...records, ...found]) {
    const inUse = all.find(({ id }) => id === record.id);
    const other = all.find(({ id }) => id === record.otherID);
    const otherText = other?.content ?? readOtherVersion(await readPlainText(cli.files, record.path));
    if (!inUse || otherText === undefined) continue;
    open.push({ record, name: basename(record.path, ".md"), inUse, otherText, ...(other && { other }) });
  }
  return open;
}

function findConflicts(open: readonly OpenConflict[], words: string): OpenConflict[] {
  const wanted = words.trim().toLowerCase();
  return open.filter(
    ({ name, record: { id, otherID, title } }) =>
      [name, id, otherID].includes(wanted) || title.toLowerCase().includes(wanted),
  );
}

function requireConflict(open: readonly OpenConflict[], words: string): OpenConflict {
  const [only, ...others] = findConflicts(open, words);
  if (only && others.length === 0) return only;
  const what = only
    ? `${others.length + 1} conflicts match`
    : "no open conflict and not exactly one blocker matches";
  throw new StrataError("NO_CONFLICT", `${what} "${words}"; strata reconcile lists the conflicts`);
}

function describe({ inUse, name, otherText, record }: OpenConflict): object {
  const { found, id, otherBy, otherID, path, standingBy, title } = record;
  const that = { id: otherID, by: otherBy, text: otherText };
  return { name, title, found, path, this: { id, by: standingBy, text: inUse.content }, that };
}

function format({ inUse, name, otherText, record }: OpenConflict): string {
  const indent = (text: string): string => text.replaceAll(/^/gm, "        ");
  return [
    `${name}: two versions of "${record.title}"`,
    `  this  ${record.id}, in use`,
    indent(inUse.content),
    `  that  ${record.otherID ?? "not in use"}`,
    indent(otherText),
    `  strata reconcile ${name} --keep this, that or both; --edit to write what holds`,
  ].join("\n");
}

/** Returns why it could not be decided. The rejected version is superseded or stays in the record. */
async function decideConflict(
  { cli, log, memories }: Deciding,
  conflict: OpenConflict,
  choice: Choice,
): Promise<string | undefined> {
  const { inUse, other, record } = conflict;
  if (choice === "edited") {
    const path = await memories.locate(inUse.id);
    if (path === undefined) return `the file of ${inUse.id} is gone`;
    await openEditor(cli.env, path, (other && (await memories.locate(other.id))) ?? record.path);
    const now = (await memories.list()).find(({ id }) => id === inUse.id);
    if (now?.content === inUse.content && now.title === inUse.title) return "you changed nothing";
    // Saving a memory in the editor accepts it, as with strata memory edit.
    if (now?.isForeign) await memories.accept([now.id], "strata reconcile");
  }
  const written = await apply(memories, conflict, choice);
  if (written?.kind === "refused") return written.why;
  if (choice === "both" || !other) await log.settle(record);
  // Archives the record that the change has settled.
  await log.listOpen(await memories.list());
  return undefined;
}

async function apply(
  memories: OpenMemories,
  { inUse, other, otherText }: OpenConflict,
  choice: Choice,
): Promise<Written | undefined> {
  const cause = { operation: "reconcile", run: randomUUID().slice(0, 8), reason: `kept ${choice}` };
  const supersede = (gone: Memory, by: Memory): Promise<Written> =>
    memories.update(gone.id, (now) => ({ ...now, status: "superseded", supersededBy: by.id }), cause);
  // Memories that link to each other no longer count as a contradiction.
  const link = (from: Memory, to: Memory): Promise<Written> =>
    memories.update(from.id, (now) => ({ ...now, links: [...new Set([...now.links, to.id])] }), cause);
  const provenance = { by: "person" as const };
  if (choice === "this" || choice === "edited") return other && supersede(other, inUse);
  if (choice === "that")
    return other
      ? supersede(inUse, other)
      : memories.update(inUse.id, (now) => ({ ...now, content: otherText, provenance }), cause);
  if (other) {
    await link(inUse, other);
    await link(other, inUse);
    return undefined;
  }
  const { scope, sensitivity, title, type } = inUse;
  const draft = { type, title, scope, sensitivity, content: otherText, links: [inUse.id], provenance };
  const added = await memories.remember(draft, cause);
  if (added.kind !== "refused") await link(inUse, added.memory);
  return added;
}
