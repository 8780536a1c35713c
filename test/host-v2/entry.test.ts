/** The entries for OpenCode 2, of the plugin and of its screen half, in hosts that are and are not OpenCode 2. */
import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { createSetup } from "../../src/host/2/setup.js";
import { findGlobalFolder } from "../../src/project/opencode-files.js";
import screen from "../../src/tui.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";

/** What the entry needs to start; nothing here is OpenCode 2. */
const ENTRY = {
  parts: [],
  open: () => Promise.reject(new Error("this host is not OpenCode 2")),
};

describe("the entry of OpenCode 2", () => {
  it("the entry of OpenCode 2 never throws, and writes down what it was offered where there is a project", async () => {
    const files = createMemoryFiles({ "/place/.opencode/opencode.json": "{}" });
    const setup = createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/place" });
    for (const context of [undefined, null, 5, {}, { options: null, agent: {}, command: {} }])
      await setup(context);
    const log = files.text("/place/.opencode/strata/strata.log");
    expect(log?.trimEnd().split("\n")).toHaveLength(5);
    expect(log).toContain(
      "INFO  setup         called by OpenCode's version-2 core, which offers agent, command; nothing to register",
    );
  });

  it("the entry of OpenCode 2 writes in the root of the repository, not in the folder it was started in, and keeps it out of git", async () => {
    const files = createMemoryFiles({
      "/repo/.git/HEAD": "x",
      "/repo/packages/a/.opencode/opencode.json": "{}",
    });
    await createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/repo/packages/a" })({
      agent: {},
    });
    expect(files.text("/repo/.opencode/strata/strata.log")).toContain("which offers agent");
    expect(files.text("/repo/.opencode/strata/.gitignore")).toBe("*\n");
    expect(files.text("/repo/packages/a/.opencode/strata/strata.log")).toBeUndefined();
  });

  it("the entry of OpenCode 2 writes nothing where there is no project, where the log is off, or where it cannot", async () => {
    const { env } = process;
    const own = `${findGlobalFolder({ home: env.HOME || homedir(), env })}/opencode.json`;
    const files = createMemoryFiles({
      "/off/.opencode/x": "",
      "/bad/.opencode": "a file",
      [own]: '{"memory":{"log":{"level":"off"}}}',
    });
    await createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/nowhere" })({});
    await createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/bad" })({});
    await createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/off" })({});
    expect([...files.contents.keys()]).toEqual(["/off/.opencode/x", "/bad/.opencode", own]);
  });

  it("the entry of OpenCode 2 leaves the work to server where there are no hooks on requests, as in 1.18.33", async () => {
    const files = createMemoryFiles({ "/place/.git/HEAD": "x" });
    const setup = createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/place" });
    // What 1.18.33 was seen to hand over.
    const registries = [
      "agent",
      "aisdk",
      "catalog",
      "command",
      "integration",
      "plugin",
      "reference",
      "skill",
    ];
    await setup({ options: {}, ...Object.fromEntries(registries.map((name) => [name, {}])) });
    expect(files.text("/place/.opencode/strata/strata.log")).toMatch(/ INFO .*server does the work\n$/);
  });

  it("the entry of OpenCode 2 stays off, with a line in the log, where it cannot start or the host does not say where it is", async () => {
    const files = createMemoryFiles({ "/place/.git/HEAD": "x", "/repo/.git/HEAD": "x" });
    const setup = createSetup({ ...ENTRY, clock: createFakeClock(), files, folder: "/place" });
    const session = { hook: async () => ({ dispose() {} }) };
    expect(await setup({ session })).toBeUndefined();
    expect(files.text("/place/.opencode/strata/strata.log")).toContain("does not say where it is loaded");
    expect(await setup({ session, location: { directory: "/repo" } })).toBeUndefined();
    expect(files.text("/repo/.opencode/strata/strata.log")).toMatch(/ ERROR .*this host is not OpenCode 2/);
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
