import { expect, it } from "vitest";
import { createRecall, type Recall, type RecallEntry } from "../../src/recall/recall.js";
import { createWordVectors } from "../../src/recall/vectors.js";
import { fc } from "../support/property.js";

/** Loaded once: it holds nothing of what is indexed. */
const wordVectors = createWordVectors();
const now = () => Date.UTC(2026, 10, 21);
const vocabulary = "port ports src/a.ts getUser #34 cache May 端口 the deploy x_y".split(" ");
const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 6 }).map((list) => list.join(" "));
const id = fc.constantFrom("a", "b", "c", "d", "e", "__proto__", "constructor");

const entry: fc.Arbitrary<RecallEntry> = fc.record(
  {
    id,
    text: words,
    title: words,
    aliases: fc.array(words, { maxLength: 2 }),
    date: fc.constantFrom("2023-05-08", "2024-01-01", "rubbish", 0),
    group: fc.constantFrom("g", "h"),
    order: fc.integer({ min: 0, max: 5 }),
    links: fc.array(id, { maxLength: 2 }),
  },
  { requiredKeys: ["id", "text", "order"] },
);

const queries = [
  ...vocabulary,
  "port cache",
  "in May 2023",
  "getUser in src/a.ts",
  "prot",
  "端口 deploy #34",
];

function fill(entries: readonly RecallEntry[], recall = createRecall({ now, wordVectors })): Recall {
  for (const one of entries) recall.add(one);
  return recall;
}

const answers = (recall: Recall) =>
  queries.map((query) => [recall.search(query, { limit: 100 }), recall.match(query, { limit: 100 })]);

it("a recall index answers as if it never held replaced and removed entries, in any order of adding", () => {
  const step = fc.oneof(entry, id);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const recall = createRecall({ now, wordVectors });
      const model = new Map<string, RecallEntry>();
      for (const one of steps) {
        if (typeof one === "string") {
          recall.remove(one);
          model.delete(one);
        } else {
          recall.add(one);
          model.set(one.id, one);
        }
        // Brings groups and vectors up to date in between, so that this path is taken as well.
        recall.search("port");
      }
      expect(recall.size).toBe(model.size);
      expect(answers(recall)).toEqual(answers(fill([...model.values()].reverse())));
    }),
    { numRuns: 60 },
  );
});

it("a recall index finds every entry by its own words, and no entry it does not hold", () => {
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: (one) => one.id, maxLength: 7 }), (entries) => {
      const recall = fill(entries);
      const known = new Set(entries.map((one) => one.id));
      for (const one of entries) {
        const found = recall.search(one.text, { limit: 100 }).map((hit) => hit.id);
        if (/port|src|User|#|cache|端口|deploy|x_y/.test(one.text)) expect(found).toContain(one.id);
        expect(found.every((name) => known.has(name))).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});

it("a recall index accepts any text and query without throwing, and lists the best first", () => {
  const any = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.array(fc.tuple(any, any), { maxLength: 8 }), any, (texts, query) => {
      const recall = createRecall({ now, wordVectors });
      for (const [n, [text, other]] of texts.entries())
        recall.add({ id: `${n}`, text, title: other, aliases: [other], date: other, group: text });
      for (const asked of [query, ...texts.flat()]) {
        const scores = recall.search(asked).map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
        expect(scores.every((score) => Number.isFinite(score) && score > 0)).toBe(true);
        recall.match(asked);
      }
      for (const n of texts.keys()) recall.remove(`${n}`);
      for (const asked of [query, ...texts.flat()]) expect(recall.search(asked)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
