/**
 * `Files` that never follows a link out of the project on Strata's own paths: those below `.opencode/tool-results`,
 * `session-memory`, `memory` and `strata`. A repository may contain a link in place of any of them, and an agent or a pull
 * may create one at any time: the target does not belong to Strata.
 *
 *     a parent folder leads out   reads find nothing, writes throw EELSEWHERE
 *     the path itself is a link   reads find nothing, a write replaces the link by a file
 *
 * Two links are allowed: `.opencode` as a link to elsewhere in its project, and a link to a folder that the user's own
 * configuration lists. What is found is reported once. Other paths, such as the project's files and its configuration,
 * follow links as usual.
 */
import { randomUUID } from "node:crypto";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { FileStat, Files, ReadOptions } from "../io/files.js";
import type { Folders } from "./folders.js";

interface OwnFilesOptions {
  files: Files;
  clock: Clock;
  /** Folders to which the user's links may lead; called only if there is a link. */
  listLinked(this: void): Promise<readonly string[]>;
  report(this: void, message: string): void;
}

export function createOwnFiles(options: OwnFilesOptions): Files {
  const { files } = options;
  const { leadsOut, refuse, reportLink } = createLinkCheck(options);

  return {
    read: (path, given) => readOwn(path, given, (asked) => files.read(path, asked)),
    readFrom: (path, offset, given) => readOwn(path, given, (asked) => files.readFrom(path, offset, asked)),

    async stat(path) {
      if (!findOwnTop(path)) return files.stat(path);
      const stat = await statOwn(path);
      if (stat?.kind === "link") reportLink(path);
      return stat?.kind === "link" ? undefined : stat;
    },

    statItself: async (path) => (findOwnTop(path) ? statOwn(path) : files.statItself(path)),
    realPath: (path) => files.realPath(path),
    list: async (folder) => ((await leadsOut(folder)) ? [] : files.list(folder)),

    async writeWhole(path, contents, given) {
      await refuse(dirname(path));
      await files.writeWhole(path, contents, given);
    },

    async create(path, contents) {
      await refuse(dirname(path));
      if (await files.create(path, contents)) return true;
      return (await clearLink(files, path, reportLink)) && files.create(path, contents);
    },

    async appendLine(path, line) {
      await refuse(dirname(path));
      try {
        await files.appendLine(path, line);
      } catch (thrown) {
        if (!isLoop(thrown) || !(await clearLink(files, path, reportLink))) throw thrown;
        await files.appendLine(path, line);
      }
    },

    async rename(from, to) {
      if (await leadsOut(dirname(from))) return;
      await refuse(dirname(to));
      await files.rename(from, to);
    },

    async touch(path, timeMs) {
      if (!(await leadsOut(dirname(path)))) await files.touch(path, timeMs);
    },

    async remove(path) {
      if (!(await leadsOut(dirname(path)))) await files.remove(path);
    },
  };

  async function readOwn(
    path: string,
    given: ReadOptions | undefined,
    read: (asked: ReadOptions | undefined) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> {
    if (!findOwnTop(path)) return read(given);
    if (await leadsOut(dirname(path))) return undefined;
    const found = await unlessLoop(() => read({ ...given, links: "refused" }));
    if (found === "loop") reportLink(path);
    return found === "loop" ? undefined : found;
  }

  /** A folder that the user linked on purpose counts as a folder. */
  async function statOwn(path: string): Promise<FileStat | undefined> {
    const stat = await files.statItself(path);
    // What is not there needs no further look, and some files are asked about with every request.
    if (!stat || (await leadsOut(dirname(path)))) return undefined;
    if (stat.kind !== "link") return stat;
    const top = findOwnTop(path);
    const mayBeLinked = dirname(path) === top || dirname(dirname(path)) === top;
    return !mayBeLinked || (await leadsOut(path)) ? stat : files.stat(path);
  }
}

/**
 * Removes a link from the path of a Strata file. If another process has replaced the link by a file meanwhile, that
 * file is put back: only links are removed.
 */
async function clearLink(files: Files, path: string, reportLink: (path: string) => void): Promise<boolean> {
  if (!findOwnTop(path) || (await files.statItself(path))?.kind !== "link") return false;
  reportLink(path);
  const aside = `${path}.${randomUUID()}`;
  await files.rename(path, aside);
  if ((await files.statItself(aside))?.kind === "file") {
    const contents = await files.read(aside);
    if (contents) await files.create(path, contents);
  }
  await files.remove(aside);
  return true;
}

/** Writes in quick succession check once. A link created meanwhile is seen at the next check. */
const CHECK_LASTS_MS = 100;
/** Tells which of Strata's folders lead out of the project, and reports each link once. */
function createLinkCheck({ clock, files, listLinked, report }: OwnFilesOptions) {
  const checks = new Map<string, { atMs: number; found: Promise<Escape | undefined> }>();
  const reported = new Set<string>();

  return {
    /** Throws the system's error if the folder cannot be read. */
    leadsOut: async (folder: string): Promise<boolean> => (await check(folder)) !== undefined,

    /** @throws EELSEWHERE if the folder leads out. */
    async refuse(folder: string): Promise<void> {
      const out = await check(folder);
      if (out) throw new StrataError("EELSEWHERE", formatEscape(out));
    },

    reportLink(path: string): void {
      const what =
        "is a link, expected a file of Strata: it is not read, and the next write replaces it by a file";
      reportOnce(path, `${path} ${what}`);
    },
  };

  async function check(folder: string): Promise<Escape | undefined> {
    if (!findOwnFolder(folder)) return undefined;
    const nowMs = clock.now();
    const known = checks.get(folder);
    if (known && Math.abs(nowMs - known.atMs) < CHECK_LASTS_MS) return known.found;
    const found = findEscape(files, folder, listLinked);
    checks.set(folder, { atMs: nowMs, found });
    try {
      const out = await found;
      if (out) reportOnce(out.folder, formatEscape(out));
      return out;
    } catch (thrown) {
      checks.delete(folder);
      throw thrown;
    }
  }

  function reportOnce(path: string, message: string): void {
    if (reported.has(path)) return;
    reported.add(path);
    report(message);
  }
}

/** A link by which a folder of Strata leads out of its project. */
export interface Escape {
  /** The link, or the folder on whose path it was found. */
  folder: string;
  /** Its target, if it exists. */
  to: string | undefined;
}

type Looking = Pick<Files, "realPath" | "statItself">;

const PARTS = "tool-results|session-memory|memory|strata";
const OWN = new RegExp(`^(.*?)[\\\\/]\\.opencode[\\\\/](?:${PARTS})(?=[\\\\/]|$)`, "s");
const OWN_FOLDER = new RegExp(`^(.*?)[\\\\/]\\.opencode(?:$|[\\\\/](?:${PARTS})(?=[\\\\/]|$))`, "s");

/** The `.opencode` folder of a path of Strata; `undefined` for any other path. */
const findOwnTop = (path: string): string | undefined => takeTop(OWN, path);

/** The same for a folder; `.opencode` itself counts. */
const findOwnFolder = (folder: string): string | undefined => takeTop(OWN_FOLDER, folder);

function takeTop(pattern: RegExp, path: string): string | undefined {
  const [, project] = pattern.exec(resolve(path)) ?? [];
  return project === undefined ? undefined : join(project || sep, ".opencode");
}

/**
 * Finds the link by which this folder, or the place where it would be created, leads out of the project. `listLinked`
 * is only called if there is a link. Throws the system's error if a path cannot be resolved.
 */
async function findEscape(
  files: Looking,
  folder: string,
  listLinked: () => Promise<readonly string[]>,
): Promise<Escape | undefined> {
  const ownTop = findOwnFolder(folder);
  if (ownTop === undefined) return undefined;
  const real = await resolveLinks(files, folder);
  if (real === undefined) {
    const stat = await unlessLoop(() => files.statItself(folder));
    if (stat === "loop" || stat?.kind === "link") return { folder, to: undefined };
    // It was created a moment ago.
    if (stat) return findEscape(files, folder, listLinked);
    return resolve(folder) === ownTop ? undefined : findEscape(files, dirname(folder), listLinked);
  }
  // No link at all: the usual case, checked before every write.
  if (real === resolve(folder)) return undefined;
  const ownProject = dirname(ownTop);
  const project = (await files.realPath(ownProject)) ?? ownProject;
  if (real === join(project, relative(ownProject, folder))) return undefined;
  const top = await files.realPath(ownTop);
  const isInPlace = top !== undefined && real === join(top, relative(ownTop, folder));
  if (isInPlace && isWithin(top, project) && !isWithin(top, join(project, ".git"))) return undefined;
  for (const place of await listLinked())
    if (isWithin(real, (await resolveLinks(files, place)) ?? place)) return undefined;
  return { folder: await findFirstLink(files, folder, ownProject), to: real };
}

/** The folder to name in messages. */
async function findFirstLink(files: Looking, folder: string, project: string): Promise<string> {
  const parts = relative(project, folder).split(sep);
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = join(project, ...parts.slice(0, depth));
    if ((await files.statItself(part))?.kind === "link") return part;
  }
  return folder;
}

/** `undefined` for what is not there, and for a cycle of links. */
async function resolveLinks(files: Looking, path: string): Promise<string | undefined> {
  const real = await unlessLoop(() => files.realPath(path));
  return real === "loop" ? undefined : real;
}

async function unlessLoop<T>(action: () => Promise<T>): Promise<T | "loop"> {
  try {
    return await action();
  } catch (thrown) {
    if (isLoop(thrown)) return "loop";
    throw thrown;
  }
}

const isLoop = (thrown: unknown): boolean => (thrown as { code?: unknown }).code === "ELOOP";

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
export function describeEscape({ folder, to }: Escape): { what: string; todo: string } {
  const leads = to === undefined ? "leads to nothing" : `leads to ${to}`;
  const without = WITHOUT[basename(folder)] ?? "its files are not written";
  return {
    what: `it is a link that ${leads}, so nothing is read or written there: ${without}`,
    todo: `replace it by a folder, or add ${to ?? "the folder it leads to"} to linkedFolders in your global configuration`,
  };
}

function formatEscape(out: Escape): string {
  const { todo, what } = describeEscape(out);
  return `${out.folder}: ${what}; ${todo}`;
}

/** Every link by which a folder of the project leads out, once each. */
export async function findEscapes(
  files: Looking,
  folders: Folders,
  linkedFolders: readonly string[],
): Promise<Escape[]> {
  const found = new Map<string, Escape>();
  const own = Object.values(folders).map((path) => (extname(path) === "" ? path : dirname(path)));
  const below = ["private", "archive", "ledger", "conflicts"].map((name) => join(folders.memory, name));
  for (const folder of new Set([...own, ...below])) {
    const out = await findEscape(files, folder, async () => linkedFolders);
    if (out) found.set(out.folder, out);
  }
  return [...found.values()];
}
