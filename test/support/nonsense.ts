/** Input that no host sends today but an update might; every hook of the plugin gets all of it. */
import { expect } from "vitest";
import { commonEvents } from "../../src/kernel/hooks.js";
import type { HostDay } from "./host-day.js";
import type { World } from "./world.js";

const VALUES: readonly unknown[] = [undefined, null, 7, "", "x", [], {}, { id: 7 }, [null]];

/** Parts of an answer. */
const PARTS: readonly unknown[] = [
  ...VALUES,
  { type: 7 },
  { type: "text" },
  { type: "text", text: 7 },
  { type: "tool" },
  ...VALUES.map((state) => ({ type: "tool", tool: "bash", callID: "c", state })),
  ...VALUES.flatMap((value) => [
    { type: "tool", tool: value, callID: value, state: { status: "completed", input: value, output: value } },
    { type: "tool", tool: "bash", callID: "c", state: { status: "error", error: value, metadata: value } },
    { type: "tool", tool: "read", callID: "c", state: { status: "completed", time: value, output: "x" } },
  ]),
];

const MESSAGES: readonly unknown[] = [
  ...VALUES,
  ...VALUES.map((info) => ({ info, parts: [] })),
  ...VALUES.map((parts) => ({ info: { id: "msg_x", sessionID: "ses_1", role: "user" }, parts })),
  ...VALUES.map((value) => ({
    info: { id: value, sessionID: value, role: value, time: value, tokens: value, model: value },
    parts: [{ type: "text", text: "x" }],
  })),
];

/** Fails if a hook throws or a message changes. */
export async function tellNonsense({ host }: World, day: HostDay): Promise<void> {
  const { messages } = day.session;
  const [first] = messages;
  const answer = (parts: unknown) => ({
    info: { ...first?.info, id: "msg_y", role: "assistant", time: { created: 1 } },
    parts,
  });
  const histories = [
    ...VALUES,
    ...MESSAGES.map((message) => [message]),
    ...MESSAGES.map((message) => [...messages, message]),
    ...PARTS.map((part) => [...messages, answer([part])]),
  ];
  for (const history of histories) {
    const given = { messages: Array.isArray(history) ? [...history] : history };
    const before = JSON.stringify(history);
    await day.tell("experimental.chat.messages.transform", {}, given);
    expect(JSON.stringify(history)).toBe(before);
  }
  for (const type of commonEvents)
    for (const value of VALUES)
      for (const properties of [
        value,
        { sessionID: value },
        { info: value },
        { part: value },
        { info: { id: value } },
      ])
        await day.event(type, properties);
  for (const value of VALUES) {
    const call = { tool: value, sessionID: value, callID: value };
    await day.tell("tool.execute.before", call, { args: value });
    await day.tell(
      "tool.execute.before",
      { ...call, tool: "edit" },
      { args: { filePath: value, command: value } },
    );
    await day.tell("chat.message", { sessionID: value, agent: value }, { message: {}, parts: [] });
    await day.tell("chat.params", { sessionID: value, agent: value, model: value }, {});
    await day.tell("experimental.session.compacting", { sessionID: value }, {});
  }
  host.messages.set("ses_1", MESSAGES as never);
  await day.event("session.idle", { sessionID: "ses_1" });
  await day.event("session.compacted", { sessionID: "ses_1" });
  host.messages.set("ses_1", messages);
}
