/** The rule files that the real OpenCode sends, and how memories of `strata bootstrap` appear in it. */
import { expect, test } from "vitest";
import { BOOT_HEAD } from "../../../layers/5-auto-memory/injection/boot.js";
import { FOREIGN_HEAD } from "../../../layers/5-auto-memory/injection/line.js";
import { openStage, type Stage } from "../stage/stage.js";
import { say } from "../stage/steps.js";
import { strata } from "../stage/strata.js";
import { HOST } from "../stage/which-host.js";

const RULE_FILES = {
  "CLAUDE.md": "Rule of Claude: run make check.",
  ".cursorrules": "Rule of Cursor: small functions.",
  ".windsurfrules": "Rule of Windsurf: tests first.",
  ".github/copilot-instructions.md": "Rule of Copilot: answer in English.",
  "package.json": '{"name":"shop","scripts":{"build":"tsc -b"}}\n',
};

const bootstrap = ({ project }: Stage): string => strata(project, "bootstrap").stdout;

async function greet(stage: Stage, title: string): Promise<string> {
  stage.model.script(say("good morning"));
  await (await stage.newSession(title)).ask("Good morning.");
  return JSON.stringify(stage.model.lastRequest().body);
}

test("OpenCode sends AGENTS.md but no file that bootstrap reads rules from; those appear as the repository's words", async () => {
  await using stage = await openStage({
    files: { "AGENTS.md": "Rule of the host: tabs.", ...RULE_FILES },
  });
  const before = await greet(stage, "before");
  expect(before).toContain("Rule of the host");
  expect(before).not.toMatch(/Rule of (Claude|Cursor|Windsurf|Copilot)/);
  expect(bootstrap(stage)).toMatch(/^Added: 5 memories\n/);
  await greet(stage, "after");
  const text = stage.model.lastRequest().textOf("user");
  const [users = "", foreign = ""] = text.slice(text.indexOf(BOOT_HEAD)).split(FOREIGN_HEAD);
  for (const name of ["Claude", "Cursor", "Windsurf", "Copilot"])
    expect(foreign).toContain(`Rule of ${name}`);
  expect(foreign).toContain("`tsc -b`");
  expect(users).not.toContain("Rule of");
});

test("CLAUDE.md without an AGENTS.md: OpenCode 1 sends it and bootstrap leaves it alone, for OpenCode 2 it becomes a memory", async () => {
  await using stage = await openStage({ files: RULE_FILES });
  expect(bootstrap(stage)).toMatch(HOST === 1 ? /^Added: 4 memories\n/ : /^Added: 5 memories\n/);
  const sent = await greet(stage, "first");
  expect(sent.split("Rule of Claude")).toHaveLength(2);
  expect(sent.includes("Rules from CLAUDE.md")).toBe(HOST === 2);
});
