/** `strata reconcile`: lists conflicts between two versions of a memory, decides one, and resolves a blocker. */
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { StrataError } from "../base/error.js";
import { decodeText } from "../io/files.js";
import { readOtherVersion } from "../memory/conflict.js";
import type { Memory } from "../memory/memory.js";
import { findMemories } from "../memory/search/find.js";
import type { ConflictLog, ConflictRecord } from "../memory/store/conflict-log.js";
import { readWithin } from "../memory/store/scan.js";
import type { OpenMemories, Written } from "../memory/store/store.js";
import { type CliContext, exitCodes, type Run, WRONG_ARGUMENT } from "./command.js";
import { openEditor } from "./edit.js";
import { withMemories } from "./open-memories.js";
import { answerWritten } from "./operation.js";
import { openProject } from "./project.js";
import { openConflictLog } from "./record-rivals.js";

export const choices = ["this", "that", "both"] as const;
export type Choice = (typeof choices)[number] | "edited";

/** A record with the current texts of both versions. */
export interface OpenConflict {
  record: ConflictRecord;
  /** The record's name on the command line. */
  name: string;
  standing: Memory;
  /** Absent if the other version exists only in the record. */
  other?: Memory;
  otherText: string;
}

export interface Deciding {
  cli: Pick<CliContext, "env" | "files">;
  memories: OpenMemories;
  log: ConflictLog;
}

export const run: Run = async (cli, { edit, json, keep }, args) => {
  const choice = readChoice(keep, edit === true);
  const words = args.join(" ");
  if (choice !== undefined && words === "")
    throw new StrataError(WRONG_ARGUMENT, "name the conflict to decide; strata reconcile lists them");
  const project = await openProject(cli);
  return withMemories(project, async (memories) => {
    const log = await openConflictLog(project);
    const deciding = { cli, memories, log };
    const open = await readOpen(deciding);
    const blocker = choice === undefined && !json && (await findBlocker(memories, open, words));
    if (blocker) {
      const resolve = (now: Memory): Memory => ({ ...now, status: "resolved" });
      const cause = { operation: "resolve", run: randomUUID().slice(0, 8) };
      cli.say(answerWritten(await memories.update(blocker.id, resolve, cause), "Resolved", cause.run).text);
      return exitCodes.fine;
    }
    const named = words === "" ? open : [requireConflict(open, words)];
    const [conflict] = named;
    if (choice !== undefined && conflict) {
      const refusal = await decide(deciding, conflict, choice);
      // Archives the settled record.
      await log.listOpen(await memories.list());
      if (refusal !== undefined) cli.warn(`${cli.style.yellow("Open")}  ${conflict.name}: ${refusal}`);
      else cli.say(`Decided: ${conflict.name}`);
      return refusal === undefined ? exitCodes.fine : exitCodes.problems;
    }
    if (json) cli.say(JSON.stringify({ conflicts: named.map(describe) }, null, 2));
    else cli.say(named.map(format).join("\n") || "No open conflicts.");
    return named.length === 0 || json ? exitCodes.fine : exitCodes.problems;
  });
};

function readChoice(keep: unknown, isEdit: boolean): Choice | undefined {
  if (isEdit && keep !== undefined) throw new StrataError(WRONG_ARGUMENT, "use --keep or --edit, not both");
  if (isEdit) return "edited";
  if (keep === undefined) return undefined;
  const choice = choices.find((one) => one === keep);
  if (choice) return choice;
  throw new StrataError(WRONG_ARGUMENT, `--keep must be one of ${choices.join(", ")}, not "${keep}"`);
}

/** Unsettled records, without those with a damaged file or a missing memory. */
export async function readOpen({ cli, log, memories }: Deciding): Promise<OpenConflict[]> {
  const all = await memories.list();
  const open = await log.listOpen(all);
  const read = open.map(async (record): Promise<OpenConflict[]> => {
    const standing = all.find(({ id }) => id === record.id);
    const other = all.find(({ id }) => id === record.otherID);
    const folder = record.path.slice(0, -basename(record.path).length - 1);
    const bytes = await readWithin(cli.files, folder, basename(record.path));
    const otherText = other?.content ?? (bytes && readOtherVersion(decodeText(bytes)));
    if (!standing || otherText === undefined) return [];
    const name = basename(record.path, ".md");
    return [{ record, name, standing, otherText, ...(other && { other }) }];
  });
  return (await Promise.all(read)).flat();
}

/** The one open blocker that these words mean, unless they mean a conflict. */
async function findBlocker(
  memories: OpenMemories,
  open: readonly OpenConflict[],
  words: string,
): Promise<Memory | undefined> {
  if (words === "" || findConflicts(open, words).length > 0) return undefined;
  const all = await memories.list();
  const blockers = all.filter(({ status, type }) => type === "blocker" && status === "active");
  const [only, ...more] = findMemories(blockers, words);
  return more.length === 0 ? only : undefined;
}

function findConflicts(open: readonly OpenConflict[], words: string): OpenConflict[] {
  const wanted = words.trim().toLowerCase();
  return open.filter(
    ({ name, record }) =>
      name === wanted ||
      record.id === wanted ||
      record.otherID === wanted ||
      record.title.toLowerCase().includes(wanted),
  );
}

/** @throws StrataError NO_CONFLICT */
export function requireConflict(open: readonly OpenConflict[], words: string): OpenConflict {
  const found = findConflicts(open, words);
  const [only] = found;
  if (only && found.length === 1) return only;
  const what =
    found.length === 0
      ? "no open conflict and not exactly one blocker matches"
      : `${found.length} conflicts match`;
  throw new StrataError("NO_CONFLICT", `${what} "${words}"; strata reconcile lists the conflicts`);
}

function describe({ name, otherText, record, standing }: OpenConflict): object {
  const { found, id, otherBy, otherID, path, standingBy, title } = record;
  return {
    name,
    title,
    found,
    path,
    this: { id, by: standingBy, text: standing.content },
    that: { id: otherID, by: otherBy, text: otherText },
  };
}

function format({ name, otherText, record, standing }: OpenConflict): string {
  const { id, otherID = "not in use" } = record;
  return [
    `${name}: two versions of "${record.title}"`,
    `  this  ${id}, in use`,
    ...indent(standing.content),
    `  that  ${otherID}`,
    ...indent(otherText),
    `  strata reconcile ${name} --keep this, that or both; --edit to write what holds`,
  ].join("\n");
}

const indent = (text: string): string[] => text.split("\n").map((line) => `        ${line}`);

/** Returns why it could not be decided. The rejected version is superseded or stays in the record. */
export async function decide(
  deciding: Deciding,
  conflict: OpenConflict,
  choice: Choice,
): Promise<string | undefined> {
  const { cli, log, memories } = deciding;
  const { other, record, standing } = conflict;
  const cause = { operation: "reconcile", run: randomUUID().slice(0, 8), reason: `kept ${choice}` };
  if (choice === "edited") {
    const path = await memories.locate(standing.id);
    if (path === undefined) return `the file of ${standing.id} is gone`;
    const otherPath = (other && (await memories.locate(other.id))) ?? record.path;
    await openEditor(cli.env, path, otherPath);
    const now = (await memories.list()).find(({ id }) => id === standing.id);
    if (now?.content === standing.content && now.title === standing.title) return "you changed nothing";
    // Saving a memory in the editor accepts it, as with strata memory edit.
    if (now?.isForeign) await memories.accept([now.id], "strata reconcile");
  }
  const written = await apply(conflict, choice, { memories, cause });
  if (written?.kind === "refused") return written.why;
  if (choice === "both" || !other) await log.settle(record);
  return undefined;
}

/** Makes the change required by the choice, if any. */
async function apply(
  { other, otherText, standing }: OpenConflict,
  choice: Choice,
  { cause, memories }: { cause: { operation: string; run: string; reason: string }; memories: OpenMemories },
): Promise<Written | undefined> {
  const supersede = (gone: Memory, by: Memory): Promise<Written> =>
    memories.update(gone.id, (now) => ({ ...now, status: "superseded", supersededBy: by.id }), cause);
  if (choice === "this" || choice === "edited") return other && supersede(other, standing);
  if (choice === "that") {
    if (other) return supersede(standing, other);
    const provenance = { by: "person" as const };
    return memories.update(standing.id, (now) => ({ ...now, content: otherText, provenance }), cause);
  }
  if (!other) {
    const { scope, sensitivity, title, type } = standing;
    const draft = { type, title, scope, sensitivity, content: otherText, links: [standing.id] };
    const added = await memories.remember({ ...draft, provenance: { by: "person" } }, cause);
    if (added.kind !== "refused") await link(standing, added.memory);
    return added;
  }
  await link(standing, other);
  await link(other, standing);
  return undefined;

  /**
   * Memories that link to each other no longer count as a contradiction. A memory visible to git may not name one that it
   * ignores: then the store refuses the link, and the two are of different kinds anyway.
   */
  function link(from: Memory, to: Memory): Promise<Written> {
    return memories.update(
      from.id,
      (now) => (now.links.includes(to.id) ? undefined : { ...now, links: [...now.links, to.id] }),
      cause,
    );
  }
}
