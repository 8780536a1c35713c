/** Checks each file in its own repository: repositories may be nested, and a file may be in none. */
import { dirname } from "node:path";
import { hashOf } from "../hash.js";
import type { Files } from "../seams/files.js";
import type { Git } from "../seams/git.js";
import { type Content, findBrought } from "./brought.js";
import { findGitFolder, type GitFolder, pathInTree } from "./git-folder.js";
import type { FoundFile } from "./verdict.js";

export interface BroughtFilesOptions {
  files: Pick<Files, "read" | "realPath" | "statItself">;
  git: Git | undefined;
  readOwnCommits(folder: GitFolder): Promise<ReadonlySet<string>>;
}

/** Paths of files that were brought, or for which that is unknown. Rejects with the system's error. */
export async function findBroughtFiles(
  given: readonly FoundFile[],
  { files, git, readOwnCommits }: BroughtFilesOptions,
): Promise<ReadonlySet<string>> {
  const brought = new Set<string>();
  const places = new Map<string, { folder: GitFolder; contents: (Content & { file: string })[] }>();
  for (const { hash, modifiedMs, path } of given) {
    const contents = await files.read(path);
    const isAsFound = contents !== undefined && hashOf(contents) === hash;
    const root = (await files.realPath(dirname(path))) ?? dirname(path);
    // A file that has changed since cannot be checked any more.
    const folder = isAsFound ? await findGitFolder(files, root) : "unknown";
    if (folder === "none") continue;
    const inTree = typeof folder === "string" ? undefined : pathInTree(folder.top, path);
    if (typeof folder === "string" || inTree === undefined || !contents) {
      brought.add(path);
      continue;
    }
    const place = places.get(folder.top) ?? { folder, contents: [] };
    places.set(folder.top, place);
    place.contents.push({ file: path, path: inTree, contents, modifiedMs });
  }
  for (const { contents, folder } of places.values()) {
    const options = { files, readOwnCommits: () => readOwnCommits(folder) };
    const found = git && (await findBrought({ ...options, git }, folder, contents));
    for (const { file, path } of contents) if (!found || found.has(path)) brought.add(file);
  }
  return brought;
}
