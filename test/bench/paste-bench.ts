/**
 * Does a paste hold the host up? A megabyte of each shape is sent as a user's message, to a bare host and to one with the
 * plugin in the same run; while the turn runs and for a while after it, `GET /session` is asked again and again. Printed
 * is the longest that an answer took: the best of some runs, for what is ours is there in each of them.
 *
 *     tsx test/bench/paste-bench.ts [shape]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openStage, type Stage } from "../host/stage/stage.js";
import { shapes } from "../support/shapes.js";

const SIZE = 1_000_000;
const RUNS = 3;
/** The plugin's work behind a turn begins when the session is idle. */
const AFTER_MS = 1_500;
const EVERY_MS = 5;
/** The plugin may make an answer take so much longer. */
const LIMIT_MS = 50;
/** Of the hosts' warm-up, which is no paste's. */
const SMALL = 1_000;

const PASTED = [
  '"。" × n',
  '"? " × n',
  '"a\\n" × n',
  '"<a " × n',
  '"密码是" × n',
  "CSV on one line",
  "JavaScript on one line",
  "base64",
  "prose in sentences",
  "prose in lines of 3,900 characters",
  "log",
];

const wanted = process.argv[2] ?? "";
const pasted = shapes.filter(({ name }) => PASTED.includes(name) && name.includes(wanted));

await using bare = await openStage({ plugin: [], config: { snapshot: true } });
await using withStrata = await openStage({ config: { snapshot: true } });
for (const stage of [bare, withStrata]) await measure(stage, "z ".repeat(SMALL));

console.log(`GET /session, the longest answer in ms while ${SIZE} characters are pasted and just after`);
console.log(`${"".padEnd(38)}${"bare".padStart(9)}${"Strata".padStart(9)}${"more".padStart(9)}`);
let isAbove = false;
for (const { make, name } of pasted) {
  const text = make(SIZE);
  const longest = { bare: Number.POSITIVE_INFINITY, withStrata: Number.POSITIVE_INFINITY };
  // Alternating, so that a machine that slows down slows both.
  for (let run = 0; run < RUNS; run++) {
    longest.bare = Math.min(longest.bare, await measure(bare, text));
    longest.withStrata = Math.min(longest.withStrata, await measure(withStrata, text));
  }
  const more = longest.withStrata - longest.bare;
  isAbove ||= more > LIMIT_MS;
  const figures = [longest.bare, longest.withStrata, more].map((ms) => ms.toFixed(0).padStart(9)).join("");
  console.log(`${name.padEnd(38)}${figures}${more > LIMIT_MS ? `  ABOVE ${LIMIT_MS} ms` : ""}`);
}
if (isAbove) process.exitCode = 1;

/** The longest answer while one turn with this text runs, and after it. */
async function measure({ host, newSession }: Stage, text: string): Promise<number> {
  const session = await newSession("paste");
  let endsAt = Number.POSITIVE_INFINITY;
  const turn = session.ask(text).finally(() => {
    endsAt = performance.now() + AFTER_MS;
  });
  // Waited for below; until then its failure is nobody's surprise.
  turn.catch(() => {});
  let longest = 0;
  while (performance.now() < endsAt) {
    const began = performance.now();
    await host.api("GET", "/session");
    longest = Math.max(longest, performance.now() - began);
    await sleep(EVERY_MS);
  }
  await turn;
  await session.remove();
  return longest;
}
