/**
 * Does recall find what it should, and how fast? Prints tables; fails where precision falls below what it is meant to
 * hold. `npm run bench:recall`, a minute or two.
 */
import { sources } from "../host/repository.js";
import * as conversation from "./recall/conversation.js";
import { findFixtures, measurePrecision } from "./recall/precision-mem-bench.js";
import { measureSpeed } from "./recall/speed.js";

const SIZES = [1_000, 10_000, 100_000];
const LEAST_PRECISION = 0.8;
const LEAST_RECALL = 0.94;

printConversation();
printPrecision();
printSpeed();

function printConversation(): void {
  const given = conversation.readConversation();
  console.log(`\nA conversation of ${given.turns.length} turns, ${given.questions.length} questions`);
  const rows = Object.entries(conversation.methods).map(([name, method]) => {
    const find = method(given.turns);
    const share = (k: number): string => percent(conversation.measure(given, find, k));
    return [name, { "R@5": share(5), "R@10": share(10) }];
  });
  console.table(Object.fromEntries(rows));
}

function printPrecision(): void {
  const fixtures = findFixtures(sources);
  if ("why" in fixtures) {
    console.log(`\nPrecisionMemBench: skipped, ${fixtures.why}.`);
    return;
  }
  console.log("\nPrecisionMemBench, single messages");
  const figures = {
    "search, 20 hits": measurePrecision(fixtures.folder, "search"),
    match: measurePrecision(fixtures.folder, "match"),
  };
  const rows = Object.entries(figures).map(([name, { cases, passed, precision, recall }]) => [
    name,
    { precision: precision.toFixed(2), recall: recall.toFixed(2), passed: `${passed}/${cases}` },
  ]);
  console.table(Object.fromEntries(rows));
  if (figures.match.failed.length > 0) console.log(`match fails: ${figures.match.failed.join(", ")}`);
  if (figures.match.precision >= LEAST_PRECISION && figures.match.recall >= LEAST_RECALL) return;
  console.log(`Expected precision ${LEAST_PRECISION} at recall ${LEAST_RECALL} of match.`);
  process.exitCode = 1;
}

function printSpeed(): void {
  console.log("\nTimes in milliseconds");
  const rows = SIZES.map((entries) => {
    const row = measureSpeed(entries);
    return [
      entries,
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value.toFixed(2))])),
    ];
  });
  console.table(Object.fromEntries(rows));
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
