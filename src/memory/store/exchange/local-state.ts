/** Reads this machine's state of a memory before lines of others are applied. Call under the shelf's lock. */
import { dirname, join } from "node:path";
import { parseID } from "../../id.js";
import { foldName } from "../../name.js";
import type { Desk } from "../desk.js";
import { groupByKey, type LedgerLine } from "../ledger-line.js";
import type { Shelf } from "../shelf.js";
import { pathsOf, type Standing } from "../standing.js";
import type { State } from "./plan-receipt.js";

/** Ledger lines about these memories, by memory id. */
export type ReadLocal = (
  desk: Pick<Desk, "known">,
  keys: readonly string[],
) => Promise<ReadonlyMap<string, readonly LedgerLine[]>>;

/** The two possible paths of a memory's file. */
export function placesOf(key: string): string[] {
  const place = parseID(key);
  return place ? pathsOf(place) : [];
}

/** Reads the whole ledger only if it has lines about these memories, and again only after another change of them. */
export function createLocalLines(shelf: Pick<Shelf, "readLedger">): ReadLocal {
  let groups: ReadonlyMap<string, LedgerLine[]> | undefined;
  return async (desk, keys) => {
    const isKnown = keys.some((key) => placesOf(key).some((path) => desk.known(path)));
    if (!isKnown) return new Map();
    const isFresh = groups && keys.every((key) => isCurrent(desk, key, groups?.get(key) ?? []));
    if (!groups || !isFresh) groups = groupByKey(await shelf.readLedger());
    return groups;
  };
}

/** Do these lines include the newest one about each path? */
function isCurrent(desk: Pick<Desk, "known">, key: string, lines: readonly LedgerLine[]): boolean {
  return placesOf(key).every((place) => {
    const times = lines.filter(({ from, path }) => path === place || from === place).map(({ at }) => at);
    return desk.known(place)?.at === times.sort().at(-1);
  });
}

/** The current file of a memory, or why it is left alone. */
export type OpenState = (
  desk: Pick<Desk, "findLink" | "known" | "open">,
  key: string,
) => Promise<State | { why: string } | undefined>;

/**
 * Reads the disk only for memories known from the last scan or the ledger, since most of a first pull is new. A file that
 * appears meanwhile is not overwritten: new files are created exclusively.
 */
export function createOpenState({ shelf }: Pick<Standing, "shelf">): OpenState {
  const there = new Map(shelf.entries().map(({ path }) => [foldName(path), path]));
  const links = new Map<string, Promise<string | undefined>>();

  return async (desk, key) => {
    const places = placesOf(key);
    const rival = places
      .map((path) => [path, there.get(foldName(path)) ?? path])
      .find(([one, other]) => one !== other);
    if (rival) return { why: `${rival[1]} exists, which some disks consider the same file; rename it` };
    const isNew = places.every((path) => !there.has(foldName(path)) && !desk.known(path));
    for (const path of places) there.set(foldName(path), path);
    if (!isNew) return openFile(desk, shelf.folder, places);
    const folders = await Promise.all(places.map((path) => findLinkOnce(desk, dirname(path))));
    const link = folders.find((one) => one !== undefined);
    return link === undefined ? undefined : { why: `${link} is a link, and links are not followed` };
  };

  function findLinkOnce(desk: Pick<Desk, "findLink">, folder: string): Promise<string | undefined> {
    const found = links.get(folder) ?? desk.findLink(folder);
    links.set(folder, found);
    return found;
  }
}

/** Reads the file, after entering a person's change to it in the ledger. */
async function openFile(
  desk: Pick<Desk, "findLink" | "open">,
  folder: string,
  places: readonly string[],
): Promise<State | { why: string } | undefined> {
  let found: State | undefined;
  for (const path of places) {
    const link = await desk.findLink(path);
    if (link) return { why: `${link} is a link, and links are not followed` };
    const looked = await desk.open(path);
    if (!looked) continue;
    if (looked.reading.kind === "problem")
      return { why: `${join(folder, path)} cannot be used: ${looked.reading.what}; repair or remove it` };
    if (found) return { why: `${found.path} and ${path} both exist; remove one of them` };
    found = { path, text: looked.text ?? "" };
  }
  return found;
}
