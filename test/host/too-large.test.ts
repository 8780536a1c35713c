/** A request that is refused because of its size in bytes, whatever the window. */
import { expect, test } from "vitest";
import { isSummarizing } from "./stage/model-request.js";
import { openStage } from "./stage/stage.js";
import { fail, say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";

const MOST_BYTES = 130_000;

test("a provider that answers 413 refuses one request, and from then on history is cut in time", async () => {
  await using stage = await openStage();
  const isRefused = ({ bytes }: { bytes: number }): boolean => bytes > MOST_BYTES;
  stage.model.respond((request) =>
    isRefused(request) ? fail(413, "Request Entity Too Large") : say("an answer"),
  );
  const session = await stage.newSession("large");
  const failed: number[] = [];
  for (let turn = 0; turn < 12; turn++) {
    const { info } = await session.ask(`turn ${turn} ${"some words here ".repeat(1_000)}`);
    if (info.error) failed.push(turn);
  }
  expect(stage.model.requests.filter(isRefused)).toHaveLength(1);
  // OpenCode 1 compacts and asks again; OpenCode 2 ends the turn, and shows nothing else to a plugin.
  expect(failed).toHaveLength(HOST === 1 ? 0 : 1);
  expect(stage.model.requests.filter(isSummarizing)).toHaveLength(HOST === 1 ? 1 : 0);
  expect((await session.ask("go on")).text).toBe("an answer");
  expect(stage.read(".opencode/strata/strata.log")).toMatch(
    /WARN {2}view .* tokens were too long for mock\/m1/,
  );
});
