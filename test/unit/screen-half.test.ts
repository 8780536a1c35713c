/** The screen half in a host: what it reads, when, what it draws, and what it leaves alone. */
import { describe, expect, it } from "vitest";
import { type Api, type Command, openInOpenCode1 } from "../../src/tui/open-1.js";
import { createWatch } from "../../src/tui/screen.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { createPlainSolid, createScreenText, drawn } from "../support/screen.js";

const FILE = "/repo/.opencode/strata/state/screen/ses_1.json";
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
};

type Slot = (context: never, props: object) => unknown;

/** The API of OpenCode 1, as far as it is used. */
function createApi(text = "") {
  const commands: Command[] = [];
  const slots: Record<string, Slot> = {};
  const opened: string[] = [];
  const editor = {
    plainText: text,
    clear() {
      editor.plainText = "";
    },
  };
  const title = (props: { title: string }): string => props.title;
  const api = {
    ui: {
      ...{ DialogSelect: title, DialogAlert: title, DialogConfirm: title, DialogPrompt: title },
      toast: ({ message }: { message: string }) => void opened.push(`toast ${message}`),
      dialog: {
        replace: (render: () => unknown) => void opened.push(String(render())),
        ...{ clear() {}, setSize() {}, open: false },
      },
    },
    state: { path: { directory: "/repo" } },
    route: { current: { name: "session", params: { sessionID: "ses_1" } }, navigate() {} },
    theme: { current: { text: "T", textMuted: "M" } },
    renderer: { suspend() {}, resume() {}, requestRender() {}, currentFocusedEditor: editor },
    keymap: {
      registerLayer: (layer: { commands: readonly Command[] }) => void commands.push(...layer.commands),
    },
    lifecycle: { signal: new AbortController().signal, onDispose: () => () => {} },
    slots: {
      register(plugin: { slots: typeof slots }) {
        Object.assign(slots, plugin.slots);
        return "id";
      },
    },
  } satisfies Api;
  return { api, commands, editor, opened, slots };
}

async function open(files: MemoryFiles, text = "") {
  const clock = createFakeClock();
  const host = createApi(text);
  const solid = createPlainSolid();
  const options = { clock, files, env: {}, home: "/home" };
  await openInOpenCode1(host.api, undefined, options, async () => solid);
  return { ...host, clock, solid };
}

describe("the screen file", () => {
  const watching = (files: MemoryFiles, session: () => string | undefined = () => "ses_1") => {
    const clock = createFakeClock();
    const shown: (number | undefined)[] = [];
    const complaints: string[] = [];
    let reads = 0;
    const watch = createWatch({
      clock,
      files: {
        ...files,
        readFrom(...given) {
          reads++;
          return files.readFrom(...given);
        },
      },
      findProject: async () => "/repo",
      sessionID: session,
      show: (now) => void shown.push(now?.context.now),
      complain: (what) => void complaints.push(what),
    });
    return { clock, complaints, files, reads: () => reads, shown, watch };
  };

  it("the screen file is read when it has changed, and else only looked at, once a second", async () => {
    let now = 1;
    const files = createMemoryFiles({}, () => now);
    await files.writeWhole(FILE, createScreenText());
    const { clock, reads, shown, watch } = watching(files);
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await settle();
    };
    watch.start();
    await settle();
    for (let second = 0; second < 5; second++) await pass(1_000);
    expect([reads(), shown]).toEqual([1, [13_300]]);
    now = 2;
    await files.writeWhole(FILE, createScreenText().replace("13300", "500"));
    await pass(1_000);
    expect([reads(), shown]).toEqual([2, [13_300, 500]]);
    watch.stop();
    await files.remove(FILE);
    await pass(5_000);
    expect(shown).toEqual([13_300, 500]);
  });

  it("the screen file of a session stays shown while half a file is there, and not in another session", async () => {
    let now = 1;
    let session: string | undefined = "ses_1";
    const files = createMemoryFiles({}, () => now);
    await files.writeWhole(FILE, createScreenText());
    const { shown, watch } = watching(files, () => session);
    await watch.look();
    now = 2;
    await files.writeWhole(FILE, '{"v":1,"context":{');
    await watch.look();
    session = "ses_2";
    await watch.look();
    session = undefined;
    await watch.look();
    session = "../../../etc/passwd";
    await watch.look();
    expect(shown).toEqual([13_300, undefined, undefined, undefined]);
  });

  it("the screen file is not followed where it is a link, and a disk that fails is complained about", async () => {
    const files = createMemoryFiles({ [FILE]: createScreenText() });
    files.links.add(FILE);
    const linked = watching(files);
    await linked.watch.look();
    expect([linked.reads(), linked.shown]).toEqual([0, [undefined]]);
    const broken = watching({ ...files, statItself: () => Promise.reject(new Error("EIO")) });
    await broken.watch.look();
    expect(broken.complaints).toHaveLength(1);
  });
});

describe("the screen half in OpenCode 1", () => {
  it("the screen half draws the figures in the sidebar, and one beside the prompt only while there is no sidebar", async () => {
    const { slots, solid } = await open(
      createMemoryFiles({ [FILE]: createScreenText(), "/repo/.git/HEAD": "x" }),
    );
    const props = { session_id: "ses_1" };
    const footer = slots.session_prompt_right?.({} as never, props);
    await settle();
    expect(drawn(footer)).toBe("cache 94 % · saved 38 %, $0.42");
    const sidebar = slots.sidebar_content?.({} as never, props);
    expect(drawn(sidebar)).toContain("context 13.3K of 80K");
    expect(drawn(footer)).toBe("");
    solid.cleanUp();
    expect(drawn(footer)).toContain("cache 94 %");
  });

  it("the screen half takes /memory from the prompt, and leaves all else to the host", async () => {
    const run = async (text: string): Promise<{ isTaken: unknown; left: string }> => {
      const { commands, editor } = await open(createMemoryFiles({ "/repo/.git/HEAD": "x" }), text);
      const submit = commands.find(({ name }) => name === "input.submit");
      return { isTaken: submit?.run(), left: editor.plainText };
    };
    expect(await run("/memory")).toEqual({ isTaken: true, left: "" });
    expect(await run("/memory ")).toEqual({ isTaken: true, left: "" });
    expect(await run("/memory status")).toEqual({ isTaken: true, left: "/memory status" });
    expect(await run("/recall which port")).toEqual({ isTaken: true, left: "" });
    const others = ["/memory-undo", "/keep 3fa2b1", "see /memory", "/memory\nand more", "/context drop r-1"];
    for (const text of ["", ...others]) expect(await run(text)).toEqual({ isTaken: false, left: text });
  });

  it("the screen half opens the page of a command, and says what failed in a toast or dialog", async () => {
    const { commands, opened } = await open(
      createMemoryFiles({ [FILE]: createScreenText(), "/repo/.git/HEAD": "x" }),
    );
    await settle();
    commands.find(({ name }) => name === "strata.memory")?.run();
    await expect.poll(() => opened, { timeout: 10_000 }).toContain("Strata: Orders fail");
  });
});
