/** Tests of the simulated prompt cache: what it shares, for how long, and how fast. */

import { expect, test } from "vitest";
import { createPromptCache } from "./prompt-cache.js";

function cacheWithClock(lifetimeMs = 1_000) {
  const clock = { time: 0 };
  return { clock, cache: createPromptCache({ lifetimeMs, now: () => clock.time }) };
}

test("an empty cache shares nothing, and reading does not fill it", () => {
  const { cache } = cacheWithClock();
  expect(cache.read("abc")).toBe(0);
  expect(cache.read("abc")).toBe(0);
});

test("the longest prefix among all entries is shared, counted in bytes", () => {
  const { cache } = cacheWithClock();
  cache.write("héllo there");
  cache.write("hé");
  cache.write("other");
  expect(cache.read("héllo world")).toBe(Buffer.byteLength("héllo "));
  expect(cache.read("héllo there, you")).toBe(Buffer.byteLength("héllo there"));
  expect(cache.read("x")).toBe(0);
});

test("every length of shared prefix is found exactly", () => {
  const { cache } = cacheWithClock();
  const entry = "0123456789abcdef".repeat(4);
  cache.write(entry);
  for (let length = 0; length <= entry.length; length++) {
    expect(cache.read(`${entry.slice(0, length)}!`)).toBe(length);
  }
});

test("an entry expires after its lifetime without use, and reading it restarts the lifetime", () => {
  const { cache, clock } = cacheWithClock(1_000);
  cache.write("abc");
  clock.time = 999;
  expect(cache.read("abc")).toBe(3);
  clock.time = 1_998;
  expect(cache.read("abcd")).toBe(3);
  clock.time = 2_998;
  expect(cache.read("abc")).toBe(0);
});

test("a partial read refreshes only the part it read, not the rest of the entry", () => {
  const { cache, clock } = cacheWithClock(1_000);
  cache.write("shared-tail");
  clock.time = 900;
  expect(cache.read("shared-other")).toBe("shared-".length);
  clock.time = 1_800;
  expect(cache.read("shared-tail")).toBe("shared-".length);
});

test("megabyte prompts in hundreds of diverging entries are compared in well under a second", () => {
  const { cache } = cacheWithClock();
  const common = "a line of a long prompt\n".repeat(45_000);
  for (let entry = 0; entry < 300; entry++) cache.write(`${common}${"x".repeat(entry)}y${entry}`);
  const begun = performance.now();
  expect(cache.read(`${common}xxxxz`)).toBe(common.length + 4);
  expect(performance.now() - begun).toBeLessThan(1_000);
});
