/** The folders of memories, and their preparation for a first file. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { StrataError } from "../../base/error.js";
import { type Files, readText } from "../../io/files.js";
import { type Folders, hideFromGit, hidesAll, TORN_RULE } from "../../project/folders.js";
import type { Place } from "../memory.js";

/** One of the four memory folders. */
export interface CollectionPlace extends Pick<Place, "scope" | "sensitivity"> {
  folder: string;
  /** Folder of its machine state. */
  state: string;
  /** Called before every change. */
  prepare(): Promise<void>;
  /** Does the host's undo reach its files? */
  isUndone: boolean;
  /** The clone's name, shared by all instances in this copy of the project. */
  nameClone(): Promise<string>;
}

/** `globalFolder`: the user's folder for memories of all projects. */
export function planPlaces({
  files,
  folders,
  globalFolder,
}: {
  files: Files;
  folders: Folders;
  globalFolder: string;
}): CollectionPlace[] {
  const isOwn = folders.memoryProject === folders.project;
  const roots = [
    { scope: "project", memory: folders.memory, strata: join(folders.memoryProject, ".opencode", "strata") },
    { scope: "global", memory: join(globalFolder, "memory"), strata: join(globalFolder, "strata") },
  ] as const;
  return roots.flatMap(({ memory, scope, strata }) =>
    (["internal", "private"] as const).map((sensitivity): CollectionPlace => {
      const isHidden = sensitivity === "private";
      const folder = isHidden ? join(memory, "private") : memory;
      const state = join(strata, "state", "memory");
      return {
        ...{ scope, sensitivity, folder, state: join(state, sensitivity) },
        isUndone: isOwn && scope === "project" && !isHidden,
        nameClone: () => readClone(files, join(state, "clone")),
        async prepare() {
          await hideFromGit(files, strata);
          await (isHidden ? prepareHidden(files, folder) : prepareInternal(files, folder));
        },
      };
    }),
  );
}

/**
 * Git ignores the index, which every machine generates, and half-written files, and merges ledgers by keeping the lines
 * of both sides.
 */
async function prepareInternal(files: Files, folder: string): Promise<void> {
  await hideFromGit(files, folder, ["MEMORY.md", TORN_RULE]);
  const path = join(folder, ".gitattributes");
  const rules = ["ledger/*.jsonl", "DREAMS.md", ".gitignore"].map((one) => `${one} merge=union\n`);
  if (!(await files.statItself(path))) await files.create(path, rules.join(""));
}

/** Ensures that git ignores the whole folder before anything is written to it. */
async function prepareHidden(files: Files, folder: string): Promise<void> {
  const path = join(folder, ".gitignore");
  await hideFromGit(files, folder);
  if (hidesAll((await readText(files, path)) ?? "")) return;
  throw new StrataError(
    "ENOTPRIVATE",
    `expected ${path} to keep the whole folder out of git with the line *, which is missing; restore that line to save private memories again`,
  );
}

async function readClone(files: Files, path: string): Promise<string> {
  if (!(await files.statItself(path))) await files.create(path, randomUUID().slice(0, 8));
  const name = ((await readText(files, path)) ?? "").trim();
  return /^[0-9a-f]{8}$/.test(name) ? name : "unnamed";
}
