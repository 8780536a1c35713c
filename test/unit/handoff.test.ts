import { expect, it } from "vitest";
import type { ToolPart } from "../../src/io/message.js";
import { formatHandoff } from "../../src/notes/handoff.js";
import { learnMessages } from "../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { formatStored } from "../../src/notes/session-files.js";
import { parseStored } from "../../src/notes/stored.js";
import { createFakeClock } from "../support/fake-clock.js";
import { call } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";

const PROJECT = "/project";
const PATH = `${PROJECT}/.opencode/session-memory/ses_1.md`;
const ledgerOf = ({ messages }: Session) => learnMessages(EMPTY_LEDGER, messages, PROJECT);
const handoff = (session: Session, removed: readonly string[] = []) =>
  formatHandoff(ledgerOf(session), new Set(removed), PATH);
const did = (tool: string, input: object, state: object = {}): ToolPart =>
  call(tool, "ok", { state: { input: input as Record<string, unknown>, ...state } });

function begin(): Session {
  const session = createSession(createFakeClock());
  session.user("Port the parser. Never use eval.");
  session.answer([did("edit", { filePath: `${PROJECT}/src/parser.ts`, newString: "x" })], { text: "Begun." });
  return session;
}

it("the handoff has goal, rules, state, open points, leases and the next step", () => {
  const session = begin();
  session.answer([
    did("lease", { item: "#34" }),
    did("lease", { op: "claim", item: "!12" }),
    did("lease", { op: "release", item: "!12" }),
    did("write", { filePath: `${PROJECT}/plan.md`, content: "1." }),
    did("bash", { command: "npm test" }, { output: "1 failed", metadata: { exit: 1 } }),
    did("todowrite", {
      todos: [
        { content: "lexer", status: "completed" },
        { content: "docs", status: "pending" },
        { content: "wire it up", status: "in_progress" },
      ],
    }),
  ]);
  session.user("And write the docs.");
  session.answer([did("read", { filePath: "docs.md" })], {
    text: "Looking.",
    info: { finish: "tool-calls" },
  });
  expect(handoff(session)?.split("\n")).toEqual([
    `An earlier session was left unfinished; its notes are in ${PATH}`,
    "It began with: Port the parser. Never use eval.",
    "Last request, not answered: And write the docs.",
    ...["Open todos:", "- docs", "- wire it up (in progress)"],
    "Next step: wire it up",
    ...["The user's rules:", "- Never use eval."],
    "It said last: Looking.",
    "Plan: plan.md",
    "Changed: src/parser.ts, plan.md",
    ...["Failed, and not since then:", '- bash npm test: "1 failed"'],
    "It had claimed: #34",
  ]);
});

it("the handoff is absent if everything was answered, or if a person removed the open points", () => {
  const session = begin();
  session.answer([], { text: "Done, all tests pass." });
  expect(handoff(session)).toBeUndefined();
  const open = begin();
  open.answer([did("todowrite", { todos: [{ content: "docs", status: "pending" }] })], { text: "Done." });
  expect(handoff(open)).toContain("- docs");
  expect(handoff(open, ["todo:docs"])).toBeUndefined();
});

it("the handoff is the same after a restart, and never longer than 3,000 characters", () => {
  const session = begin();
  session.answer([did("lease", { item: "#34" })], { text: "Next: the rest." });
  for (let n = 0; n < 50; n++) {
    session.answer([did("edit", { filePath: `${PROJECT}/${"deep/".repeat(30)}${n}.ts`, newString: "x" })]);
    session.user(`Never do ${n} ${"again ".repeat(200)}.`);
  }
  const stored = { version: 1, ledger: ledgerOf(session), removed: [] } as const;
  const read = parseStored(formatStored(stored))?.ledger ?? EMPTY_LEDGER;
  expect(formatHandoff(read, new Set(), PATH)).toBe(handoff(session));
  expect(handoff(session)?.length).toBeLessThanOrEqual(3_000);
});
