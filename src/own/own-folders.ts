/**
 * Where the folders that we write to really are. A repository may contain a link in place of any of them, and an
 * agent or a pull may put one there while we run: its target is not ours.
 *
 * Ours is a path below `.opencode/tool-results`, `session-memory`, `memory` or `strata` of some project. Its folder has
 * to lie where it says it does. Two links are no way out: that of `.opencode` to elsewhere in its project, and one to a
 * place which the user's own configuration lists.
 */
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Folders } from "../folders.js";
import type { Files } from "../seams/files.js";

/** One of our paths, split into its parts. */
export interface OwnPlace {
  project: string;
  /** The `.opencode` in it. */
  top: string;
}

export interface WayOut {
  /** The link, or the folder through which it was found. */
  folder: string;
  /** Its target, if it exists. */
  to: string | undefined;
}

type Looking = Pick<Files, "realPath" | "statItself">;

const PARTS = "tool-results|session-memory|memory|strata";
const OWN = new RegExp(`^(.*?)[\\\\/]\\.opencode[\\\\/](?:${PARTS})(?=[\\\\/]|$)`, "s");
const OWN_FOLDER = new RegExp(`^(.*?)[\\\\/]\\.opencode(?:$|[\\\\/](?:${PARTS})(?=[\\\\/]|$))`, "s");

/** The project of one of our paths; `undefined` for any other path. */
export const findOwnPlace = (path: string): OwnPlace | undefined => takeApart(OWN, path);

/** The same for a folder, of which `.opencode` itself is one. */
export const findOwnFolder = (folder: string): OwnPlace | undefined => takeApart(OWN_FOLDER, folder);

function takeApart(pattern: RegExp, path: string): OwnPlace | undefined {
  const [, project] = pattern.exec(resolve(path)) ?? [];
  return project === undefined
    ? undefined
    : { project: project || sep, top: join(project || sep, ".opencode") };
}

/**
 * Whether this folder, or the place where it would be created, leads out of the project. `listLinked` is only called if there is a link.
 * Throws the system's error where that cannot be told.
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
    // It has come into being this moment.
    if (stat) return findWayOut(files, folder, listLinked);
    return resolve(folder) === own.top ? undefined : findWayOut(files, dirname(folder), listLinked);
  }
  // No link on all of the way: the usual case, and asked before every write.
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

/** For people: the folder that they can look at. */
async function findFirstLink(files: Looking, folder: string, { project }: OwnPlace): Promise<string> {
  const parts = relative(project, folder).split(sep);
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(project, ...parts.slice(0, depth));
    if ((await files.statItself(part))?.kind === "link") return part;
  }
  return folder;
}

/** A link that leads round in a circle leads nowhere. */
async function unlessLoop<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "ELOOP") return undefined;
    throw thrown;
  }
}

/** Is it this folder, or below it? */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** What does not work where a folder leads out. */
const WITHOUT: Readonly<Record<string, string>> = {
  "tool-results": "tool results stay in the context",
  "session-memory": "no notes are kept on sessions",
  memory: "nothing is remembered and no memory is read",
  private: "no private memory is kept or read",
  strata: "there are no log, no savings ledger and no decisions that outlast a restart",
  ".opencode": "Strata keeps nothing in this project",
};

/** What is wrong and what that means, and what a person can do. */
export function describeWayOut({ folder, to }: WayOut): { what: string; todo: string } {
  const leads = to === undefined ? "leads to nothing" : `leads to ${to}`;
  const without = WITHOUT[basename(folder)] ?? "what belongs there is left out";
  const place = to ?? "the folder it leads to";
  return {
    what: `it is a link that ${leads}, so nothing is read or written there: ${without}`,
    todo: `put a folder in its place, or list ${place} in linkedFolders of your own global configuration`,
  };
}

/** The same in one line. */
export function formatWayOut(way: WayOut): string {
  const { todo, what } = describeWayOut(way);
  return `${way.folder}: ${what}; ${todo}`;
}

/** Every folder of a project that leads out, each link once. */
export async function findWaysOut(
  files: Looking,
  { memory, sessionMemory, strata, toolResults }: Folders,
  linkedFolders: readonly string[],
): Promise<WayOut[]> {
  const found = new Map<string, WayOut>();
  const parts = [
    ...[toolResults, sessionMemory, strata, join(strata, "savings"), join(strata, "dream")],
    ...["", "decisions", "background", "breakers", "instances", "edits", "mail", "pulse", "extraction"].map(
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
