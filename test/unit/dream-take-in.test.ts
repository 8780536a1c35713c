import { expect, it } from "vitest";
import { takeIn } from "../../layers/6-dream/take-in.js";
import { memoryOf } from "../support/memory.js";

const one = memoryOf({ id: "knowledge/one", updated: "2026-01-02T00:00:00.000Z" });

it("a memory that absorbs others takes over their metadata and triggers", () => {
  const other = memoryOf({
    id: "knowledge/other",
    title: "Another title",
    when: ["git push"],
    links: ["knowledge/one", "decision/x"],
    importance: 0.9,
    extra: { sessions: ["a"] },
  });
  expect(takeIn(one, [other])).toMatchObject({
    id: "knowledge/one",
    aliases: ["Another title"],
    when: ["git push"],
    links: ["decision/x"],
    importance: 0.9,
    extra: { sessions: ["a"] },
  });
});

it("a memory that absorbs others lives as long as the longest of them, and is forgotten no earlier", () => {
  const until = (day: string) => memoryOf({ id: `knowledge/${day}`, expires: day });
  expect(takeIn(until("2026-12-01"), [until("2027-01-01")]).expires).toBe("2027-01-01");
  expect(takeIn(until("2026-12-01"), [one])).not.toHaveProperty("expires");
  expect(takeIn(one, [until("2026-12-01")])).not.toHaveProperty("expires");
  const later = memoryOf({ id: "knowledge/later", updated: "2026-11-20T00:00:00.000Z" });
  expect(takeIn(one, [later]).updated).toBe(later.updated);
});
