/** The host's events as layers know them. */
import { expect, it } from "vitest";
import { createEventReader } from "../../src/host/2/events.js";

it("a prompt that is too long, and what a person breaks off, have OpenCode 1's names of errors", () => {
  const reader = createEventReader({ directory: "/here" }, () => undefined);
  const namesOf = (name: string, error: { type: string; message: string; status?: number }) =>
    reader
      .read({ type: name, data: { sessionID: "s", error }, location: { directory: "/here" } })
      .map(({ properties, type }) => (properties.error as { name?: string } | undefined)?.name ?? type);
  const invalid = (message: string) => ({ type: "provider.invalid-request", message });
  for (const message of [
    "prompt is too long: 210000 tokens > 200000 maximum",
    "This model's maximum context length is 128000 tokens",
    "The input token count (1200000) exceeds the maximum number of tokens allowed",
  ])
    expect(namesOf("session.step.failed", invalid(message)), message).toEqual(["ContextOverflowError"]);
  const large = { ...invalid("Request Entity Too Large"), status: 413 };
  expect(namesOf("session.step.failed", large)).toEqual(["ContextOverflowError"]);
  expect(namesOf("session.step.failed", invalid("tool_choice is not supported"))).toEqual([]);
  const interrupted = { type: "compaction.interrupted", message: "Compaction was interrupted" };
  expect(namesOf("session.compaction.failed", interrupted)).toEqual(["MessageAbortedError"]);
  expect(namesOf("session.execution.failed", { type: "aborted", message: "" })).toEqual([
    "MessageAbortedError",
    "session.idle",
  ]);
  expect(namesOf("session.compaction.failed", { type: "compaction.failed", message: "none" })).toEqual([
    "compaction.failed",
  ]);
});

it("an answer that has ended is reported as the events have told it, and one whose beginning nobody heard is not", () => {
  const tokens = { input: 1, output: 1, cache: { read: 0, write: 0 } };
  const told = {
    id: "m",
    type: "assistant",
    agent: "build",
    tokens,
    time: { created: 500, completed: 1_000 },
  };
  const reader = createEventReader({ directory: "/here" }, (id) => (id === "m" ? told : undefined));
  const endOf = (assistantMessageID: string) =>
    reader.read({
      type: "session.step.ended",
      data: { sessionID: "s", assistantMessageID },
      location: { directory: "/here" },
    })[0]?.properties.info;
  expect(endOf("m")).toMatchObject({ agent: "build", time: told.time, tokens: { reasoning: 0 } });
  expect(endOf("other")).toBeUndefined();
});
