/** Gives each file one spelling: links resolved, relative to the project. */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Files } from "../../../src/io/files.js";
import { readText } from "../../../src/messages/call.js";

export interface Places {
  /** The canonical spelling of a path: inside the project relative, with slashes; elsewhere absolute. */
  spell(path: string): Promise<string>;
  /** Does the path exist? */
  has(path: string): Promise<boolean>;
}

export interface PlacesOptions {
  files: Files;
  /** Absolute. */
  project: string;
  /** Absolute; base of relative paths. */
  directory: string;
}

export function createPlaces({ directory, files, project }: PlacesOptions): Places {
  let root: string | undefined;
  return {
    has: async (path) => (await files.realPath(resolve(directory, path))) !== undefined,

    async spell(path) {
      root ??= await follow(resolve(project));
      const place = await follow(resolve(directory, path));
      const inside = relative(root, place);
      if (inside === "") return ".";
      if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return place;
      return inside.split(sep).join("/");
    },
  };

  /** Resolves the links of a path; for a missing file, those of its existing parents. */
  async function follow(path: string): Promise<string> {
    const real = await files.realPath(path);
    if (real !== undefined || dirname(path) === path) return real ?? path;
    return join(await follow(dirname(path)), basename(path));
  }
}

const CHANGING = new Set(["edit", "write", "multiedit", "apply_patch", "patch"]);

/** The paths, as the call spells them, of all files that it is about to change. */
export function findChangedPaths(tool: string, args: Readonly<Record<string, unknown>>): string[] {
  if (!CHANGING.has(tool)) return [];
  const edits: unknown[] = Array.isArray(args.edits) ? args.edits : [];
  const named = [args, ...edits].map((one) =>
    typeof one === "object" && one !== null
      ? readText({ ...one }, "filePath", "file_path", "path")
      : undefined,
  );
  const patched = readPatched(readText(args, "patchText", "patch", "diff") ?? "");
  return [...new Set([...named, ...patched].filter((path) => path !== undefined))];
}

/** The paths in a patch of OpenCode's own format, or in a unified diff. */
function readPatched(patch: string): string[] {
  const own = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;
  const unified = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm;
  return [own, unified]
    .flatMap((form) => [...patch.matchAll(form)].map((match) => match[1]?.trim() ?? ""))
    .filter((path) => path !== "" && path !== "/dev/null");
}
