import { describe, expect, it } from "vitest";
import { compilePattern, findTriggerRules, takeApart } from "../../layers/5-auto-memory/injection/line.js";
import { memory } from "../support/memories.js";

const fits = (pattern: string, subject: { command?: string; path?: string }) =>
  compilePattern(pattern)?.(takeApart(subject)) ?? false;

describe("what a rule waits for", () => {
  it.each([
    ["git push", "git push --force origin main", true],
    ["git push", "cd web && git push", true],
    ["git push", "git pull && push-all", false],
    ["--force*", "git push --force-with-lease", true],
    ["npm", "pnpm install", false],
    ["deploy", "npm run deploy:prod", true],
    ["migrat*", "prisma migrate dev", true],
    ["migrations", "psql -f db/migrations/001.sql", true],
    ["src/db", "cat ./src/db/a.sql", true],
    ["src/db/**", "cat src/database/a.sql", false],
  ])("%s in the command %s: %s", (pattern, command, expected) => {
    expect(fits(pattern, { command })).toBe(expected);
  });

  it.each([
    ["src/db", "src/db/deep/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/very/deep/a.ts", true],
    ["package.json", "web/package.json", true],
    ["migrations", "db/migrations/001.sql", true],
    [".env*", ".env.local", true],
    ["git push", "git push", false],
  ])("%s for the path %s: %s", (pattern, path, expected) => {
    expect(fits(pattern, { path })).toBe(expected);
  });

  it("what a rule waits for counts only for the user's own: one that came with the repository waits for nothing", () => {
    const rule = memory("force", "Never force-push.", { type: "directive", when: ["git push"] });
    expect(findTriggerRules([rule, { ...rule, isForeign: true }])).toHaveLength(1);
  });

  it("what a rule waits for is not anything at all: a pattern without a letter or digit is none", () => {
    for (const pattern of ["", " ", "*", "**/*", "/", "x".repeat(201)])
      expect(compilePattern(pattern)).toBeUndefined();
  });
});
