/** Publishes memories: lets git see one that it ignores, or brings a private one where git sees it. */
import { join } from "node:path";
import { findHint, findKeptOutID, findPrivateID } from "../../draft.js";
import { formatID, type Memory, parseID } from "../../memory.js";
import { foldName, formatPath, planName, splitPath } from "../../path.js";
import { type Collection, findCollection, listKeptOut } from "../collection.js";
import { type Cause, type LedgerLine, PUBLISH } from "../ledger-line.js";
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
  const { collections, gate } = parts;

  return {
    async publish(id, given) {
      const cause = { ...given, operation: PUBLISH };
      const place = parseID(id);
      if (!place) return refuse(missing(id));
      if (place.scope === "global")
        return refuse(`${id} holds in every project and is in the git of none; copy its file to share it`);
      await Promise.all(collections.map((collection) => collection.scan()));
      if (place.sensitivity === "internal")
        return changeOne(parts, id, (target) => publishHere(target, cause));
      const shared = findCollection(collections, { ...place, sensitivity: "internal" });
      // In the order in which every change of two folders locks them.
      const written = await shared.change((transaction) =>
        changeOne(parts, id, (target) => publishPrivate(target, { transaction, shared }, cause)),
      );
      if (written.kind === "written") await renameLinks(parts, id, written.memory.id, cause);
      return written;
    },
  };

  async function publishHere(target: Target, cause: Cause): Promise<Written> {
    const { collection, transaction, looked, memory, path } = target;
    const why = await findWhy(target);
    if (why !== undefined) return refuse(why);
    if (!collection.isKeptOut(path)) return unchanged(target);
    await transaction.publish(path, looked, await readHistory(target), cause);
    if (collection.isKeptOut(path)) return refuse(stillIgnored(collection, path));
    const { isKeptOut: _, ...published } = memory;
    return finish(parts, collection, path, published);
  }

  /** The file is written there before it is removed here. */
  async function publishPrivate(
    target: Target,
    { transaction, shared }: { transaction: Transaction; shared: Collection },
    cause: Cause,
  ): Promise<Written> {
    const { looked, memory, path } = target;
    const from = splitPath(path);
    const why = await findWhy(target);
    if (why !== undefined) return refuse(why);
    if (!from || looked.text === undefined) return refuse(missing(memory.id));
    const taken = await listNames(transaction, from.type);
    const name = taken.has(foldName(from.name)) ? planName(from.name, from.type, taken) : from.name;
    const to = formatPath({ ...from, name });
    const key = formatID({ scope: "project", sensitivity: "internal", type: from.type, name });
    const earlier = (await readHistory(target)).map((line) => rename(line, key, name));
    await transaction.publish(to, undefined, earlier, cause);
    if (shared.isKeptOut(to)) return refuse(stillIgnored(shared, to));
    await transaction.write(to, undefined, looked.text, cause);
    await target.transaction.discard(looked, cause);
    finish(parts, target.collection, path, memory);
    const found = (await transaction.open(to))?.reading;
    return finish(parts, shared, to, found?.kind === "memory" ? found.memory : { ...memory, id: key });
  }

  /** Why git may not see this file. */
  async function findWhy({ looked, memory }: Target): Promise<string | undefined> {
    const { id } = memory;
    if (memory.isForeign)
      return `${id} came with the repository and is not yours; accept it with strata trust`;
    const { isKeptOut: _, ...rest } = memory;
    const open = { ...rest, sensitivity: "internal" as const, content: looked.text ?? memory.content };
    return findHint(open, listOthers(id)) ?? (await gate?.(open));
  }

  /** Its ledger lines, without those that hold a secret or name a hidden memory. */
  async function readHistory({ collection, memory }: Target): Promise<LedgerLine[]> {
    const others = listOthers(memory.id);
    const clean: LedgerLine[] = [];
    for (const line of (await collection.readLedger()).filter(({ key }) => key === memory.id)) {
      const content = `${line.contents ?? ""}\n${line.reason ?? ""}`;
      const hint = findPrivateID(content) ?? findKeptOutID(content, others);
      if (hint === undefined && !(await gate?.({ ...memory, content }))) clean.push(line);
    }
    return clean;
  }

  function listOthers(id: string): ReadonlySet<string> {
    return new Set([...listKeptOut(collections)].filter((one) => one !== id));
  }
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

/** The same change of the memory under its new id. */
function rename(line: LedgerLine, key: string, name: string): LedgerLine {
  const move = (path: string): string => {
    const parts = splitPath(path);
    return parts ? formatPath({ ...parts, name }) : path;
  };
  return { ...line, key, path: move(line.path), ...(line.from !== undefined && { from: move(line.from) }) };
}

const stillIgnored = ({ folder }: Collection, path: string): string =>
  `a rule of ${join(folder, ".gitignore")} keeps ${path} out of git; remove that rule`;
