/** The host's undo restores files that changed in a turn, no matter who changed them: memories and ledger lines come back. */
import { describe, expect, it } from "vitest";
import {
  BY_TEST,
  createFakeTrust,
  draft,
  idOf,
  ledger,
  MEMORY,
  openMemoryWorld,
} from "../support/memory-world.js";

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

  it("takes away again what was removed, and leaves what a person wrote or removed, and what the undo did not touch", async () => {
    const world = openMemoryWorld({ trust: createFakeTrust() });
    const { clock, files, store } = world;
    const path = (name: string): string => `${MEMORY}/decision/${name}.md`;
    for (const title of ["discarded", "rewritten", "removed", "untouched"])
      await store.remember(draft(`About ${title}.`, { title }), BY_TEST);
    files.contents.delete(path("removed"));
    await store.list();
    clock.advance(2 * 60_000);
    const putBack = takeSnapshot(files);
    await store.archive("decision/discarded", BY_TEST);
    await store.discard("decision/discarded", BY_TEST);
    await store.update("decision/untouched", (one) => ({ ...one, content: "Changed." }), BY_TEST);
    putBack();
    files.contents.set(path("rewritten"), Buffer.from("By hand."));
    const touched = new Set(["discarded", "rewritten", "removed"].map(path));
    expect(await store.mendAfterUndo(UNDO, touched)).toEqual(["decision/discarded"]);
    const left = (await store.list({ archived: true })).map(({ content }) => content);
    expect(left.sort()).toEqual(["About untouched.", "By hand."]);
  });
});
