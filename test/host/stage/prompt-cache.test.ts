/** Tests of the simulated prompt cache: what it shares, for how long, and how fast. */

import { expect, test } from "vitest";
import { createPromptCache } from "../../../src/trial/requests.js";

function cacheWithClock(lifetimeMs = 1_000) {
  const clock = { time: 0 };
  return { clock, cache: createPromptCache({ lifetimeMs, now: () => clock.time }) };
}

test("the longest prefix among all entries is shared, counted in bytes", () => {
  const { cache } = cacheWithClock();
  cache.write("héllo there");
  cache.write("hé");
  cache.write("other");
  expect(cache.read("héllo world")).toBe(Buffer.byteLength("héllo "));
  expect(cache.read("héllo there, you")).toBe(Buffer.byteLength("héllo there"));
  expect(cache.read("x")).toBe(0);
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
