/** How long recall takes: to build, to search, to match a message, to take in a change. */
import { readFileSync } from "node:fs";
import { createRecall, type RecallEntry } from "../../../src/recall/recall.js";
import { createChance } from "../../support/chance.js";

export interface SpeedRow {
  buildMs: number;
  /** Queries of three to eight words. */
  searchP50Ms: number;
  searchP95Ms: number;
  /** Messages of forty words. */
  matchP50Ms: number;
  matchP95Ms: number;
  /** One entry replaced, then one search. */
  changeP95Ms: number;
  /** Of the heap and the buffers, with the entries. */
  memoryMB: number;
}

const ROUNDS = 200;

/** The commonest first. */
const vocabulary: readonly string[] = JSON.parse(
  readFileSync(new URL("../../../vectors/words.json", import.meta.url), "utf8"),
).words.split(" ");

export function measureSpeed(entries: number): SpeedRow {
  const chance = createChance(entries);
  // As in a language, the tenth word is used a tenth as often as the first.
  const word = (): string =>
    vocabulary[Math.floor(vocabulary.length ** (chance(1_000_000) / 1_000_000)) - 1] ?? "";
  const words = (count: number): string => Array.from({ length: count }, word).join(" ");
  const make = (n: number): RecallEntry => ({
    id: `decision/m${n}`,
    title: words(10),
    text: `${words(60)} see src/part${n % 400}/file${n % 7}.ts and #${n % 900}`,
    aliases: [`alias ${n}`, words(3)],
    date: Date.UTC(2024, 0, 1) + n * 3_600_000,
    group: `session${Math.floor(n / 12)}`,
    order: n,
  });
  const before = memoryMB();
  const made = Array.from({ length: entries }, (_, n) => make(n));
  const recall = createRecall({ now: () => 0 });
  const buildMs = timed(() => {
    for (const entry of made) recall.add(entry);
    recall.search("the first brings the groups up to date");
  });
  const used = memoryMB() - before;
  const searches = timeEach(
    () => words(6 + chance(10)),
    (query) => recall.search(query, { limit: 20 }),
  );
  const matches = timeEach(
    () => words(80),
    (message) => recall.match(message),
  );
  const changes = timeEach(
    () => make(chance(entries)),
    (entry) => {
      recall.add(entry);
      recall.search("the newest change of all");
    },
  );
  return {
    buildMs,
    searchP50Ms: percentile(searches, 0.5),
    searchP95Ms: percentile(searches, 0.95),
    matchP50Ms: percentile(matches, 0.5),
    matchP95Ms: percentile(matches, 0.95),
    changeP95Ms: percentile(changes, 0.95),
    memoryMB: used,
  };
}

function timeEach<T>(make: () => T, run: (given: T) => unknown): number[] {
  const given = Array.from({ length: ROUNDS }, make);
  return given.map((one) => timed(() => run(one)));
}

function timed(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function memoryMB(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
