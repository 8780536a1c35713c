/** Messages of OpenCode 2 read as ours and written back. */
import { describe, expect, it } from "vitest";
import { withNotes } from "../../src/context/replay.js";
import type { TheirMessage, TheirPart } from "../../src/host/2/contract.js";
import { type ReadRequest, readRequest } from "../../src/host/2/messages.js";
import {
  isToolPart,
  type Message,
  readResultText,
  type ToolPart,
  withResultText,
} from "../../src/io/message.js";
import { fc, runs } from "../support/property.js";
import { type Conversation, conversation, freeze, HostMessage } from "./theirs.js";

const RUNS = runs(300, 5_000, "conversations");
const FACTS = { sessionID: "ses_1", agent: "build", model: { providerID: "acme", modelID: "large" } };

function read({ messages, stored }: Conversation): ReadRequest {
  return readRequest(freeze(messages), (id) => stored.get(id), FACTS);
}

/** The view with another text for each result that has one. */
function withResults(messages: readonly Message[], text: string): Message[] {
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      isToolPart(part) && readResultText(part) !== undefined ? withResultText(part, text) : part,
    ),
  }));
}

const callsOf = (messages: readonly TheirMessage[]): TheirPart[] =>
  messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool-call"));
const resultsOf = (messages: readonly TheirMessage[]): TheirPart[] =>
  messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool-result"));

describe("messages of OpenCode 2", () => {
  it("messages without a change go back as the host's own objects; rebuilt ones are equal, and keep its class and all unknown fields", () => {
    fc.assert(
      fc.property(conversation, (given) => {
        const request = read(given);
        const written = request.write(request.messages);
        expect(written).toHaveLength(given.messages.length);
        expect(written?.every((message, index) => message === given.messages[index])).toBe(true);
        const rebuilt = request.messages.map((message) => ({ ...message, parts: [...message.parts] }));
        const again = request.write(rebuilt);
        expect(again).toEqual(given.messages);
        expect(again?.every((message) => message instanceof HostMessage)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("changed results change nothing else: calls, pairs, order, files and unknown parts stay", () => {
    fc.assert(
      fc.property(conversation, (given) => {
        const request = read(given);
        const written = request.write(withResults(request.messages, "short"));
        if (!written) throw new Error("expected a way back");
        expect(callsOf(written)).toEqual(callsOf(given.messages));
        const [before, after] = [resultsOf(given.messages), resultsOf(written)];
        expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
        expect(after.map(({ result }) => result?.type)).toEqual(before.map(({ result }) => result?.type));
        expect(written.map(({ role }) => role)).toEqual(given.messages.map(({ role }) => role));
        for (const [index, part] of after.entries()) {
          const { type, value } = part.result ?? { type: "text", value: "" };
          if (type === "json") expect(part).toBe(before[index]);
          if (type !== "content") continue;
          const others = (all: unknown): unknown[] =>
            (all as { type: string }[]).filter((item) => item.type !== "text");
          expect(others(value)).toEqual(others(before[index]?.result?.value));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("a cut drops whole units, and the instruction updates of what was cut stay", () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (given, seed) => {
        const request = read(given);
        if (request.messages.length === 0) return;
        const from = seed % request.messages.length;
        const view = withNotes(request.messages.slice(from), request.messages[0], "[notes]");
        const written = request.write(view);
        if (!written) throw new Error("expected a way back");
        const systems = (messages: readonly TheirMessage[]) =>
          messages.filter(({ role }) => role === "system");
        expect(systems(written)).toHaveLength(systems(given.messages).length);
        const first = written.find(({ role }) => role !== "system");
        expect(first?.role).toBe("user");
        expect(first?.content[0]?.text?.startsWith("[notes]")).toBe(true);
        const calls = new Set(callsOf(written).map(({ id }) => id));
        const hadCalls = new Set(callsOf(given.messages).map(({ id }) => id));
        for (const { id } of resultsOf(written)) if (hadCalls.has(id)) expect(calls.has(id)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

const stored = (id: string, created: number, more: object) => ({ id, time: { created }, ...more }) as never;

/** A small turn with a shell call, as the host sends it. */
function shellTurn(result: TheirPart["result"]) {
  const call = { type: "tool-call", id: "call_1", name: "shell", input: { command: "ls" } };
  const messages: TheirMessage[] = [
    { id: "msg_1", role: "user", content: [{ type: "text", text: "list" }] },
    { id: "msg_2", role: "assistant", content: [{ type: "text", text: "I look." }, call] },
    {
      role: "tool",
      content: [{ type: "tool-result", id: "call_1", name: "shell", ...(result && { result }) }],
    },
    { role: "system", content: [{ type: "text", text: "Today is Monday." }] },
  ];
  const tool = {
    type: "tool",
    id: "call_1",
    name: "shell",
    time: { created: 30 },
    state: { status: "completed", metadata: { exit: 2 } },
  };
  const known = new Map([
    ["msg_1", stored("msg_1", 10, { type: "user", text: "list" })],
    [
      "msg_2",
      stored("msg_2", 20, { type: "assistant", content: [tool], model: { providerID: "acme", id: "large" } }),
    ],
  ]);
  return { messages, stored: known };
}

describe("what layers read", () => {
  it("a call and its result are one part with the names, times and metadata of OpenCode 1", () => {
    const request = read(shellTurn({ type: "text", value: "a\nb" }));
    expect(request.messages).toHaveLength(2);
    expect(request.messages[1]?.parts[1]).toMatchObject({
      type: "tool",
      tool: "bash",
      callID: "call_1",
      state: {
        status: "completed",
        output: "a\nb",
        input: { command: "ls" },
        metadata: { exit: 2 },
        time: { start: 30 },
      },
    });
    expect(request.messages[1]?.info).toMatchObject({
      providerID: "acme",
      modelID: "large",
      time: { created: 20 },
    });
  });

  it("only what the stored message holds counts as the user's words", () => {
    const given = shellTurn({ type: "text", value: "" });
    const [first, ...rest] = given.messages;
    const content = [
      { type: "text", text: "list" },
      { type: "text", text: "\n\nAttached file: a.md" },
    ];
    const request = read({ ...given, messages: [{ ...(first as TheirMessage), content }, ...rest] });
    const texts = request.messages[0]?.parts.filter(({ type }) => type === "text");
    expect(texts).toEqual([{ type: "text", text: "list" }]);
    const unknown = read({ ...given, stored: new Map() });
    expect(unknown.messages[0]?.parts[0]?.synthetic).toBe(true);
  });

  it("a failure is read from its error's message, and is written back there", () => {
    const nested = { error: { type: "tool", message: "no such file" }, content: [] };
    const request = read(shellTurn({ type: "error", value: nested }));
    const part = request.messages[1]?.parts[1] as ToolPart;
    expect(part.state).toMatchObject({ status: "error", error: "no such file" });
    const written = request.write(withResults(request.messages, "again"));
    const after = written?.[2]?.content[0]?.result?.value;
    expect(after).toEqual({ ...nested, error: { type: "tool", message: "again" } });
  });

  it("a file's path has OpenCode 1's name for layers, and OpenCode 2's in the request", () => {
    const call = { type: "tool-call", id: "c", name: "write", input: { path: "a.ts", content: "long" } };
    const messages: TheirMessage[] = [
      { id: "msg_2", role: "assistant", content: [call] },
      {
        role: "tool",
        content: [{ type: "tool-result", id: "c", name: "write", result: { type: "text", value: "ok" } }],
      },
    ];
    const request = read({ messages, stored: new Map() });
    const part = request.messages[0]?.parts[0] as ToolPart;
    expect(part.state.input).toEqual({ filePath: "a.ts", content: "long" });
    const cleared = { ...part, state: { ...part.state, input: { filePath: "a.ts", content: "(cleared)" } } };
    const written = request.write([{ ...(request.messages[0] as Message), parts: [cleared] }]);
    expect(JSON.stringify(written?.[0]?.content[0]?.input)).toBe('{"path":"a.ts","content":"(cleared)"}');
  });

  it("text behind an answer with calls stands before its first call, behind a user's message at the end", () => {
    const request = read(shellTurn({ type: "text", value: "a" }));
    const view = request.messages.map((message) => ({
      ...message,
      parts: [...message.parts, { type: "text", text: "hint", synthetic: true }],
    }));
    const written = request.write(view);
    expect(written?.[0]?.content.map(({ text }) => text)).toEqual(["list", "\n\nhint"]);
    expect(written?.[1]?.content.map(({ type }) => type)).toEqual(["text", "text", "tool-call"]);
  });

  it("a view that separates a call from its result, or changes the order, has no way back", () => {
    const request = read(shellTurn({ type: "text", value: "a" }));
    const [first, second] = request.messages as [Message, Message];
    expect(request.write([second, first])).toBeUndefined();
    expect(request.write([first, { ...second, parts: second.parts.slice(0, 1) }])).toBeUndefined();
    expect(request.write([first, { ...second, parts: [{ type: "hologram" }] }])).toBeUndefined();
  });
});
