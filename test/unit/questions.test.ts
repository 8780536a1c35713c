/** The question with which a session ends. */
import { describe, expect, it } from "vitest";
import { findQuestion } from "../../src/notes/handoff.js";
import { learnMessages } from "../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";

describe("the last question of a session", () => {
  it.each([
    ["Der Port ist frei. Soll ich 8080 nehmen?", "Soll ich 8080 nehmen?"],
    ["端口空闲。要用 8080 吗？", "要用 8080 吗？"],
    ["作業は終わりました。「次は何ですか？」", "「次は何ですか？」"],
    ["انتهيت. هل أستخدم 8080؟", "هل أستخدم 8080؟"],
    ["He asked “why?”", "He asked “why?”"],
    ["Done (shall I go on?)", "Done (shall I go on?)"],
    ["Done. No question.", undefined],
  ])("the last question in %j is %j", (text, question) => {
    const session = createSession(createFakeClock());
    session.user("Choose.");
    session.answer([call("read", "ok")], { text });
    expect(findQuestion(learnMessages(EMPTY_LEDGER, session.messages, PROJECT))).toBe(question);
  });
});
