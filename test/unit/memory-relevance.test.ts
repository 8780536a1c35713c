import PQueue from "p-queue";
import { expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createMemorySearch } from "../../src/memory/search/search.js";
import { createRecall } from "../../src/recall/recall.js";
import { readConversation } from "../bench/recall/conversation.js";
import { allSeen } from "../support/all-seen.js";
import { MORNING } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createListedMemories, remembered } from "../support/listed-memories.js";
import { createMemoryFiles } from "../support/memory-files.js";

it("recall leaves out what is far less relevant than the best hit, and nothing else", async () => {
  const { questions, turns } = readConversation();
  const memories = turns.map(({ text }, n) => remembered(`turn-${n}`, text));
  const recall = createRecall({ now: () => MORNING });
  for (const { content, id, title } of memories) recall.add({ id, title, text: content });
  const search = createMemorySearch({
    ...{ clock, files: createMemoryFiles(), log: createFakeLog(), sessions: allSeen },
    background: new PQueue({ concurrency: 1 }),
    memories: createListedMemories(...memories),
    sessionMemory: "/project/.opencode/session-memory",
  });
  let dropped = 0;
  for (const { text } of questions.slice(0, 5)) {
    const hits = recall.search(text, { limit: 1_000 });
    const least = (share: number): number =>
      hits.filter(({ score }) => score >= share * (hits[0]?.score ?? 0)).length;
    const found = await search.find({ text, limit: 1_000 });
    expect(found.length).toBeGreaterThanOrEqual(least(0.14));
    dropped += hits.length - found.length;
  }
  expect(dropped).toBeGreaterThan(0);
});
