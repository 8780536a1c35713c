/**
 * Does recall find what it should, and how fast? Prints tables; fails where precision falls below what it is meant to
 * hold. `npm run bench:recall`, a minute or two.
 */
import { sources } from "../host/repository.js";
import * as chats from "./recall/chats.js";
import * as conversation from "./recall/conversation.js";
import * as gitHistory from "./recall/git-history.js";
import { findMemoryBank, readMemoryBank } from "./recall/memory-bank.js";
import { findFixtures, measurePrecision } from "./recall/precision-mem-bench.js";
import { measureSpeed } from "./recall/speed.js";
import { findSessions, readChats } from "./recall/two-sided.js";

const SIZES = [1_000, 10_000, 100_000];
const LEAST_PRECISION = 0.8;
const LEAST_RECALL = 0.94;

printConversation();
printTwoSided();
printMemoryBank();
printGitHistory();
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

function printTwoSided(): void {
  const sessions = findSessions(sources);
  if ("why" in sessions) {
    console.log(`\nChats with both sides: skipped, ${sessions.why}.`);
    return;
  }
  for (const part of ["development", "held out"] as const) {
    const given = readChats(sessions.folder, part);
    const users = given.entries.filter(({ role }) => role === "user").length;
    console.log(
      `\nSessions of coding agents, ${part}: ${users} turns of the user, ${given.entries.length - users} of the assistant, ${given.questions.length} questions`,
    );
    printChats([given], { user: /:u/, assistant: /:a/ });
  }
}

function printMemoryBank(): void {
  const found = findMemoryBank();
  if ("why" in found) {
    console.log(`\nMemoryBank: skipped, ${found.why}.`);
    return;
  }
  const given = readMemoryBank(found.folder);
  const count = given.reduce((sum, { questions }) => sum + questions.length, 0);
  console.log(`\nMemoryBank (English), ${given.length} users, ${count} questions`);
  printChats(given, { user: /q$/, assistant: /a$/ });
}

/** Evidence among the first ten, also by whose words it is. */
function printChats(given: readonly chats.Chats[], sides: Record<"user" | "assistant", RegExp>): void {
  const rows = Object.entries(chats.methods).map(([name, method]) => {
    const finds = given.map(({ entries }) => method(entries));
    const share = (options: chats.MeasureOptions): string =>
      percent(mean(given.flatMap((one, n) => chats.measure(one, finds[n] as chats.Find, options))));
    const row = { "R@5": share({ k: 5 }), "R@10": share({ k: 10 }) };
    return [
      name,
      {
        ...row,
        "R@10 the user's": share({ k: 10, only: sides.user }),
        "R@10 the assistant's": share({ k: 10, only: sides.assistant }),
      },
    ];
  });
  console.table(Object.fromEntries(rows));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function printGitHistory(): void {
  const commits = gitHistory.readCommits(sources);
  if (commits.length < gitHistory.LEAST_COMMITS) {
    console.log(
      `\nGit history: skipped, ${commits.length} commits here; a shallow clone, or none, has no past.`,
    );
    return;
  }
  console.log(
    `\nThis repository's history: ${commits.length} commits, the files a commit changes by its message`,
  );
  const rows = Object.entries(gitHistory.methods).map(([name, method]) => {
    const { queries, recallAt10 } = gitHistory.measure(commits, method());
    return [name, { "R@10": percent(recallAt10), queries }];
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
