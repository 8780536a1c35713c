/** Does recall find what it should, and how fast? Prints two tables. `npm run bench:recall`, a minute or two. */
import * as conversation from "./recall/conversation.js";
import { measureSpeed } from "./recall/speed.js";

const SIZES = [1_000, 10_000, 100_000];

printConversation();
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
