import { describe, expect, it } from "vitest";
import { findReasons, findRules } from "../../src/notes/wording.js";

describe("rules in what a user says", () => {
  const rules = [
    "Never touch dist.",
    "Always run the tests first.",
    "You must not change the API.",
    "don't commit yet",
    "No new dependencies.",
    "Use pnpm, not npm.",
    "I prefer tabs.",
    "Remember that CI has Node 20.",
    "We only support Linux.",
    "Could you always sign commits?",
    "不要改动公共接口。",
    "必须先跑测试。",
    "记住,用中文回答。",
    "应该优先考虑性能。",
  ];
  for (const text of rules)
    it(`"${text}" is a rule`, () => expect(findRules(text)).toEqual([{ kind: "rule", text }]));

  const corrections = [
    "No, the other file.",
    "That's wrong.",
    "Actually it is the parser.",
    "stop",
    "Use fetch instead.",
    "不对,是另一个文件。",
    "改用 pnpm。",
  ];
  for (const text of corrections)
    it(`"${text}" is a correction`, () => expect(findRules(text)).toEqual([{ kind: "correction", text }]));

  for (const text of ["Fix the login page.", "Is it the only one?", "how should I start it?", "你好", ""])
    it(`"${text}" is neither`, () => expect(findRules(text)).toEqual([]));

  it("rules in what a user says are cut out of the text sentence by sentence, in the user's words, also over a wrapped line", () => {
    const text =
      "Fix src/a.ts. Never use any, e.g. in casts! Then ship.\n- always lint\n1. 不要提交。然后 push。\n" +
      "Whatever you do with the configuration files, you must keep the\ncomments in them as they are. Thanks.";
    expect(findRules(text).map((rule) => rule.text)).toEqual([
      "Never use any, e.g. in casts!",
      "always lint",
      "不要提交。",
      "Whatever you do with the configuration files, you must keep the comments in them as they are.",
    ]);
  });

  it("rules in what a user says are not looked for in code, quotations and stack traces", () => {
    const text = "```\nyou must never\n```\n> always quoted\n    never indented\n  at never (a.js:1)\nok";
    expect(findRules(text)).toEqual([]);
  });

  it("rules in what a user says are few, whatever was pasted", () => {
    expect(findRules("you must obey. ".repeat(100_000))).toEqual([]);
    expect(findRules("you must obey. ".repeat(100).concat("\n\n").repeat(1_000))).toHaveLength(40);
    expect(findRules(`never ${"x".repeat(700)}`)).toEqual([]);
  });
});

it("what an agent decides with a reason is found, what it merely does is not", () => {
  expect(
    findReasons(
      "I read it. I chose SQLite because it needs no server. 决定使用缓存,因为请求太多而且很慢很慢。",
    ),
  ).toEqual(["I chose SQLite because it needs no server.", "决定使用缓存,因为请求太多而且很慢很慢。"]);
});
