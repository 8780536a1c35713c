import { describe, expect, it } from "vitest";
import { hashOf } from "../../src/base/hash.js";
import type { LedgerLine } from "../../src/memory/store/ledger.js";
import { findPutBack } from "../../src/memory/store/undo-guard.js";
import {
  BY_TEST,
  createFakeTrust,
  draft,
  idOf,
  ledger,
  MEMORY,
  openMemoryWorld,
} from "../support/memory-world.js";

const PATH = "decision/port.md";
const NOW = "2026-11-22T12:00:00.000Z";
const at = (second: number) => `2026-11-22T11:59:${String(second).padStart(2, "0")}.000Z`;

/** Consecutive lines, each with the hash of the previous one. */
function history(...texts: (string | null | [by: "person", text: string | null])[]): LedgerLine[] {
  let before: string | null = null;
  return texts.map((one, n) => {
    const [by, text] = Array.isArray(one) ? one : (["strata", one] as const);
    const after = text === null ? null : hashOf(text);
    const line: LedgerLine = {
      ...{ v: 1, id: String(n), at: at(10 + n), instance: "a", by, operation: "edit" },
      ...{ key: "decision/port", path: PATH, before, after },
      ...(text !== null && { contents: text }),
    };
    before = after;
    return line;
  });
}

function find(lines: LedgerLine[], there: string | null, isTouched = true) {
  const hashAt = (): string | null => (there === null ? null : hashOf(there));
  return findPutBack(lines, { now: NOW, isTouched: () => isTouched, hashAt });
}

describe("what the host's undo has put back", () => {
  it("what the host's undo has put back is restored: a removed file, and an older version", () => {
    expect(find(history("one"), null)).toEqual([{ path: PATH, before: null, contents: "one" }]);
    expect(find(history("one", "two"), "one")).toEqual([
      { path: PATH, before: hashOf("one"), contents: "two" },
    ]);
  });

  it("what the host's undo has put back is removed again if there was no file", () => {
    expect(find(history("one", null), "one")).toEqual([
      { path: PATH, before: hashOf("one"), contents: null },
    ]);
  });

  it("what the host's undo has put back is recognised even if a look has entered it as a person's change", () => {
    expect(find(history("one", "two", ["person", null]), null)).toMatchObject([{ contents: "two" }]);
    expect(find(history("one", "two", ["person", "one"]), "one")).toMatchObject([{ contents: "two" }]);
  });

  it("what the host's undo has put back excludes what a person wrote or removed earlier, and untouched files", () => {
    expect(find(history("one"), "mine")).toEqual([]);
    expect(find(history("one", ["person", "mine"]), "mine")).toEqual([]);
    const [first, removed] = history("one", ["person", null]);
    const earlier = [
      { ...first, at: "2026-11-22T10:00:00.000Z" },
      { ...removed, at: "2026-11-22T11:00:00.000Z" },
    ] as LedgerLine[];
    expect(find(earlier, null)).toEqual([]);
    expect(find(history("one", "two"), "one", false)).toEqual([]);
    expect(find(history("one", "two"), "two")).toEqual([]);
  });
});

describe("a store whose files the host's undo has put back", () => {
  const UNDO = { operation: "restore", reason: "undone", undoes: "opencode" };

  /** Saves the files below the memory folder; the returned function restores them as the host does. */
  function takeSnapshot({ contents }: { contents: Map<string, Uint8Array> }): () => void {
    const isOurs = (path: string): boolean => path.startsWith(`${MEMORY}/`);
    const taken = [...contents].filter(([path]) => isOurs(path));
    return () => {
      for (const path of [...contents.keys()]) if (isOurs(path)) contents.delete(path);
      for (const [path, bytes] of taken) contents.set(path, bytes);
    };
  }

  for (const isSeenFirst of [false, true])
    it(`loses no memory, edit or ledger line${isSeenFirst ? ", even if a look came before the undo was known" : ""}`, async () => {
      const world = openMemoryWorld({ trust: createFakeTrust() });
      const one = idOf(await world.store.remember(draft("The port is 8080.", { title: "one" }), BY_TEST));
      await world.store.list();
      const putBack = takeSnapshot(world.files);
      await world.store.update(one, (memory) => ({ ...memory, content: "The port is 9090." }), BY_TEST);
      idOf(await world.store.remember(draft("The host is local.", { title: "two" }), BY_TEST));
      await world.store.list();
      const before = ledger(world).map(({ id }) => id);
      putBack();
      if (isSeenFirst) expect(await world.store.list()).toHaveLength(1);
      expect(await world.store.mendAfterUndo(UNDO)).toEqual([one, "decision/two"]);
      const contents = (await world.store.list()).map(({ content }) => content);
      expect(contents.sort()).toEqual(["The host is local.", "The port is 9090."]);
      expect(ledger(world).map(({ id }) => id)).toEqual(expect.arrayContaining(before));
      expect((await world.store.history("decision/two")).at(-1)).toMatchObject(UNDO);
      expect(await world.reopen({ instance: "b" }).store.list()).toHaveLength(2);
      expect(await world.store.mendAfterUndo(UNDO)).toEqual([]);
    });
});
