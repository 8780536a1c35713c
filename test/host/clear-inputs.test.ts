/** Cleared inputs in the real OpenCode: what the model gets of its old calls, and what lies on disk. */
import { expect, test } from "vitest";
import { lines } from "../support/messages.js";
import { firstDifference, type ModelRequest } from "./stage/model-request.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";

const settings = { microCompact: { floor: 0, keepRecent: 1, horizon: 10 } };

/** Arguments of the calls in a request, as JSON text, in order. */
const argumentsOf = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => one.function.arguments));

test("the inputs of old calls reach the model cleared, with the same bytes after a restart, in a fork and after an undo", async () => {
  await using stage = await openStage({ options: settings });
  const content = lines(1_000);
  const filePath = stage.project.file("long.txt");
  stage.model.script(
    call("write", { filePath, content }, { id: "write" }),
    call("bash", { command: "echo one", description: "one" }),
    call("bash", { command: "echo two", description: "two" }),
    say("done"),
  );
  const session = await stage.newSession("inputs");
  await session.ask("go");
  const [written = ""] = argumentsOf(stage.model.lastRequest());
  const shown = JSON.parse(written) as { content: string };
  expect(shown).toEqual({ content: shown.content, [HOST === 1 ? "filePath" : "path"]: filePath });
  expect(shown.content).toMatch(/^\[Strata\] Cleared: 1,000 lines written; whole input in /);
  expect(stage.model.lastRequest().toolResult("write")).not.toBe("");
  const path = /whole input in (\S+)$/.exec(shown.content)?.[1] ?? "";
  expect(stage.read(path)).toContain(content);
  expect(stage.read("long.txt")).toBe(content);

  await stage.restart();
  const before = stage.model.lastRequest();
  stage.model.script(say("again"));
  const again = stage.session(session.id);
  await again.ask("go on");
  expect(firstDifference(before, stage.model.lastRequest())).toBeUndefined();

  const fork = await again.fork();
  stage.model.script(say("in the fork"));
  await fork.ask("and in the fork");
  expect(argumentsOf(stage.model.lastRequest())[0]).toBe(written);

  const asked = (await again.messages()).filter(({ info }) => info.role === "user");
  await again.revert(asked[1]?.info.id);
  stage.model.script(say("after the undo"));
  await again.ask("something else");
  expect(firstDifference(before, stage.model.lastRequest())).toBeUndefined();
});
