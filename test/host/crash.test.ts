/** The host is killed in the middle of its work, again and again. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pathIn } from "../support/messages.js";
import { isLong } from "../support/sizes.js";
import { firstDifference } from "./stage/model-request.js";
import { openStage } from "./stage/stage.js";
import { call, calls, say } from "./stage/steps.js";

const blob = (bytes: number) => call("mcp_blob", { bytes });

test("a session whose host is killed in the middle of turns goes on, no byte changes, and every preview's file is whole", async () => {
  await using stage = await openStage({ mcp: true });
  const session = await stage.newSession("crashes");
  let step = 0;
  stage.model.respond(() => {
    step++;
    return step % 3 === 0
      ? calls(blob(31_000 + step), blob(40_000 + step), blob(5_000 + step))
      : blob(33_000 + step);
  });
  const killedAfter = isLong ? [1, 2, 3, 4, 5, 6] : [3, 5];
  for (const count of killedAfter) {
    const before = stage.model.requests.length;
    const turn = stage
      .session(session.id)
      .ask("go")
      .catch(() => "killed");
    await stage.model.waitForRequest((request) => stage.model.requests.indexOf(request) >= before + count);
    await stage.restart({ kill: true });
    await turn;
  }
  stage.model.respond(() => say("the end"));
  expect((await stage.session(session.id).ask("finish")).text).toBe("the end");

  const { requests } = stage.model;
  expect(requests.length).toBeGreaterThan(killedAfter.reduce((sum, count) => sum + count, 0));
  for (const [index, later] of requests.entries()) {
    const earlier = requests[index - 1];
    if (earlier) expect(firstDifference(earlier, later), `request ${index}`).toBeUndefined();
  }
  const previews = stage.model
    .lastRequest()
    .toolResults()
    .filter(({ text }) => text.startsWith("[Strata]"));
  expect(previews.length).toBeGreaterThan(isLong ? 10 : 5);
  for (const { text } of previews) {
    const bytes = Number(/\(([\d,]+) bytes/.exec(text)?.[1]?.replaceAll(",", ""));
    expect(readFileSync(pathIn(text)).byteLength).toBe(bytes);
  }
});
