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
  prepare(): Promise<void>;
  isUndone: boolean;
  nameClone(): Promise<string>;
}

export interface PlacesOptions {
  files: Files;
  folders: Folders;
  /** The user's folder for memories of all projects. */
  globalFolder: string;
}

export function planPlaces({ files, folders, globalFolder }: PlacesOptions): CollectionPlace[] {
  const isUndone = folders.memoryProject === folders.project;
  const roots = [
    { scope: "project", memory: folders.memory, strata: join(folders.memoryProject, ".opencode", "strata") },
    { scope: "global", memory: join(globalFolder, "memory"), strata: join(globalFolder, "strata") },
  ] as const;
  return roots.flatMap(({ memory, scope, strata }): CollectionPlace[] => {
    const state = join(strata, "state", "memory");
    const nameClone = (): Promise<string> => readClone(files, join(state, "clone"));
    const hidden = join(memory, "private");
    return [
      {
        ...{ scope, sensitivity: "internal", folder: memory, state: join(state, "internal"), nameClone },
        isUndone: isUndone && scope === "project",
        async prepare() {
          await hideFromGit(files, strata);
          await prepareInternal(files, memory);
        },
      },
      {
        ...{ scope, sensitivity: "private", folder: hidden, state: join(state, "private"), nameClone },
        isUndone: false,
        async prepare() {
          await hideFromGit(files, strata);
          await prepareHidden(files, hidden);
        },
      },
    ];
  });
}

/**
 * Git ignores the index, which every machine generates, and half-written files, and merges ledgers by keeping the lines
 * of both sides.
 */
async function prepareInternal(files: Files, folder: string): Promise<void> {
  await addRules(files, join(folder, ".gitignore"), ["MEMORY.md", TORN_RULE]);
  const path = join(folder, ".gitattributes");
  const isThere = await files.statItself(path);
  const rules = ["ledger/*.jsonl", "DREAMS.md", ".gitignore"].map((one) => `${one} merge=union\n`);
  if (!isThere) await files.create(path, rules.join(""));
}

/**
 * Appends the rules after those of others, such as the error log. Runs before every change: `statItself` is cheaper than
 * a failed `create`.
 */
async function addRules(files: Files, path: string, rules: readonly string[]): Promise<void> {
  if (!(await files.statItself(path)) && (await files.create(path, `${rules.join("\n")}\n`))) return;
  const there = ((await readText(files, path)) ?? "").split(/\r?\n/);
  if (there.some((one) => one.trim() === "*")) return;
  const lacking = rules.filter((rule) => !there.some((one) => one.includes(rule)));
  if (lacking.length > 0) await files.appendLine(path, lacking.join("\n"));
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

/** The clone's name, shared by all instances in this copy of the project. */
async function readClone(files: Files, path: string): Promise<string> {
  if (!(await files.statItself(path))) await files.create(path, randomUUID().slice(0, 8));
  const name = ((await readText(files, path)) ?? "").trim();
  return /^[0-9a-f]{8}$/.test(name) ? name : "unnamed";
}
