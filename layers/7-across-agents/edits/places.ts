/** Which file a path means, whoever spells it: links followed, from where the agent works, as seen from the project. */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { readText } from "../../../src/conversation/call.js";
import type { Files } from "../../../src/seams/files.js";

export interface Places {
  /** The one spelling of a path: relative to the project for what lies in it, with slashes; else absolute. */
  spell(path: string): Promise<string>;
  /** Is there something of this name? */
  has(path: string): Promise<boolean>;
}

export interface PlacesOptions {
  files: Files;
  /** Absolute. */
  project: string;
  /** Absolute; where relative paths begin. */
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

  /** Of what is not there yet, the folders that are. */
  async function follow(path: string): Promise<string> {
    const real = await files.realPath(path);
    if (real !== undefined || dirname(path) === path) return real ?? path;
    return join(await follow(dirname(path)), basename(path));
  }
}

const CHANGING = new Set(["edit", "write", "multiedit", "apply_patch", "patch"]);

/** The paths of all files that a call is about to change, as it names them; none for a call that changes no file. */
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

/** Of OpenCode's own form of patch, or of a unified diff. */
function readPatched(patch: string): string[] {
  const own = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;
  const unified = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm;
  return [own, unified]
    .flatMap((form) => [...patch.matchAll(form)].map((match) => match[1]?.trim() ?? ""))
    .filter((path) => path !== "" && path !== "/dev/null");
}
