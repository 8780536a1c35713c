/**
 * What memory adds to a turn at 1,000 and 10,000 memories. The ratio counts: ten times the memories may not make a
 * turn ten times as slow, and none of it may be felt.
 */
import { bench, describe } from "vitest";
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import {
  findNewMatches,
  findTriggerRules,
  planMatches,
  planTriggered,
} from "../../layers/5-auto-memory/injection/line.js";
import type { Memory } from "../../src/memory/memory.js";
import { rankMemories } from "../../src/memory/rank.js";
import { createRecall } from "../../src/recall/recall.js";
import { MORNING } from "../support/fake-clock.js";
import { memory } from "../support/memories.js";
import { defaults } from "../support/settings.js";

const nowMs = MORNING;
const types = ["directive", "decision", "knowledge", "preference", "procedure"] as const;
const nouns = "importer parser server queue ledger cache invoice report session token".split(" ");

/** Memories that differ, a tenth of them rules that wait for something. */
function make(count: number): Memory[] {
  return Array.from({ length: count }, (_, n) => {
    const noun = nouns[n % nouns.length];
    return memory(
      `m${n}`,
      `The ${noun} number ${n} reads from folder${n % 97} because of ticket ${n % 31}.`,
      {
        type: types[n % types.length] ?? "knowledge",
        daysAgo: n % 400,
        importance: (n % 10) / 10,
        ...(n % 10 === 0 && { when: [`run-${n}`, `src/folder${n}/**`] }),
      },
    );
  });
}

for (const count of [1_000, 10_000]) {
  describe(`${count} memories`, () => {
    const memories = make(count);
    const byID = new Map(memories.map((one) => [one.id, one]));
    const recall = createRecall({ now: () => nowMs });
    for (const { content, id, title } of memories) recall.add({ id, text: content, title });
    const rules = findTriggerRules(memories);
    const ranked = () => rankMemories(memories, () => undefined, nowMs).flatMap((part) => part.memories);
    const best = ranked();

    bench("ranking, behind the turn", () => void ranked());
    bench(
      "the boot block",
      () => void planBoot(best, { nowMs, indexPath: "MEMORY.md", shows: defaults.boot }),
    );
    bench("matches for a message", () => {
      const found = recall.match("Why does the importer number 42 read from folder42?");
      const matched = found.flatMap(({ id }) => byID.get(id) ?? []);
      const matches = findNewMatches(matched, { nowMs, shown: new Set() });
      planMatches(matches, { nowMs, roomBytes: 60_000, gone: new Map() });
    });
    bench("rules for a call", () => {
      planTriggered(rules, [{ command: "cd web && npm run build -- --mode production" }], {
        nowMs,
        recent: new Set(),
      });
    });
  });
}
