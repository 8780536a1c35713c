/** The page of /keep on OpenCode's real screen: one key keeps, another drops, whatever the cursor is on. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../repository.js";
import { isolation } from "../stage/opencode.js";
import { runStrata } from "../stage/strata.js";
import { openTuiStage } from "../terminal/tui-stage.js";

const SAID = [
  "In Berlin they number invoices per year and never twice, as the law of 2019 wants it. We talked about it at length last week.",
  "The warehouse of Lyon sends its stock at 23:00 as stock/lyon.csv, with a semicolon between the columns. It took them a day.",
  "Prices in Oslo hold 25 % of tax already, so nothing may be added to them in the basket. Their shop was here before ours.",
];

test("on the page of /keep ctrl+d drops the sentence at the cursor, and ctrl+y keeps the one below it", async () => {
  await using stage = await openTuiStage({ plugin: repository, screen: repository });
  const lines = SAID.map((text, n) => JSON.stringify({ id: `m${n}`, session: `s${n}`, text }));
  const path = join(stage.project.root, "said.jsonl");
  writeFileSync(path, lines.join("\n"));
  const env = isolation(stage.project);
  await runStrata(stage.project, ["learn", path], { env });
  const listed = await runStrata(stage.project, ["candidates", "--json"], { env });
  const [first, second, third] = JSON.parse(listed.out).candidates.map(
    ({ text }: { text: string }) => /Berlin|Lyon|Oslo/.exec(text)?.[0] ?? "",
  );
  await using tui = await stage.openTui();
  await tui.run("/keep");
  await tui.waitFor(/may become memories \(3\): ctrl\+y keeps, ctrl\+d drops/);
  tui.press("ctrl+d");
  const left = await tui.waitFor(/may become memories \(2\)/);
  expect(left).not.toContain(`In ${first}`);
  tui.press("down", "ctrl+y");
  await tui.waitFor(/may become memories \(1\)/);
  const { out } = await runStrata(stage.project, ["list"], { env });
  expect(out).toContain(third);
  expect(out).not.toContain(second);
});
