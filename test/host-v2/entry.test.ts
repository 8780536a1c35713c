/** The entries for OpenCode 2, of the plugin and of its screen half, in hosts that are and are not OpenCode 2. */
import { describe, expect, it } from "vitest";
import { createSetup } from "../../src/host/2/setup.js";
import screen from "../../src/tui.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";

describe("the entry of OpenCode 2", () => {
  it("the entry registers nothing where there are no hooks on requests, as in the core inside 1.18.33", async () => {
    const files = createMemoryFiles({ "/place/.git/HEAD": "x" });
    const setup = createSetup({
      ...{ clock: createFakeClock(), files, parts: [] },
      open: () => Promise.reject(new Error("this host is not OpenCode 2")),
    });
    const session = { hook: async () => ({ dispose() {} }) };
    for (const context of [undefined, null, 5, {}, { options: null, agent: {}, command: {} }, { session }])
      expect(await setup(context)).toBeUndefined();
    expect([...files.contents.keys()]).toEqual(["/place/.git/HEAD"]);
  });

  it("the entry that cannot start stays off, with a line in the project's log, which stays out of git", async () => {
    const files = createMemoryFiles({ "/repo/.git/HEAD": "x" });
    const setup = createSetup({
      ...{ clock: createFakeClock(), files, parts: [] },
      open: () => Promise.reject(new Error("out of ink")),
    });
    const session = { hook: async () => ({ dispose() {} }) };
    const context = { session, location: { directory: "/repo/a", project: { directory: "/repo" } } };
    expect(await setup(context)).toBeUndefined();
    expect(files.text("/repo/.opencode/strata/strata.log")).toMatch(/ ERROR .*out of ink; Strata is off/);
    expect(files.text("/repo/.opencode/strata/.gitignore")).toBe("*\n");
  });

  it("the screen of OpenCode 2 shows the toasts of its own location's server half", () => {
    const shown: unknown[] = [];
    let hear = (_event: unknown): void => {};
    const events = {
      on(_name: string, listener: (event: unknown) => void) {
        hear = listener;
        return () => {};
      },
    };
    screen.setup({
      location: { directory: "/here" },
      ui: { toast: { show: (one: unknown) => void shown.push(one) } },
      client: { rpc: () => ({ events }) },
    });
    const toast = { message: "Strata: hello", variant: "info" };
    hear({ data: toast, location: { directory: "/elsewhere" } });
    hear({ data: toast, location: { directory: "/here" } });
    hear({ data: 5 });
    expect(shown).toEqual([toast]);
  });

  it("the entry of OpenCode 2 leaves a screen alone that offers something else, or refuses; OpenCode 1 is shown nothing", async () => {
    const refuse = () => {
      throw new Error("no");
    };
    for (const context of [
      undefined,
      null,
      5,
      {},
      { ui: 1 },
      { ui: { toast: refuse } },
      { ui: { toast: { show: refuse } } },
    ])
      expect(screen.setup(context)).toBeUndefined();
    expect(await screen.tui()).toBeUndefined();
  });
});
