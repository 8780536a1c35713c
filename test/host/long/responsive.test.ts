import { describe, expect, it } from "vitest";
import { shapes } from "../../support/shapes.js";
import { openStage } from "../stage/stage.js";

/** Far more than it takes on any machine, and far less than what stood still did. */
const WITHIN_MS = 10_000;
const PASTED = [
  '"。" × n',
  '"? " × n',
  "CSV on one line",
  "JavaScript on one line",
  "prose in sentences",
  '"a@b" × n',
];

describe("a megabyte that is pasted", () => {
  it("a pasted megabyte delays nobody: the host answers others meanwhile, and after a kill and a restart", async () => {
    await using stage = await openStage();
    const session = await stage.newSession("pasted");
    await session.ask("Hello.");
    for (const { make } of shapes.filter(({ name }) => PASTED.includes(name))) {
      await session.ask(make(1_000_000));
      await stage.host.api("GET", "/session", undefined, WITHIN_MS);
    }
    await stage.restart({ kill: true });
    const other = await stage.newSession("other");
    await other.ask("Hello after the restart.");
    await stage.host.api("GET", "/session", undefined, WITHIN_MS);
    expect(stage.model.lastRequest().textOf("user")).toContain("Hello after the restart.");
  });
});

describe("a memory whose frontmatter would take long to read", () => {
  it.each([
    ["tags", `title: ${"!!x ".repeat(25_000)}`],
    ["names", Array.from({ length: 15_000 }, (_, n) => `k${n}: 1`).join("\n")],
  ])("a memory whose frontmatter has too many %s does not delay the first turn", async (_, front) => {
    const files = { ".opencode/memory/knowledge/x.md": `---\n${front}\n---\nx\n` };
    await using stage = await openStage({ files });
    await (await stage.newSession("t")).ask("Hello.");
    await stage.host.api("GET", "/session", undefined, WITHIN_MS);
    expect(stage.model.requests.length).toBeGreaterThan(0);
  });
});
