/**
 * Where the folders that Strata writes to really are. A repository may contain a link in place of any of them, and an
 * agent or a pull may create one at any time: the target does not belong to Strata.
 *
 * Own paths are those below `.opencode/tool-results`, `session-memory`, `memory` or `strata` of a project. Their real
 * path must be the same. Two links are allowed: `.opencode` as a link to elsewhere in its project, and a link to a
 * folder that the user's own configuration lists.
 */
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Files } from "../io/files.js";
import type { Folders } from "./folders.js";

/** A path of Strata, split into its parts. */
export interface OwnPlace {
  project: string;
  /** Its `.opencode` folder. */
  top: string;
}

export interface WayOut {
  /** The link, or the folder on whose path it was found. */
  folder: string;
  /** Its target, if it exists. */
  to: string | undefined;
}

type Looking = Pick<Files, "realPath" | "statItself">;

const PARTS = "tool-results|session-memory|memory|strata";
const OWN = new RegExp(`^(.*?)[\\\\/]\\.opencode[\\\\/](?:${PARTS})(?=[\\\\/]|$)`, "s");
const OWN_FOLDER = new RegExp(`^(.*?)[\\\\/]\\.opencode(?:$|[\\\\/](?:${PARTS})(?=[\\\\/]|$))`, "s");

/** Splits a path of Strata; `undefined` for any other path. */
export const findOwnPlace = (path: string): OwnPlace | undefined => takeApart(OWN, path);

/** The same for a folder; `.opencode` itself counts. */
export const findOwnFolder = (folder: string): OwnPlace | undefined => takeApart(OWN_FOLDER, folder);

function takeApart(pattern: RegExp, path: string): OwnPlace | undefined {
  const [, project] = pattern.exec(resolve(path)) ?? [];
  return project === undefined
    ? undefined
    : { project: project || sep, top: join(project || sep, ".opencode") };
}

/**
 * Finds the link by which this folder, or the place where it would be created, leads out of the project. `listLinked`
 * is only called if there is a link. Throws the system's error if a path cannot be resolved.
 */
export async function findWayOut(
  files: Looking,
  folder: string,
  listLinked: () => Promise<readonly string[]>,
): Promise<WayOut | undefined> {
  const own = findOwnFolder(folder);
  if (!own) return undefined;
  const real = await unlessLoop(() => files.realPath(folder));
  if (real === undefined) {
    const stat = await unlessLoop(() => files.statItself(folder));
    if (stat?.kind === "link") return { folder, to: undefined };
    // It was created a moment ago.
    if (stat) return findWayOut(files, folder, listLinked);
    return resolve(folder) === own.top ? undefined : findWayOut(files, dirname(folder), listLinked);
  }
  // No link at all: the usual case, checked before every write.
  if (real === resolve(folder)) return undefined;
  const project = (await files.realPath(own.project)) ?? own.project;
  if (real === join(project, relative(own.project, folder))) return undefined;
  const top = await files.realPath(own.top);
  const isInPlace = top !== undefined && real === join(top, relative(own.top, folder));
  if (isInPlace && isWithin(top, project) && !isWithin(top, join(project, ".git"))) return undefined;
  if (await isListed(files, real, listLinked)) return undefined;
  return { folder: await findFirstLink(files, folder, own), to: real };
}

async function isListed(
  files: Looking,
  real: string,
  listLinked: () => Promise<readonly string[]>,
): Promise<boolean> {
  for (const place of await listLinked())
    if (isWithin(real, (await unlessLoop(() => files.realPath(place))) ?? place)) return true;
  return false;
}

/** The folder to name in messages. */
async function findFirstLink(files: Looking, folder: string, { project }: OwnPlace): Promise<string> {
  const parts = relative(project, folder).split(sep);
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(project, ...parts.slice(0, depth));
    if ((await files.statItself(part))?.kind === "link") return part;
  }
  return folder;
}

/** `undefined` for a cycle of links. */
async function unlessLoop<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "ELOOP") return undefined;
    throw thrown;
  }
}

/** Is `path` this folder or below it? */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** What does not work if a folder leads out of the project. */
const WITHOUT: Readonly<Record<string, string>> = {
  "tool-results": "tool results stay in the context",
  "session-memory": "no session notes are kept",
  memory: "no memory is stored or read",
  private: "no private memory is stored or read",
  strata: "there is no log and no savings ledger, and decisions are lost at a restart",
  ".opencode": "Strata stores nothing in this project",
};

/** The problem with its consequence, and what to do. */
export function describeWayOut({ folder, to }: WayOut): { what: string; todo: string } {
  const leads = to === undefined ? "leads to nothing" : `leads to ${to}`;
  const without = WITHOUT[basename(folder)] ?? "its files are not written";
  const place = to ?? "the folder it leads to";
  return {
    what: `it is a link that ${leads}, so nothing is read or written there: ${without}`,
    todo: `replace it by a folder, or add ${place} to linkedFolders in your global configuration`,
  };
}

/** The same in one line. */
export function formatWayOut(way: WayOut): string {
  const { todo, what } = describeWayOut(way);
  return `${way.folder}: ${what}; ${todo}`;
}

/** Every link by which a folder of the project leads out, once each. */
export async function findWaysOut(
  files: Looking,
  { memory, sessionMemory, strata, toolResults }: Folders,
  linkedFolders: readonly string[],
): Promise<WayOut[]> {
  const found = new Map<string, WayOut>();
  const parts = [
    ...[toolResults, sessionMemory, strata, join(strata, "savings")],
    ...["", "decisions", "background", "breakers", "instances", "edits", "mail", "calls", "extraction"].map(
      (name) => join(strata, "state", name),
    ),
    join(strata, "state", "memory"),
    ...["", "private", "archive", "ledger", "conflicts"].map((name) => join(memory, name)),
  ];
  for (const folder of parts) {
    const out = await findWayOut(files, folder, async () => linkedFolders);
    if (out) found.set(out.folder, out);
  }
  return [...found.values()];
}
