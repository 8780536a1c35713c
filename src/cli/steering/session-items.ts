/** The items of the session that a command is about. */
import { basename, join } from "node:path";
import { StrataError } from "../../base/error.js";
import { WRONG_ARGUMENT } from "../../operations/arguments.js";
import type { OptionValues } from "../../operations/command.js";
import type { Project } from "../../operations/project.js";
import { type ContextItems, ITEMS_ENDING, readContextItems } from "../../status/context-items.js";

/** Of `--session`, else of the session whose context was sent last. @throws StrataError NO_SESSION */
export async function readSessionItems(
  { cli: { files }, folders }: Project,
  { session }: OptionValues,
): Promise<ContextItems> {
  if (typeof session === "string" && !/^[\w-]+$/.test(session))
    throw new StrataError(WRONG_ARGUMENT, `expected the id of a session, "${session}" came`);
  const id = typeof session === "string" ? session : await findNewest();
  const items = id === undefined ? undefined : await readContextItems(files, folders, id);
  if (items) return items;
  const of = id === undefined ? "any session of this project" : id;
  throw new StrataError(
    "NO_SESSION",
    `nothing is known of the context of ${of}: it is written when OpenCode sends a request with Strata loaded`,
  );

  async function findNewest(): Promise<string | undefined> {
    let newest: { id: string; modifiedMs: number } | undefined;
    for (const name of await files.list(folders.screens)) {
      if (!name.endsWith(ITEMS_ENDING)) continue;
      const stat = await files.stat(join(folders.screens, name));
      const isNewer = stat?.kind === "file" && stat.modifiedMs > (newest?.modifiedMs ?? 0);
      if (isNewer) newest = { id: basename(name, ITEMS_ENDING), modifiedMs: stat.modifiedMs };
    }
    return newest?.id;
  }
}
