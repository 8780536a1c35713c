/** What a `.gitignore` keeps out of git, held against the real git. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatNegation, planRules, readIgnored, TORN_RULE } from "../../src/base/git-ignore.js";
import { planKeepingRules, planPublishingRules, withoutPublishing } from "../../src/memory/kept-out.js";

const PATHS = [
  "preference/tone.md",
  "preference/a b.md",
  "preference/a[1]*.md",
  "archive/preference/tone.md",
  "feedback/x.md",
  "decision/port.md",
  "MEMORY.md",
  "errors.log",
  `MEMORY.md.${randomUUID()}`,
  `decision/port.md.${randomUUID()}`,
];
const KEEPING = planKeepingRules(["preference", "feedback"]).join("\n");
const TEXTS = [
  "",
  "MEMORY.md\n",
  "*\n",
  "*\n!preference/tone.md\n",
  "preference/\n!/preference/tone.md\n",
  "preference/*\n!preference/tone.md\n",
  "/preference\n",
  "*.md\n!tone.md\n",
  "**/tone.md\n",
  "preference/**\n!preference/t?ne.md\n",
  "archive/**/tone.md\n",
  "# preference/*\n\\#x\n",
  "preference/* \n!preference/tone.md\npreference/t*\n",
  "errors.log*\nMEM*\n",
  `${KEEPING}\n`,
  `${TORN_RULE}\n`,
  ...PATHS.map((path) => `${KEEPING}\n${formatNegation(path)}\n`),
];

describe("the reading of a .gitignore", () => {
  let project = "";
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "strata-ignore-"));
    execFileSync("git", ["init", "-q"], { cwd: project });
    for (const path of PATHS) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), "x");
    }
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it.each(TEXTS)("agrees with git about %j", (text) => {
    writeFileSync(join(project, ".gitignore"), text);
    const untracked = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], {
      cwd: project,
      encoding: "utf8",
    }).split("\0");
    const ignored = PATHS.filter((path) => !untracked.includes(path));
    expect(PATHS.filter((path) => readIgnored(text)(path))).toEqual(ignored);
  });

  it("keeps other rules in force below the negation of one file", () => {
    const text = `errors.log\n/preference/*\n${planPublishingRules("preference/tone.md").join("\n")}\n`;
    expect(planRules(text, ["errors.log", "/preference/*", "*"])).toEqual(["*"]);
    expect(planRules("*\n!/preference/tone.md\n", ["*"])).toEqual(["*"]);
    expect(planRules("tone.md\n!/preference/tone.md\n", ["tone.md"])).toEqual(["tone.md"]);
  });

  it("loses the rules of one published memory and no others", () => {
    const [one, other] = ["preference/tone.md", "feedback/x.md"].map((path) => planPublishingRules(path));
    const text = [KEEPING, ...(one ?? []), ...(other ?? []), ""].join("\n");
    const left = withoutPublishing(text, "archive/preference/tone.md");
    expect(readIgnored(left)("preference/tone.md")).toBe(true);
    expect(readIgnored(left)("feedback/x.md")).toBe(false);
  });
});
