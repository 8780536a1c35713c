/** What a turn has stored is told on the screen. */
import { describe, expect, it } from "vitest";
import { createRemembered, createScreen, formatRemembered } from "../../src/tui/screen.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { createPlainSolid, createScriptedHost } from "../support/screen.js";

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
};

describe("what was remembered", () => {
  const line = (parts: object): string =>
    JSON.stringify({
      v: 1,
      id: "l1",
      at: "2026-11-22T10:00:00.000Z",
      instance: "i",
      by: "strata",
      operation: "extract",
      key: "decision/deploy-on-fridays",
      path: "decision/deploy-on-fridays.md",
      before: null,
      after: "hash",
      contents: "---\ntitle: We deploy on Fridays\nsource: { by: user }\n---\nWe deploy on Fridays.\n",
      ...parts,
    });
  const private_ = { key: "private/preference/tabs", path: "preference/tabs.md", contents: "I like tabs\n" };

  it("what was remembered is told once, and nothing of what was there before", async () => {
    const path = "/repo/.opencode/memory/ledger/2026-11-a.jsonl";
    const earlier = line({ at: "2026-11-21T23:00:00.000Z" });
    const files = createMemoryFiles({ [path]: `${earlier}\n` });
    const remembered = createRemembered(files, Date.UTC(2026, 10, 22));
    await files.appendLine(path, line({ contents: "---\ntitle: 'Use tabs'\n---\n" }));
    await files.appendLine("/repo/.opencode/memory/private/ledger/2026-11-a.jsonl", line(private_));
    expect(await remembered.look("/repo")).toEqual(["Use tabs", "preference/tabs"]);
    expect(await remembered.look("/repo")).toEqual([]);
  });

  it("what was remembered is told in a toast when a turn has ended, with the way to take it back", async () => {
    const path = "/repo/.opencode/memory/ledger/2026-11-a.jsonl";
    const files = createMemoryFiles({ "/repo/.git/HEAD": "x" });
    const clock = createFakeClock();
    const host = createScriptedHost();
    const options = { clock, files, env: {}, home: "/home" };
    const screen = createScreen(host, createPlainSolid(), options);
    await settle();
    await files.appendLine(path, line({}));
    screen.endTurn();
    clock.advance(3_000);
    await settle();
    clock.advance(20_000);
    await settle();
    screen.stop();
    expect(host.told).toEqual(["info remembered: We deploy on Fridays (/memory-undo takes it back)"]);
    expect(formatRemembered(["a", "b", "c"], "ctrl+x z")).toBe(
      "remembered: a; b and 1 more (ctrl+x z takes it back)",
    );
  });
});
