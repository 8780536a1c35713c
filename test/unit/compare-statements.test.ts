import { describe, expect, it } from "vitest";
import { compareStatements } from "../../src/gate/compare.js";

describe("a later statement, beside an earlier one", () => {
  const same: [string, string][] = [
    ["Never push to main.", "never push to main"],
    ["Never push to main", "Don't push to main."],
    ["The API listens on port 8080 in staging", "in staging, the API listens on port 8080"],
    ["We use pnpm, not npm.", "We use pnpm here, not npm"],
    ["永远不要直接推送到 main 分支。", "不要直接推送到 main 分支"],
  ];
  for (const [later, earlier] of same)
    it(`"${later}" is "${earlier}" again`, () => expect(compareStatements(later, earlier)).toBe("same"));

  const contradicting: [string, string][] = [
    ["no, the port is 5433, not 5432", "The port is 5432."],
    ["The port is 5433", "The port is 5432"],
    ["We use pnpm, not npm", "We use npm."],
    ["Use fetch instead of axios for requests", "Use axios for all requests"],
    ["Always squash merge", "Never squash merge"],
    ["端口是 5433,不是 5432", "端口是 5432"],
  ];
  for (const [later, earlier] of contradicting)
    it(`"${later}" contradicts "${earlier}"`, () =>
      expect(compareStatements(later, earlier)).toBe("contradicts"));

  const unrelated: [string, string][] = [
    ["The API port is 8080", "The database port is 5432"],
    ["I prefer tabs", "I prefer pytest"],
    ["We use pnpm, not npm", "npm audit runs in the nightly CI job"],
    ["Never push to main", "Never commit secrets"],
    ["Production times out after 29 s", "Staging times out after 30 s when idle"],
    ["我喜欢简短的回答", "我喜欢用 Vim"],
    ["The production database listens on port 5432", "The staging database listens on port 5433"],
    ["The login page must load in 2 seconds", "The checkout page must load in 3 seconds"],
    ["Ticket #12 is blocked by the audit", "Ticket #13 is blocked by the audit"],
    [
      "Run the unit tests and the linter before each commit to a feature branch",
      "Run the unit tests and the linter before each commit to a release branch",
    ],
    ["Never use tabs in Python files", "Use tabs in the Makefiles"],
    ["Use spaces, not tabs, in Python files", "Use tabs in Makefiles"],
    ["", "The port is 5432"],
  ];
  for (const [later, earlier] of unrelated)
    it(`"${later}" has nothing to do with "${earlier}"`, () =>
      expect(compareStatements(later, earlier)).toBe("other"));
});
