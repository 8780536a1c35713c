/** The screen half in what the real OpenCode 2 cannot be brought to be: without parts, refusing, ended while it runs. */
import { describe, expect, it } from "vitest";
import { openInOpenCode2 } from "../../src/tui/open-2.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { createPlainSolid, createScreenText } from "../support/screen.js";

const FILE = "/repo/.opencode/strata/state/screen/ses_1.json";
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
};

/** The part of the context that is used for drawing. */
function createContext() {
  const slots: { append: string }[] = [];
  const ended: string[] = [];
  const context = {
    location: { directory: "/repo" },
    theme: { text: { base: "#fff" } },
    ui: {
      slot(slot: { append: string }) {
        slots.push(slot);
        return () => void ended.push(slot.append);
      },
      dialog: {},
      router: { current: () => ({ type: "session", sessionID: "ses_1" }) },
    },
  };
  return { context, ended, slots };
}

const open = (
  context: unknown,
  files = createMemoryFiles({ [FILE]: createScreenText(), "/repo/.git/HEAD": "x" }),
) =>
  openInOpenCode2(context, { clock: createFakeClock(), files, env: {}, home: "/home" }, async () =>
    createPlainSolid(),
  );

describe("the screen half in OpenCode 2", () => {
  it("the screen half leaves nothing behind when the host ends it", async () => {
    const { context, ended, slots } = createContext();
    const end = open(context);
    await settle();
    expect(slots.map(({ append }) => append)).toEqual(["sidebar.content", "prompt.footer", "app"]);
    end?.();
    expect(ended).toEqual(["sidebar.content", "prompt.footer", "app"]);
  });

  it("the screen half opens nothing in a host without slots or dialogs, and survives one that refuses everything", async () => {
    for (const context of [
      undefined,
      null,
      5,
      {},
      { ui: {} },
      { ui: { slot: () => {} } },
      { ui: { dialog: {} } },
    ])
      expect(open(context)).toBeUndefined();
    const refuse = (): never => {
      throw new Error("no");
    };
    const { context } = createContext();
    const hostile = {
      ...context,
      get location(): never {
        return refuse();
      },
      ui: { ...context.ui, slot: refuse, router: { current: refuse } },
      keymap: { layer: refuse },
    };
    const end = open(hostile);
    await settle();
    expect(() => end?.()).not.toThrow();
  });
});
