/** Opens files that a client names: only in the project, and no hidden ones. */
import { dirname, relative, resolve } from "node:path";
import { DAY_MS } from "../base/days.js";
import { countMemories } from "../base/format.js";
import { decodeStrictly } from "../io/files.js";
import type { Memory, MemoryType } from "../memory/memory.js";
import { readCollections } from "../operations/memory-files.js";
import { formatExport } from "../operations/transfer/json-export.js";
import { writeNew } from "../operations/write-new.js";
import { isWithin } from "../project/own-files.js";
import type { SharedContext } from "./shared-context.js";
import { refuse } from "./tool.js";

const MOST_BYTES = 4_000_000;

/** The path of a new file in an existing folder. @throws StrataError if a client may not write it */
export async function planFile(
  { project: { cli, root } }: SharedContext,
  given: string,
  endings: RegExp,
): Promise<string> {
  const path = locate(root, given, endings);
  const folder = await cli.files.realPath(dirname(path));
  if (folder === undefined)
    throw refuse(`${dirname(path)} does not exist; create it, or name another folder.`);
  await requireInside({ cli, root }, folder, given);
  return path;
}

/** Reads a file; `name` is its path from the project's root. @throws StrataError if a client may not read it */
export async function readFile(
  { project: { cli, root } }: SharedContext,
  given: string,
  endings: RegExp,
): Promise<{ name: string; text: string }> {
  const path = locate(root, given, endings);
  const real = await cli.files.realPath(path);
  if (real === undefined) throw refuse(`${given} does not exist in ${root}.`);
  await requireInside({ cli, root }, real, given);
  const stat = await cli.files.statItself(real);
  if (stat?.kind !== "file") throw refuse(`${given} is not a file.`);
  if (stat.bytes > MOST_BYTES)
    throw refuse(`${given} has ${stat.bytes} bytes, more than ${MOST_BYTES}; split it.`);
  const text = decodeStrictly((await cli.files.read(real, { links: "refused" })) ?? new Uint8Array());
  if (text === undefined || text.includes("\0")) throw refuse(`${given} is not UTF-8 text.`);
  return { name: relative(root, path).replaceAll("\\", "/"), text };
}

function locate(root: string, given: string, endings: RegExp): string {
  const path = resolve(root, given);
  const inside = relative(root, path).replaceAll("\\", "/");
  if (given.includes("\0") || path === root || !isWithin(path, root))
    throw refuse(`${JSON.stringify(given)} is not a file in ${root}; name a file of the project.`);
  if (inside.split("/").some((part) => part.startsWith(".")))
    throw refuse(`${given} is hidden; this tool does not use hidden files or folders.`);
  if (!endings.test(inside)) throw refuse(`${given} does not match ${endings.source}.`);
  return path;
}

/** A link may lead anywhere, for example into `.git`. */
async function requireInside(
  { cli, root }: Pick<SharedContext["project"], "cli" | "root">,
  real: string,
  given: string,
): Promise<void> {
  const within = (await cli.files.realPath(root)) ?? root;
  const parts = relative(within, real).split(/[\\/]/);
  if (!isWithin(real, within) || parts.some((part) => part.startsWith(".")))
    throw refuse(`${given} links out of the project, or to a hidden file: ${real}; name the file itself.`);
}

export interface ExportWanted {
  types: readonly MemoryType[] | undefined;
  sinceDays: number | undefined;
  /** Default: the memories of the project. */
  scope: Memory["scope"] | undefined;
  /** Path of the file; without it, the answer contains the memories. */
  target: string | undefined;
}

/** Limit of an answer, to protect the client's context. */
const MOST_CHARACTERS = 100_000;

/** Returns the lines, or a report of the file written. @throws StrataError if the file exists or the answer is too long */
export async function exportMemories(
  { allowsPrivate, project }: SharedContext,
  { scope = "project", sinceDays, target, types }: ExportWanted,
): Promise<string> {
  const { cli } = project;
  const sinceMs = sinceDays === undefined ? undefined : cli.clock.now() - sinceDays * DAY_MS;
  const collections = (await readCollections(project)).filter(
    ({ place }) => place.scope === scope && (allowsPrivate || place.sensitivity === "internal"),
  );
  const { lines, problems } = formatExport(collections, {
    isWanted: ({ type, updated }) =>
      (types === undefined || types.includes(type)) &&
      (sinceMs === undefined || Date.parse(updated) >= sinceMs),
  });
  const left = problems.length > 0 ? ` Left out ${problems.length} files: ${problems[0]}` : "";
  const text = lines.map((line) => `${line}\n`).join("");
  if (target !== undefined)
    return `Exported: ${countMemories(lines.length)} to ${await writeNew(cli, target, text, false)}.${left}`;
  if (text.length > MOST_CHARACTERS)
    throw refuse(
      `${countMemories(lines.length)} do not fit in an answer; give output_path, categories or since_days.`,
    );
  return text === "" ? `Nothing to export.${left}` : text.trimEnd();
}
