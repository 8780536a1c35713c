/** Tests of the scripted model alone, over plain HTTP. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChatMessage, firstDifference } from "./model-request.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import { call, calls, fail, reporting, say } from "./steps.js";

interface Completion {
  choices: { message: ChatMessage; finish_reason: string }[];
  usage: { prompt_tokens: number; total_tokens: number; prompt_tokens_details: { cached_tokens: number } };
}

let model: ScriptedModel;
let time = 0;

beforeEach(async () => {
  time = 0;
  model = await startScriptedModel({ lifetimeMs: 1_000, now: () => time });
});
afterEach(() => model.close());

const user = (content: string): ChatMessage => ({ role: "user", content });

async function post(messages: ChatMessage[], fields: object = {}): Promise<Response> {
  const body = JSON.stringify({ model: "m1", messages, ...fields });
  return fetch(`${model.url}/chat/completions`, {
    method: "POST",
    body,
    headers: { "x-session-id": "ses_1" },
  });
}

async function complete(messages: ChatMessage[], fields: object = {}): Promise<Completion> {
  return (await (await post(messages, fields)).json()) as Completion;
}

test("the scripted model uses its steps in order, then answers ok", async () => {
  model.script(say("one"), say("two"));
  const texts = [];
  for (let turn = 0; turn < 3; turn++) texts.push((await complete([user("?")])).choices[0]?.message.content);
  expect(texts).toEqual(["one", "two", "ok"]);
});

test("a responder is asked before the script, and requests it leaves go to the script", async () => {
  model.script(say("scripted"));
  model.respond((request) => (request.textOf("user") === "mine" ? say("decided") : undefined));
  expect((await complete([user("mine")])).choices[0]?.message.content).toBe("decided");
  expect((await complete([user("yours")])).choices[0]?.message.content).toBe("scripted");
});

test("call ids are unique across all answers unless a step forces one", async () => {
  model.script(calls(call("a"), call("b")), call("c"), call("d", { x: 1 }, { id: "call_1" }));
  const ids = [];
  for (let turn = 0; turn < 3; turn++) {
    const answer = await complete([user("?")]);
    expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
    ids.push(...(answer.choices[0]?.message.tool_calls ?? []).map(({ id }) => id));
  }
  expect(ids).toEqual(["call_1", "call_2", "call_3", "call_1"]);
});

test("a refused request gets the status and message, and does not warm the cache", async () => {
  model.script(fail(529, "overloaded"));
  const refused = await post([user("long ago")]);
  expect(refused.status).toBe(529);
  expect(await refused.text()).toContain("overloaded");
  await post([user("long ago")]);
  expect(model.requests.map(({ cachedTokens }) => cachedTokens)).toEqual([0, 0]);
});

test("a repeated prompt's prefix is reported as cached until its lifetime ends", async () => {
  const history = [user("a question ".repeat(100)), { role: "assistant", content: "an answer" }];
  await complete(history);
  const warm = await complete([...history, user("more")]);
  expect(warm.usage.prompt_tokens_details.cached_tokens).toBe(model.requests[0]?.promptTokens);
  time += 1_000;
  const cold = await complete([...history, user("more")]);
  expect(cold.usage.prompt_tokens_details.cached_tokens).toBe(0);
});

test("each model has its own cache", async () => {
  await complete([user("same")]);
  await complete([user("same")], { model: "m2" });
  await complete([user("same")]);
  expect(model.requests.map(({ cachedTokens }) => cachedTokens > 0)).toEqual([false, false, true]);
});

test("usage given by a step replaces the measured usage", async () => {
  model.script(reporting(say("full"), { promptTokens: 190_000, outputTokens: 10 }));
  const { usage } = await complete([user("short")]);
  expect(usage).toMatchObject({ prompt_tokens: 190_000, total_tokens: 190_010 });
});

test("title requests are answered and recorded separately", async () => {
  model.script(say("scripted"));
  const title = await complete([{ role: "system", content: "You are a title generator." }, user("hi")]);
  expect(title.choices[0]?.message.content).toBe("A title");
  expect(model.titleRequests).toHaveLength(1);
  expect(model.requests).toHaveLength(0);
});

test("the first difference between two requests is the message at which the later one stops repeating the earlier", async () => {
  await post([user("a"), user("b")]);
  await post([user("a"), user("b"), user("c")]);
  await post([user("a"), user("B"), user("c")]);
  await post([user("a"), user("b")], { tools: [{ type: "function", function: { name: "t" } }] });
  const [first, longer, changed, retooled] = model.requests;
  if (!first || !longer || !changed || !retooled) throw new Error("requests are missing");
  expect(firstDifference(first, longer)).toBeUndefined();
  expect(firstDifference(longer, first)).toBe(2);
  expect(firstDifference(longer, changed)).toBe(1);
  expect(firstDifference(first, retooled)).toBe(-1);
});

test("tool results are found by call id, as text or parts; the last one counts if ids repeat", async () => {
  const result = (id: string, content: ChatMessage["content"] & {}) => ({
    role: "tool",
    tool_call_id: id,
    content,
  });
  await post([result("a", "one"), result("b", [{ type: "text", text: "two" }]), result("a", "three")]);
  const request = model.lastRequest();
  expect(request.toolResults().map(({ text }) => text)).toEqual(["one", "two", "three"]);
  expect(request.toolResult("a")).toBe("three");
  expect(() => request.toolResult("c")).toThrow("a, b, a");
});

test("a wait resolves with the matching request, and a failed wait names the requests that came", async () => {
  const waiting = model.waitForRequest((request) => request.sessionID === "ses_1");
  await post([user("hello")]);
  expect((await waiting).textOf("user")).toBe("hello");
  await expect(model.waitForRequest(() => false, 1)).rejects.toThrow("a request of 1 messages");
});
