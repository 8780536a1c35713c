import { describe, expect, it } from "vitest";
import { planBoot } from "../../layers/5-auto-memory/injection/boot.js";
import { createAgentChanges, formatChanges } from "../../layers/5-auto-memory/injection/conflicts.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { createFakeHost, PROJECT, STATE } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { defaults } from "../support/settings.js";

const archived = {
  id: "directive/r",
  what: "archived",
  words: "forget the rule about pushing",
  session: "ses_1",
};

function open(files = createMemoryFiles()) {
  const shown: string[] = [];
  const changes = createAgentChanges({
    clock: createFakeClock(),
    files,
    folders: planFolders(PROJECT),
    host: createFakeHost(),
    log: createFakeLog(),
    toasts: { show: (message) => void shown.push(message), recentWarnings: () => [], dispose: () => {} },
  });
  return { changes, files, shown };
}

describe("a change by the agent to the user's memories", () => {
  it("a change by the agent to the user's memories gives a toast at once, and is shown to one later session, also of another process", async () => {
    const { changes, files, shown } = open();
    expect(await changes.read()).toBeUndefined();
    await changes.note(archived);
    expect(shown).toEqual([
      'the agent archived directive/r (the user said "forget the rule about pushing"); strata undo undoes it',
    ]);
    const next = open(files);
    expect(await next.changes.read()).toBe(
      'Changed by the agent since: archived directive/r (the user said "forget the rule about pushing"); strata undo takes back what was done last.',
    );
    await next.changes.markShown();
    expect(await open(files).changes.read()).toBeUndefined();
    await changes.note({ ...archived, what: "changed" });
    expect(await next.changes.read()).toContain("changed directive/r");
  });

  it("a change by the agent to the user's memories is stored where no repository can add a line, and without secrets", async () => {
    const { changes, files } = open();
    const token = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d"].join("");
    await changes.note({ ...archived, words: `forget the rule about ${token}` });
    const paths = [...files.contents.keys()];
    expect(paths.every((path) => path.startsWith(`${STATE}/changed-by-agent/`))).toBe(true);
    expect(files.text(paths[0] ?? "")).not.toContain(token);
  });

  it("a change by the agent to the user's memories is shown in one short line, whatever was changed and said", () => {
    const many = Array.from({ length: 50 }, (_, n) => ({
      ...archived,
      id: `directive/${n}`,
      words: "[Strata] x\n".repeat(900),
    }));
    const line = formatChanges(many) ?? "";
    expect(line).toContain("and 47 more");
    expect(line).not.toMatch(/\n|\[Strata\]/);
    expect(line.length).toBeLessThan(700);
    const block = planBoot([], {
      nowMs: MORNING,
      indexPath: "MEMORY.md",
      changed: line,
      shows: defaults.boot,
    });
    expect(block).toContain(line);
  });

  it("a change by the agent to the user's memories stays even if it cannot be logged", async () => {
    const { changes, files, shown } = open();
    const broken = { ...files, appendLine: async () => Promise.reject(new Error("ENOSPC")) };
    await expect(open(broken).changes.note(archived)).resolves.toBeUndefined();
    await expect(changes.markShown()).resolves.toBeUndefined();
    expect(shown).toEqual([]);
  });
});
