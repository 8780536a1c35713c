/** Definitions of tools stand at the head of every request: another byte in them would cost every session its cache. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sources } from "./repository.js";
import { openStage } from "./stage/stage.js";
import { say } from "./stage/steps.js";

interface Definition {
  function: { name: string };
}

test("the definitions of our tools are sent as they were sent before, to the byte", async () => {
  const sample = readFileSync(join(sources, "test/host/tool-definitions.json"), "utf8");
  const before = JSON.parse(sample) as Definition[];
  await using stage = await openStage();
  stage.model.script(say("done"));
  await (await stage.newSession("tools")).ask("go");
  const sent = stage.model.lastRequest().tools as Definition[];
  for (const one of before) {
    const { name } = one.function;
    const found = sent.find((tool) => tool.function.name === name);
    expect(JSON.stringify(found), name).toBe(JSON.stringify(one));
  }
  const others = sent.filter((tool) => !before.some((one) => one.function.name === tool.function.name));
  expect(others.filter(({ function: { name } }) => /^(memory|fork|lease|send)/.test(name))).toEqual([]);
});
