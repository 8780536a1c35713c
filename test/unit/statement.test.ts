import { describe, expect, it } from "vitest";
import { foldSentence } from "../../src/base/text.js";
import { compareStatements, readMeaning } from "../../src/text/compare.js";
import {
  coverageOf,
  findStrayPivot,
  findUnsupported,
  isDecidedAlike,
  isNegated,
  isNegative,
  overlapOf,
  readStems,
  readWords,
} from "../../src/text/words.js";

describe("a later statement, beside an earlier one", () => {
  const same: [string, string][] = [
    ["Never push to main.", "never push to main"],
    ["Never push to main", "Don't push to main."],
    ["The API listens on port 8080 in staging", "in staging, the API listens on port 8080"],
    ["永远不要直接推送到 main 分支。", "不要直接推送到 main 分支"],
    ["服务监听 ８０８０ 端口", "服务监听 8080 端口"],
  ];
  for (const [later, earlier] of same)
    it(`"${later}" is "${earlier}" again`, () => expect(compareStatements(later, earlier)).toBe("same"));

  const contradicting: [string, string][] = [
    ["no, the port is 5433, not 5432", "The port is 5432."],
    ["We use pnpm, not npm", "We use npm."],
    ["Always squash merge", "Never squash merge"],
    ["端口是 5433,不是 5432", "端口是 5432"],
    ["The tests do not touch the network.", "The tests touch the network."],
  ];
  for (const [later, earlier] of contradicting)
    it(`"${later}" contradicts "${earlier}"`, () =>
      expect(compareStatements(later, earlier)).toBe("contradicts"));

  const unrelated: [string, string][] = [
    ["The API port is 8080", "The database port is 5432"],
    ["Server 65 listens on port 2065", "Server 64 listens on port 2064"],
    ["We use pnpm, not npm", "npm audit runs in the nightly CI job"],
    ["Production times out after 29 s", "Staging times out after 30 s when idle"],
    ["The production database listens on port 5432", "The staging database listens on port 5433"],
    [
      "Run the unit tests and the linter before each commit to a feature branch",
      "Run the unit tests and the linter before each commit to a release branch",
    ],
    ["Use spaces, not tabs, in Python files", "Use tabs in Makefiles"],
    ["", "The port is 5432"],
    ["8080", "8081"],
  ];
  for (const [later, earlier] of unrelated)
    it(`"${later}" has nothing to do with "${earlier}"`, () =>
      expect(compareStatements(later, earlier)).toBe("other"));
});

describe("the words of a statement", () => {
  const list = (words: Iterable<string>): string => [...words].join(" ");

  it("are the same in another spelling, case and number; names, paths and numbers stay whole", () => {
    expect(list(readWords("The tests of src/a.ts, and #12 of the v1.2 API's users."))).toBe(
      "test src/a.ts #12 v1.2 api user",
    );
    expect(list(readWords("在 ８０８０ 端口"))).toBe("8080 端口");
    expect(list(readWords("It’s the cafe\u0301’s\u200b menu"))).toBe("café menu");
  });

  it("exclude words that only negate it", () => {
    expect(list(readWords("Never push, don’t merge, it cannot wait"))).toBe("push merge wait");
  });

  it("are stemmed for finding a subject, not for deciding that two texts say the same", () => {
    expect(list(readStems("Pushing files 到端口"))).toBe("push file 到 端 口");
    expect(list(readWords("Pushing files 到端口"))).toBe("pushing file 到端 端口");
  });

  it("overlap as a share of both, or of one in the other", () => {
    const [one, other] = [new Set(["a", "b"]), new Set(["b", "c", "d"])];
    expect(overlapOf(one, other)).toBe(0.25);
    expect(coverageOf(one, other)).toBe(0.5);
    expect([overlapOf(new Set(), new Set()), coverageOf(new Set(), other)]).toEqual([0, 1]);
  });
});

describe("a sentence", () => {
  it("is the same with other spaces, capitals and final punctuation, and with no other symbol or word", () => {
    expect(foldSentence(" Use  TABS!。")).toBe(foldSentence("use tabs"));
    expect(foldSentence("use tabs?")).not.toBe(foldSentence("use tabs"));
  });

  it("has the meaning of another that differs only in free wording", () => {
    expect(readMeaning("In staging, don’t use the DB.")).toBe(
      readMeaning("do not use the database in staging"),
    );
    expect(readMeaning("Use `readFile`.")).not.toBe(readMeaning("Use `readfile`."));
  });
});

describe("a negation", () => {
  it.each([
    "Don't push",
    "dont push",
    "It isn’t so",
    "We won't",
    "不要推送",
    "avoid it",
    "forbidden",
    "without it",
  ])("negates and rules out: %j", (text) =>
    expect([isNegated(text), isNegative(text)]).toEqual([true, true]),
  );

  it.each(["No, use tabs", "wait - use tabs", "We want a current segment", "Nothing is noted", "use tabs"])(
    "is not what sounds like one: %j",
    (text) => expect([isNegated(text), isNegative(text)]).toEqual([false, false]),
  );

  it("in the past tense rules nothing out, and two cancel out", () => {
    expect([isNegated("It didn't work"), isNegative("It didn't work")]).toEqual([true, false]);
    expect([isNegated("Never push without a review"), isNegative("Never push without a review")]).toEqual([
      false,
      true,
    ]);
  });
});

describe("what an agent hands over", () => {
  it("is as decided as the user's words: neither negated nor made absolute", () => {
    expect(isDecidedAlike("never push", "don't push")).toBe(true);
    expect(isDecidedAlike("push", "don't push")).toBe(false);
    expect(isDecidedAlike("always push", "push")).toBe(false);
    expect(isDecidedAlike("push", "always push")).toBe(true);
  });

  it("names no number, path or option that the user did not, in any spelling", () => {
    expect(findUnsupported("port 8080 in src/a.ts", "Port ８０８０, in SRC/A.ts.")).toBeUndefined();
    expect(findUnsupported("about 105 rows", "about 10⁵ rows")).toBe("105");
    expect(findUnsupported("use --force", "use force")).toBe("--force");
  });
});

describe("a text that stands for others", () => {
  it("keeps each of their numbers, names and negations, and adds none", () => {
    const texts = ["Staging listens on 8080.", "Never push to `main` on Fridays."];
    const worded = "Staging listens on 8080; never push to `main` on Fridays.";
    expect(findStrayPivot(texts, worded)).toBeUndefined();
    expect(findStrayPivot(texts, worded.replace("8080", "8081"))).toEqual({ lost: "8080" });
    expect(findStrayPivot(texts, `${worded} Ask Alice.`)).toEqual({ added: "alice" });
    expect(findStrayPivot(["Dont push."], "Push.")).toEqual({ lost: "dont" });
    // A test database is one of several; to develop and to test are what everybody does.
    expect(findStrayPivot(["测试库端口是 5433"], "库端口是 5433")).toEqual({ lost: "测试" });
    expect(findStrayPivot(["先开发再测试"], "先做再验")).toBeUndefined();
  });
});
