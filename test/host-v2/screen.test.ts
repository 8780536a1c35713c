/** The screen half, in a TUI of OpenCode 2's shape. */
import { describe, expect, it } from "vitest";
import { openInOpenCode2 } from "../../src/tui/open-2.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { createPlainSolid, createScreenText, drawn } from "../support/screen.js";

const FILE = "/repo/.opencode/strata/state/screen/ses_1.json";
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
};

interface Slot {
  append: string;
  render(input: object): unknown;
}
interface Command {
  id: string;
  palette: boolean;
  slash?: { name: string };
  run(words?: string): unknown;
}

/** The documented context, as far as it is used; `told` has what dialogs and toasts were asked to show. */
function createContext() {
  const slots: Slot[] = [];
  const told: string[] = [];
  const ended: string[] = [];
  const commands: Command[] = [];
  const answers: unknown[] = [];
  const ask = (name: string) => async (given: { title: string; message?: string }) => {
    told.push(`${name} ${given.title}`);
    return answers.shift();
  };
  const context = {
    location: { directory: "/repo" },
    theme: { text: { base: "#fff" } },
    ui: {
      slot(slot: Slot) {
        slots.push(slot);
        return () => void ended.push(slot.append);
      },
      dialog: {
        select: ask("select"),
        confirm: ask("confirm"),
        alert: ask("alert"),
        prompt: ask("prompt"),
        clear() {},
      },
      router: { current: () => ({ type: "session", sessionID: "ses_1" }) },
      toast: { show: ({ message }: { message: string }) => void told.push(`toast ${message}`) },
    },
    data: { on: (name: string) => () => void ended.push(name) },
    keymap: {
      layer(read: () => { mode: string; commands: Command[] }) {
        commands.push(...read().commands);
      },
    },
  };
  return { answers, commands, context, ended, slots, told };
}

const open = (
  context: unknown,
  files = createMemoryFiles({ [FILE]: createScreenText(), "/repo/.git/HEAD": "x" }),
) =>
  openInOpenCode2(context, { clock: createFakeClock(), files, env: {}, home: "/home" }, async () =>
    createPlainSolid(),
  );

describe("the screen half in OpenCode 2", () => {
  it("the screen half draws its block and its figure in the documented slots, and removes all of it at the end", async () => {
    const { context, ended, slots } = createContext();
    const end = open(context);
    await settle();
    expect(slots.map(({ append }) => append)).toEqual(["sidebar.content", "prompt.footer", "app"]);
    const [sidebar, footer] = slots;
    expect(drawn(footer?.render({}))).toBe("cache 94 % · saved 38 %, $0.42");
    expect(drawn(sidebar?.render({ sessionID: "ses_1" }))).toContain("context 13.3K of 80K");
    end?.();
    expect(ended).toEqual(["sidebar.content", "prompt.footer", "app", "session.execution.succeeded"]);
  });

  it("the screen half registers its commands from the app slot, and a page is a dialog that answers with a promise", async () => {
    const { answers, commands, context, slots, told } = createContext();
    open(context);
    await settle();
    expect(commands).toEqual([]);
    expect(slots.find(({ append }) => append === "app")?.render({})).toBeNull();
    expect(commands.every(({ palette }) => palette)).toBe(true);
    expect(commands.flatMap(({ slash }) => slash?.name ?? [])).toEqual([
      "memory",
      "context",
      "recall",
      "keep",
      "notes",
    ]);
    answers.push(undefined);
    commands.find(({ id }) => id === "strata.memory")?.run();
    await expect.poll(() => told).toEqual(["select Strata: Orders fail"]);
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
      data: { on: refuse },
      keymap: { layer: refuse },
    };
    const end = open(hostile);
    await settle();
    expect(() => end?.()).not.toThrow();
  });

  it("the screen half shows nothing in a host that does not give what drawing needs", async () => {
    const { context, slots } = createContext();
    const files = createMemoryFiles();
    const options = { clock: createFakeClock(), files, env: {}, home: "/home" };
    const end = openInOpenCode2(context, options, () => Promise.reject(new Error("no solid-js")));
    await settle();
    end?.();
    expect(slots).toEqual([]);
  });
});
