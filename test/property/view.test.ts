/** Whatever a history looks like, the view of it is one that a model can be sent. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { PREVIEW_LIMIT_BYTES } from "../../layers/tool-results/preview.js";
import {
  isToolPart,
  type Message,
  type Part,
  readResultText,
  type ToolPart,
} from "../../src/view/message.js";
import { MORNING } from "../support/fake-clock.js";
import { openWorld } from "../support/world.js";

const output = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.integer({ min: 1_900, max: 60_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 100, max: 20_000 }).map((count) => "🦆\r\n".repeat(count)),
);
const state = fc.oneof(
  output.map((text) => ({ status: "completed", output: text })),
  output.map((text) => ({ status: "error", error: text })),
  output.map((text) => ({
    status: "error",
    error: "aborted",
    metadata: { interrupted: true, output: text },
  })),
  fc.constantFrom({ status: "pending" }, { status: "running" }),
  output.map((text) => ({
    status: "completed",
    output: text,
    attachments: [{ type: "file", url: "data:," }],
  })),
);
const toolPart: fc.Arbitrary<Part> = fc
  .record({
    tool: fc.constantFrom("bash", "read", "mcp_x"),
    // Few ids and times, so that they come again.
    callID: fc.constantFrom("call_0", "call_1", "call_2"),
    start: fc.integer({ min: 0, max: 3 }),
    state,
  })
  .map(({ tool, callID, start, state: given }) => ({
    type: "tool",
    tool,
    callID,
    state: { input: {}, ...given, time: { start: MORNING + start } },
  }));
const otherPart: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { type: "text", text: "so" },
  { type: "reasoning", text: "hm" },
  { type: "step-start" },
);
const message: fc.Arbitrary<Message> = fc
  .record({
    role: fc.constantFrom("user", "assistant"),
    parts: fc.array(fc.oneof(toolPart, otherPart), { maxLength: 8 }),
  })
  .map(({ role, parts }) => ({ info: { id: "msg", sessionID: "ses_1", role }, parts }));
const history = fc.array(message, { minLength: 1, maxLength: 12 });

const texts = (messages: readonly Message[]): (string | undefined)[] =>
  messages.flatMap(({ parts }) => parts.filter(isToolPart).map(readResultText));

/** Everything but the text of results. */
function skeleton(messages: readonly Message[]): unknown {
  const bare = (part: Part): unknown => {
    if (!isToolPart(part)) return part;
    const { tool, callID, state: kept } = part as ToolPart;
    return [tool, callID, kept.status, kept.input, kept.time, kept.attachments];
  };
  return messages.map(({ info, parts }) => [info, parts.map(bare)]);
}

it("every call keeps its result and its place, no text is empty that was not, none is larger, and it is the same every time", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (messages) => {
      // Reminders stand behind results that are as they were.
      const world = await openWorld({ options: { sessionMemory: { goalRefresh: 0 } } });
      const before = structuredClone(messages);
      const view = await world.request(messages);
      expect(messages).toEqual(before);
      expect(skeleton(view)).toEqual(skeleton(messages));
      const originals = texts(messages);
      for (const [index, text] of texts(view).entries()) {
        const original = originals[index];
        if (text === original) continue;
        expect(text).toContain("[Strata]");
        expect(Buffer.byteLength(text ?? "")).toBeLessThanOrEqual(PREVIEW_LIMIT_BYTES);
        expect(Buffer.byteLength(text ?? "")).toBeLessThan(Buffer.byteLength(original ?? ""));
      }
      expect(texts(await world.request(messages))).toEqual(texts(view));
      expect(texts(await (await world.restart()).request(messages))).toEqual(texts(view));
    }),
    { numRuns: 300 },
  );
});

it("a history that grows never changes what was sent of it", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (messages) => {
      const world = await openWorld();
      let sent: (string | undefined)[] = [];
      for (let length = 1; length <= messages.length; length++) {
        const now = texts(await world.request(messages.slice(0, length)));
        expect(now.slice(0, sent.length)).toEqual(sent);
        sent = now;
      }
    }),
    { numRuns: 100 },
  );
});
