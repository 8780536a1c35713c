/**
 * Publishes a memory: writes its file where git sees it, then removes it from `private/`. Its earlier versions stay in the
 * ledger there. Undone, the file and the lines about it leave the folder that git sees.
 */
import { findHint } from "../../draft.js";
import { type Memory, parseID } from "../../memory.js";
import { foldName, formatPath, planName, splitPath } from "../../path.js";
import { type Collection, findCollection } from "../collection.js";
import { type Cause, PUBLISH } from "../ledger-line.js";
import type { OpenMemories, Written } from "../store.js";
import type { Transaction } from "../transaction.js";
import {
  type ChangeParts,
  changeOne,
  finish,
  listNames,
  missing,
  refuse,
  rewrite,
  type Target,
  unchanged,
} from "./changes.js";

export function createPublishing(parts: ChangeParts): Pick<OpenMemories, "publish"> {
  const { collections } = parts;
  return {
    async publish(id, given) {
      const cause = { ...given, operation: PUBLISH };
      const place = parseID(id);
      if (!place) return refuse(missing(id));
      if (place.scope === "global")
        return refuse(`${id} holds in every project and is in the git of none; copy its file to share it`);
      await Promise.all(collections.map((collection) => collection.scan()));
      if (place.sensitivity === "internal") return changeOne(parts, id, async (target) => unchanged(target));
      const shared = findCollection(collections, { ...place, sensitivity: "internal" });
      // In the order in which every change of two folders locks them.
      const written = await shared.change((transaction) =>
        changeOne(parts, id, (target) => moveOut(parts, target, { transaction, shared, cause })),
      );
      if (written.kind === "written") await renameLinks(parts, id, written.memory.id, cause);
      return written;
    },
  };
}

/** The file is written there before it is removed here. */
async function moveOut(
  parts: ChangeParts,
  target: Target,
  { cause, shared, transaction }: { cause: Cause; shared: Collection; transaction: Transaction },
): Promise<Written> {
  const { looked, memory, path } = target;
  const from = splitPath(path);
  if (!from || looked.text === undefined) return refuse(missing(memory.id));
  if (memory.isForeign)
    return refuse(`${memory.id} came with the repository and is not yours; accept it with strata trust`);
  const { formatMemoryFile } = await import("../../memory-file.js");
  const { isPersonal: _, ...rest } = memory;
  const open = { ...rest, sensitivity: "internal" as const };
  const contents = formatMemoryFile(open, looked.text);
  const why =
    findHint({ ...open, content: contents }) ?? (await parts.gate?.({ ...open, content: contents }));
  if (why !== undefined) return refuse(why);
  const taken = await listNames(transaction, from.type);
  const name = taken.has(foldName(from.name)) ? planName(from.name, from.type, taken) : from.name;
  const to = formatPath({ ...from, name });
  await transaction.write(to, undefined, contents, cause);
  await target.transaction.discard(looked, cause);
  finish(parts, target.collection, path, memory);
  const found = (await transaction.open(to))?.reading;
  return finish(parts, shared, to, found?.kind === "memory" ? found.memory : open);
}

/** Lets the memories that link to this one name its new id. */
async function renameLinks(parts: ChangeParts, id: string, newID: string, cause: Cause): Promise<void> {
  const rename = (one: string): string => (one === id ? newID : one);
  const names = ({ links, supersededBy }: Memory): boolean => links.includes(id) || supersededBy === id;
  const change = ({ supersededBy, ...one }: Memory): Memory => ({
    ...one,
    links: one.links.map(rename),
    ...(supersededBy !== undefined && { supersededBy: rename(supersededBy) }),
  });
  for (const memory of parts.collections.flatMap((collection) => collection.memories()).filter(names))
    await changeOne(parts, memory.id, (target) => rewrite(parts, target, change, cause));
}
