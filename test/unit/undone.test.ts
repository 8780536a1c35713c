import { expect, it } from "vitest";
import { withoutUndone } from "../../src/host/readings.js";
import type { Message } from "../../src/io/message.js";

const message = (id: string, ...parts: string[]): Message => ({
  info: { id, sessionID: "ses_1", role: "user" },
  parts: parts.map((part) => ({ type: "text", text: part, id: part })),
});
const all = [message("a", "1", "2"), message("b", "3", "4"), message("c", "5")];
const list = (messages: readonly Message[]) =>
  messages.map(({ info, parts }) => `${info.id}${parts.map(({ text }) => text).join("")}`);

it("what a person has undone is the message and all after it, or of a message the part and all after it", () => {
  expect(list(withoutUndone(all, { messageID: "b" }))).toEqual(["a12"]);
  expect(list(withoutUndone(all, { messageID: "b", partID: "4" }))).toEqual(["a12", "b3"]);
  expect(list(withoutUndone(all, { messageID: "b", partID: "gone" }))).toEqual(["a12", "b34"]);
});

it("what a person has undone is nothing where the host does not have the message any more", () => {
  expect(withoutUndone(all, { messageID: "gone" })).toBe(all);
});
