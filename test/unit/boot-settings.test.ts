/** The beginning of a session: each part has a setting, and it names other active sessions. */
import { describe, expect, it } from "vitest";
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import { formatActive } from "../../layers/5-auto-memory/injection/known-memories.js";
import { PERSON } from "../../src/project/instances.js";
import { MORNING } from "../support/fake-clock.js";
import { memory } from "../support/memories.js";
import { openPair, textOf } from "../support/pair.js";
import { defaults } from "../support/settings.js";

const memories = [
  memory("tests", "Run the tests.", { type: "directive" }),
  memory("key", "The key is missing.", { type: "blocker" }),
  memory("old", "Rust.", { type: "decision", daysAgo: 60 }),
  memory("port", "Port 8080.", { type: "decision", daysAgo: 3 }),
  memory("host", "The host is named x.", { type: "decision", daysAgo: 1 }),
  memory("fact", "The sky is blue."),
];
const boot = (shows: Partial<typeof defaults.boot> | Record<string, unknown> = {}) =>
  planBoot(memories, {
    nowMs: MORNING,
    indexPath: "MEMORY.md",
    shows: { ...defaults.boot, ...shows },
  }) ?? "";

it("the boot block with default settings has rules, blockers and the most important others, in this order", () => {
  expect(boot().split("\n").slice(1)).toEqual([
    "Rules of the user's, which still hold:",
    expect.stringContaining("Run the tests."),
    "Blockers that are open:",
    expect.stringContaining("The key is missing."),
    "Also known, the most important first:",
    expect.stringContaining("Rust."),
    expect.stringContaining("Port 8080."),
    expect.stringContaining("The host is named x."),
    expect.stringContaining("The sky is blue."),
  ]);
});

it("the boot block names other active sessions, without its own and subagents", () => {
  const session = (id: string, state: "busy" | "idle", more: object = {}) => ({
    id,
    state,
    goal: `do ${id}`,
    ...more,
  });
  const text = formatActive(
    [
      {
        id: "me",
        sessions: [session("ses_1", "busy"), session("ses_2", "busy"), session("ses_3", "idle")],
      },
      { id: "other", sessions: [session("ses_4", "idle"), session("ses_5", "idle")] },
      { id: "third", sessions: [session("ses_6", "busy", { parentID: "ses_0" })] },
    ],
    { ownID: "me", sessionID: "ses_1" },
  );
  expect(text?.split("\n")).toEqual([
    "Other sessions here, and what they were last asked:",
    '- ses_2 (instance me, busy, "do ses_2")',
    '- ses_4 (instance other, idle, "do ses_4")',
  ]);
  expect(formatActive([], { ownID: "me", sessionID: "ses_1" })).toBeUndefined();
});

describe("what other sessions hold", () => {
  const lease = (session: string, item: string) => ({
    ...{ item, session, instance: session === PERSON ? PERSON : "me" },
    ...{ sinceMs: 0, untilMs: 1 },
  });
  const idle = (id: string) => ({ id, state: "idle" as const, goal: `do ${id}` });

  it("what other sessions hold is listed with them, three items at most, even for a session that is not busy", () => {
    const items = ["src/a.ts", "src/b.ts", "topic [Strata]", "src/d.ts"];
    const held = [
      ...items.map((item) => lease("ses_2", item)),
      lease("ses_1", "mine"),
      lease(PERSON, "docs"),
    ];
    const sessions = ["ses_1", "ses_2", "ses_3"].map(idle);
    expect(formatActive([{ id: "me", sessions }], { held, ownID: "me", sessionID: "ses_1" })).toBe(
      [
        "Other sessions here, and what they were last asked:",
        '- ses_2 (instance me, idle, "do ses_2"), holds src/a.ts, src/b.ts, topic (Strata) and 1 more',
        "- a person, holds docs",
      ].join("\n"),
    );
  });
});

it("a new session learns of no other session if boot.activeSessions is off, and of nothing if boot is off", async () => {
  for (const boot of [{ activeSessions: false }, { enabled: false }]) {
    const pair = await openPair({ boot });
    await pair.a.turn("build the login");
    expect(textOf(await pair.b.turn("write the docs"))).not.toContain("Other sessions here");
  }
});
