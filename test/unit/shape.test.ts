import { describe, expect, it } from "vitest";
import {
  anyList,
  anyObject,
  type Check,
  count,
  either,
  finite,
  integer,
  list,
  matching,
  number,
  object,
  oneOf,
  optional,
  parserOf,
  string,
  unchecked,
} from "../../src/base/shape.js";
import { fc } from "../support/property.js";

interface Letter {
  id: string;
  at: number;
  goal?: string;
  from?: { name: string };
}

const isLetter = object<Letter>({ id: string, at: number, goal: optional(string) });

const values = [
  "",
  "a",
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  null,
  undefined,
  [],
  {},
  ["a"],
];

it.each<[string, Check<unknown>, readonly unknown[]]>([
  ["string", string, ["", "a"]],
  ["number", number, [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]],
  ["finite", finite, [0, -1, 1.5]],
  ["integer", integer, [0, -1]],
  ["count", count, [0, 1.5]],
  ["matching", matching(/^a$/), ["a"]],
  ["oneOf", oneOf(["a", null]), ["a", null]],
  ["optional", optional(string), ["", "a", undefined]],
  ["either", either(string, integer), ["", "a", 0, -1]],
  ["list", list(string), [[], ["a"]]],
  ["anyList", anyList, [[], ["a"]]],
  ["anyObject", anyObject, [{}]],
  ["object", object<object>({}), [{}]],
  ["unchecked", unchecked, values],
])("%s takes what it names and nothing else", (_, check, taken) => {
  expect(values.filter((value) => check(value))).toEqual(taken);
});

describe("object", () => {
  it("refuses an optional field of another kind where it is named", () => {
    expect(isLetter({ id: "a", at: 1, goal: 1 })).toBe(false);
    expect(isLetter({ id: "a", at: 1, goal: null })).toBe(false);
  });
});

it("no value makes a check throw, and none is changed by one", () => {
  const checks: readonly Check<unknown>[] = [
    isLetter,
    list(isLetter),
    either(isLetter, list(string)),
    matching(/./),
    optional(anyObject),
  ];
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = JSON.stringify(value);
      for (const check of checks) expect(parserOf(check)(value)).toBe(check(value) ? value : undefined);
      expect(JSON.stringify(value)).toBe(before);
    }),
    { numRuns: 200 },
  );
});
