/**
 * How long a piece of ours can hold the host's only thread, whatever the text. Every reader gets every shape in three
 * sizes; printed is the longest piece of each, with its shape, and what a megabyte takes of what 100 KB take.
 *
 *     tsx test/bench/longest-piece.ts [reader] [pattern for shapes]
 *     BUN_BE_BUN=1 opencode test/bench/longest-piece.ts [reader]     under the host's own engine
 */

import { nodeFiles } from "../../src/io/node-files.js";
import { shapes } from "../support/shapes.js";
import { type Reader, readers } from "./longest-piece/readers.js";

const SIZES = [10_000, 100_000, 1_000_000];
/** No piece may be longer. */
const LIMIT_MS = 50;
/** What may take longer than this is not tried. */
const PATIENCE_MS = 20_000;

interface Longest {
  ms: number;
  shape: string;
}

/** By the clock or by the processor, whichever is less: what else the machine does counts for the one, what other threads of ours do for the other. */
function startTime(): () => number {
  const [began, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const { system, user } = process.cpuUsage(used);
    return Math.min(performance.now() - began, (user + system) / 1_000);
  };
}

async function measure({ read }: Reader, text: string): Promise<number> {
  let result: unknown;
  let end = startTime();
  let longest = 0;
  const endPiece = (): void => {
    longest = Math.max(longest, end());
  };
  const stat = async (): Promise<undefined> => {
    endPiece();
    await new Promise(setImmediate);
    end = startTime();
    return undefined;
  };
  result = read(text, { ...nodeFiles, stat });
  if (result instanceof Promise) {
    await result;
    endPiece();
    return longest;
  }
  endPiece();
  const work = result;
  if (!isSliced(work)) return longest;
  for (let isDone = false; !isDone; ) {
    end = startTime();
    isDone = work.next().done === true;
    endPiece();
  }
  return longest;
}

/** Patterns are compiled when they are first used, which takes the host's engine 10 ms in all and Node's 70. */
async function warmUp(reader: Reader): Promise<void> {
  for (let n = 0; n < 3; n++)
    await measure(reader, "z and we use it. Never use tabs. 我们不要总是使用旧的。");
}

function isSliced(result: unknown): result is Iterator<unknown> {
  return typeof result === "object" && result !== null && Symbol.iterator in result && "next" in result;
}

/** The better of two: what else the machine does, and the first compilation, is no work of ours. */
async function measureTwice(reader: Reader, text: string): Promise<number> {
  const first = await measure(reader, text);
  return first < LIMIT_MS / 5 ? first : Math.min(first, await measure(reader, text));
}

async function measureAll(reader: Reader): Promise<Longest[]> {
  const longest: Longest[] = SIZES.map(() => ({ ms: 0, shape: "" }));
  for (const { name, make } of tried) {
    let before = 0;
    for (const [index, size] of SIZES.entries()) {
      const guess = before * 100;
      const ms = guess > PATIENCE_MS ? Number.POSITIVE_INFINITY : await measureTwice(reader, make(size));
      before = ms;
      if (ms > (longest[index]?.ms ?? 0)) longest[index] = { ms, shape: name };
    }
  }
  return longest;
}

const wanted = process.argv[2] ?? "";
const tried = shapes.filter(({ name }) => new RegExp(process.argv[3] ?? "").test(name));
const format = (ms: number): string => (Number.isFinite(ms) ? ms.toFixed(1) : `> ${PATIENCE_MS}`);
console.log(
  `${readers.length} readers, ${tried.length} shapes; the longest piece in ms at 10 KB, 100 KB, 1 MB`,
);
let isAbove = false;
for (const reader of readers.filter(({ name }) => name.includes(wanted))) {
  await warmUp(reader);
  const longest = await measureAll(reader);
  const [, middle, last] = longest;
  const ratio = (last?.ms ?? 0) / Math.max(0.1, middle?.ms ?? 0);
  const isTooLong = longest.some(({ ms }) => ms > LIMIT_MS);
  isAbove ||= isTooLong;
  const figures = longest.map(({ ms }) => format(ms).padStart(9)).join("");
  console.log(
    `${reader.name.padEnd(26)}${figures}  × ${ratio.toFixed(1).padStart(6)}  ${isTooLong ? `ABOVE ${LIMIT_MS} ms  ` : ""}${last?.shape}`,
  );
}
if (isAbove) process.exitCode = 1;
