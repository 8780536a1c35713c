/** Tests of the search for prefix breaks. */

import { expect, test } from "vitest";
import { createModelRequest, type ModelRequest } from "./model-request.js";
import { findBreaks, formatBreak } from "./prefix-breaks.js";

const tool = { type: "function", function: { name: "read" } };

function request(
  texts: string[],
  { sessionID = "s1", system = "You code.", tools = [tool] } = {},
): ModelRequest {
  const messages = [
    { role: "system", content: system },
    ...texts.map((content) => ({ role: "user", content })),
  ];
  const raw = Buffer.from(JSON.stringify({ model: "m1", messages, tools }));
  return createModelRequest({ raw, sessionID, parentSessionID: undefined, at: 0 });
}

test("a session that only grows has no break, whatever other sessions send in between", () => {
  const requests = [
    request(["a"]),
    request(["x"], { sessionID: "s2" }),
    request(["a", "b"]),
    request(["a", "b"]),
  ];
  expect(findBreaks(requests)).toEqual([]);
});

test("a changed message is a break at that message, with the tokens lost after it", () => {
  const requests = [request(["a", "b", "c"]), request(["a", "B", "c", "d"]), request(["a", "B", "c", "d"])];
  const [only, ...others] = findBreaks(requests);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ request: 2, message: 2, isCompaction: false });
  expect(only && formatBreak(only)).toBe("request 2 differs from message 2 on, 15 tokens before it");
});

test("a message missing at the end is a break, and so are changed tools", () => {
  expect(findBreaks([request(["a", "b"]), request(["a"])])).toMatchObject([{ message: 2 }]);
  expect(findBreaks([request(["a"]), request(["a"], { tools: [] })])).toMatchObject([{ message: -1 }]);
});

test("a summary request is no break, and the break after it is marked as the host's", () => {
  const summary = request(["a"], { system: "You are an anchored context summarization agent", tools: [] });
  const breaks = findBreaks([request(["a", "b"]), summary, request(["c"]), request(["d"])]);
  expect(breaks.map((one) => [one.request, one.isCompaction])).toEqual([
    [3, true],
    [4, false],
  ]);
});
