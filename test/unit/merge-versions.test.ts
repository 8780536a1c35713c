import { expect, it } from "vitest";
import { planMemory } from "../../src/memory/draft.js";
import type { Memory } from "../../src/memory/memory.js";
import { mergeVersions, type Version } from "../../src/memory/store/receipt.js";
import { draft } from "../support/memory-world.js";
import { fc } from "../support/property.js";

const BASE: Memory = {
  ...planMemory(draft("8080", { title: "port", tags: ["a", "b"] }), () => "port", 1_795_000_000_000),
  id: "decision/port",
};
const version = (fields: Partial<Memory> = {}, isArchived = false): NonNullable<Version> => ({
  memory: { ...BASE, ...fields, ...(isArchived && { status: "archived" as const }) },
  isArchived,
});
const base = version();

it("of two texts the later one is used, and the earlier one is the conflicting", () => {
  const later = version({ content: "later" });
  const earlier = version({ content: "earlier", pinned: true });
  const merged = mergeVersions({ base, later, earlier });
  expect(merged.version?.memory).toMatchObject({ content: "later", pinned: true });
  expect(merged.conflicting?.content).toBe("earlier");
  expect(mergeVersions({ base: undefined, later, earlier }).conflicting?.content).toBe("earlier");
  expect(
    mergeVersions({ base, later, earlier: version({ content: " LATER " }) }).conflicting,
  ).toBeUndefined();
});

it("a memory that one side archives is archived, unless the other side rewrote or restored it", () => {
  const archived = version({}, true);
  const place = (versions: Parameters<typeof mergeVersions>[0]) =>
    mergeVersions(versions).version?.isArchived;
  expect(place({ base, later: version({ pinned: true }), earlier: archived })).toBe(true);
  expect(place({ base, later: version({ content: "9090" }), earlier: archived })).toBe(false);
  expect(place({ base, later: archived, earlier: version({ content: "9090" }) })).toBe(false);
  expect(place({ base: archived, later: archived, earlier: base })).toBe(false);
  expect(place({ base: undefined, later: archived, earlier: base })).toBe(false);
  expect(mergeVersions({ base, later: archived, earlier: version({ content: "9090" }) }).version).toEqual(
    version({ content: "9090" }),
  );
});

it("a memory that one side removes is removed, unless the other side changed it", () => {
  expect(mergeVersions({ base, later: undefined, earlier: base }).version).toBeUndefined();
  expect(mergeVersions({ base, later: version({}, true), earlier: undefined }).version).toBeUndefined();
  const changed = version({ tags: ["c"] });
  expect(mergeVersions({ base, later: undefined, earlier: changed }).version).toEqual(changed);
  expect(mergeVersions({ base: undefined, later: undefined, earlier: base }).version).toEqual(base);
  expect(mergeVersions({ base, later: undefined, earlier: undefined }).version).toBeUndefined();
});

it("a merge with an unchanged side equals the other side", () => {
  const words = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
  const fields = fc.record({
    content: fc.constantFrom("8080", "9090"),
    tags: words,
    pinned: fc.boolean(),
    importance: fc.constantFrom(0.1, 0.5),
    status: fc.constantFrom("active" as const, "resolved" as const),
  });
  fc.assert(
    fc.property(fields, (changed) => {
      const side = version(changed);
      const merged = [
        mergeVersions({ base, later: side, earlier: base }),
        mergeVersions({ base, later: base, earlier: side }),
      ];
      for (const { conflicting, version: one } of merged) {
        expect(conflicting).toBeUndefined();
        expect({ ...one?.memory, tags: [...(one?.memory.tags ?? [])].sort() }).toEqual({
          ...side.memory,
          tags: [...changed.tags].sort(),
        });
      }
    }),
  );
});
