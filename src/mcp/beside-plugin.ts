/**
 * Is the client an OpenCode whose plugin serves the same project? Then tools that both have are not offered: an MCP tool
 * replaces the plugin's tool of the same name (OpenCode 1.18.33), and cannot see the user's messages.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isStrata } from "../config/plugin-entries.js";
import { openProject } from "../operations/open-project.js";
import type { Project } from "../operations/project.js";
import type { ClientFacts } from "./accept-client.js";

/** `opencode`, as OpenCode 1 names itself, and `cli`, as OpenCode 2 does. */
export const isOpenCode = ({ name }: Pick<ClientFacts, "name">): boolean => /^(opencode\b|cli$)/i.test(name);

/** Is the plugin configured for the project? */
export async function hasPlugin(project: Pick<Project, "settings">): Promise<boolean> {
  return (await project.settings()).plugins.some(isStrata);
}

/**
 * Is one of these folders in the project, or in a worktree that shares its memories? A client that names no folder
 * counts as inside: a missing tool is noticed sooner than a duplicate.
 */
export async function isInProject(
  { cli, folders }: Pick<Project, "cli" | "folders">,
  places: readonly string[],
): Promise<boolean> {
  if (places.length === 0) return true;
  const own = await findHome(cli, folders.memory);
  for (const folder of places) {
    const found = await openProject({ ...cli, folder }).catch(() => undefined);
    if (found && (await findHome(cli, found.folders.memory)) === own) return true;
  }
  return false;
}

/** The project whose memories these are. */
async function findHome({ files }: Pick<Project["cli"], "files">, memory: string): Promise<string> {
  const home = dirname(dirname(memory));
  return (await files.realPath(home)) ?? home;
}

/** The folders among the client's roots. */
export function readRoots(roots: readonly { uri: string }[]): string[] {
  return roots.flatMap(({ uri }) => {
    try {
      return [fileURLToPath(uri)];
    } catch {
      return [];
    }
  });
}
