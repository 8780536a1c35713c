/** Finds possible memory files in a folder. Reads no file and follows no link. */
import { join } from "node:path";
import type { Files } from "../../io/files.js";
import { memoryTypes } from "../memory.js";
import { ARCHIVE, isMemoryFile } from "../path.js";

type Looking = Pick<Files, "list" | "statItself">;

const NOTHING = { names: [], links: [] };

/** Paths of possible memories, in the type folders and the archive, and of links that replace a folder. */
export async function listPaths(files: Looking, folder: string): Promise<string[]> {
  const { names: top, links } = await listFolder(files, folder, "");
  const { names: archived, links: more } = top.includes(ARCHIVE)
    ? await listFolder(files, folder, ARCHIVE)
    : NOTHING;
  const types = memoryTypes as readonly string[];
  const folders = [...top, ...archived.map((name) => `${ARCHIVE}/${name}`)];
  const paths = [...links, ...more];
  for (const under of folders.filter((one) => types.includes(one.replace(`${ARCHIVE}/`, "")))) {
    const listed = await listFolder(files, folder, under);
    paths.push(...listed.names.filter(isMemoryFile).map((name) => `${under}/${name}`), ...listed.links);
  }
  return paths;
}

async function listFolder(
  files: Looking,
  folder: string,
  under: string,
): Promise<{ names: string[]; links: string[] }> {
  const stat = await files.statItself(join(folder, under));
  if (stat?.kind === "link") return { names: [], links: [under] };
  return stat?.kind === "folder" ? { names: await files.list(join(folder, under)), links: [] } : NOTHING;
}

/** The first part of this path that is a link, starting with the folder itself. */
export async function findLink(files: Looking, folder: string, path: string): Promise<string | undefined> {
  const parts = path.split("/");
  for (let depth = 0; depth <= parts.length; depth++) {
    const part = join(folder, ...parts.slice(0, depth));
    if ((await files.statItself(part))?.kind === "link") return part;
  }
  return undefined;
}
