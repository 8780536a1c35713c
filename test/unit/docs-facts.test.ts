/** Numbers in the documents that are defaults or versions: each is the one in the code. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readPath } from "../../src/config/setting.js";
import { defaults } from "../support/settings.js";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const read = (page: string): string => readFileSync(page, "utf8").replace(/\s+/g, " ");

/** A sentence, and the settings whose defaults its numbers are, in order. */
const facts: readonly [page: string, sentence: RegExp, ...settings: string[]][] = [
  [
    "README.md",
    /at most (\S+) calls and (\S+) tokens a day/,
    "background.dailyCalls",
    "background.dailyTokens",
  ],
  [
    "README.md",
    /take up to (\S+) MB and are kept for (\d+) days/,
    "toolResults.maxTotalMegabytes",
    "toolResults.maxAgeDays",
  ],
  ["docs/layers.md", /those over (\S+) bytes;/, "toolResults.threshold"],
  ["docs/layers.md", /together return more than (\S+) characters/, "toolResults.turnBudget"],
  [
    "docs/layers.md",
    /no context has used for (\d+) days, and above (\S+) MB/,
    "toolResults.maxAgeDays",
    "toolResults.maxTotalMegabytes",
  ],
  ["docs/layers.md", /A batch that frees at least (\S+) tokens/, "microCompact.floor"],
  [
    "docs/layers.md",
    /has grown by (\S+) tokens and (\d+) tool calls/,
    "sessionMemory.updateThreshold",
    "sessionMemory.toolCallThreshold",
  ],
  [
    "docs/layers.md",
    /When (\S+) tokens and (\d+) tool calls have followed your request/,
    "sessionMemory.goalDistance",
    "sessionMemory.goalRefresh",
  ],
  ["docs/layers.md", /At (\S+) tokens \(less when the model's window is smaller\)/, "autoCompact.threshold"],
  ["CHANGELOG.md", /results over (\S+) bytes,/, "toolResults.threshold"],
  ["CHANGELOG.md", /Full compact: at (\S+) tokens/, "autoCompact.threshold"],
];

it.each(facts)("%s says in %s what the default is", (page, sentence, ...settings) => {
  const [, ...numbers] = sentence.exec(read(page)) ?? [];
  expect(numbers.map((text) => Number(text.replaceAll(",", "")))).toEqual(
    settings.map((setting) => readPath(defaults, setting.split("."))),
  );
});

it("the documents name the version of OpenCode that the tests run", () => {
  const version = manifest.devDependencies["opencode-ai"];
  for (const page of ["README.md", "docs/settings.md"])
    expect(read(page), page).toContain(`OpenCode ${version}`);
});
