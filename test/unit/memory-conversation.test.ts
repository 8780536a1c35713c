import { describe, expect, it } from "vitest";
import { fullCompact } from "../../layers/4-full-compact/index.js";
import { createConversation, MEANT_WITHIN_MS } from "../../layers/5-auto-memory/conversation.js";
import { BOOT_HEAD, LAYER, planWithdrawal } from "../../layers/5-auto-memory/injection/boot.js";
import { createConflicts } from "../../layers/5-auto-memory/injection/conflicts.js";
import { FIRST_READ_MS } from "../../layers/5-auto-memory/injection/known-memories.js";
import {
  CALLS_BETWEEN,
  findLineIDs,
  MATCH_HEAD,
  TRIGGER_HEAD,
} from "../../layers/5-auto-memory/injection/line.js";
import type { Message, Part, ToolPart } from "../../src/io/message.js";
import type { Memory } from "../../src/memory/memory.js";
import type { MemorySearch } from "../../src/memory/search/search.js";
import { measure } from "../support/fake-clock.js";
import { createKeptMemories } from "../support/kept-memories.js";
import { memory } from "../support/memories.js";
import { call, outputs } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { type LayerFactory, openWorld, type WorldOptions } from "../support/world.js";

/** The machine with these memories, of which those match whose content has a word of the text in it. */
async function open(
  given: Memory[],
  options: WorldOptions & { reading?: () => Promise<void>; meaning?: MemorySearch["matchByMeaning"] } = {},
) {
  const memories = createKeptMemories(...given);
  const list = memories.list.bind(memories);
  const store = {
    ...memories,
    list: async () => {
      await options.reading?.();
      return list();
    },
  };
  const matched: string[] = [];
  const match = (text: string): Memory[] => {
    matched.push(text);
    const words = text.toLowerCase().match(/\w{5,}/g) ?? [];
    return memories
      .known()
      .filter(({ content }) => words.some((word) => content.toLowerCase().includes(word)));
  };
  const speaking: LayerFactory = (context) => {
    const conflicts = createConflicts({ ...context, folder: context.folders.memory, store });
    const search = { ...context.search, match, ...(options.meaning && { matchByMeaning: options.meaning }) };
    const parts = { conflicts, memories: store, search };
    const conversation = createConversation({ ...context, ...parts });
    return {
      name: LAYER,
      handlers: {
        async context(request, _view, signal) {
          return (await conversation.speak(request, signal)) ? request.show() : undefined;
        },
      },
    };
  };
  const world = await openWorld({ layers: [fullCompact, speaking], ...options });
  return { memories, matched, world, session: createSession(world.clock) };
}

const isText = ({ type }: Part) => type === "text";
/** What was put behind a message. */
const added = (message: Message | undefined): string =>
  (message?.parts.filter(isText).slice(1) ?? []).map(({ text }) => text).join("|");
const ran = (command: string): ToolPart => call("bash", "ok", { state: { input: { command } } });
/** What stands behind the output of the last call. */
const behind = (message: Message | undefined): string =>
  outputs(message ? [message] : [])
    .at(-1)
    ?.slice("ok".length) ?? "no result";

/** Something to wait for, opened by hand. */
function createGate(): { opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const rule = memory("force", "Never force-push.", { type: "directive", when: ["git push"] });
const port = memory("port", "The database listens on 5433.", { type: "decision", daysAgo: 47 });

/** The first message was sent before the rule could be read. */
async function openOnSlowDisk() {
  const [disk, asked] = [createGate(), createGate()];
  const reading = () => {
    asked.open();
    return disk.opened;
  };
  const opened = await open([rule], { reading });
  opened.session.user("hello");
  const request = opened.world.request(opened.session.messages);
  await asked.opened;
  opened.world.clock.advance(FIRST_READ_MS);
  expect(added((await request)[0])).toBe("");
  disk.open();
  await opened.world.strata.idle();
  return opened;
}

describe("the boot block", () => {
  it("the boot block follows a session's first message, and stays the same when memory changes and after a restart", async () => {
    const { memories, session, world } = await open([rule, port]);
    session.user("hello");
    const first = await world.request(session.messages);
    expect(added(first[0])).toContain(BOOT_HEAD);
    expect(added(first[0])).toContain(
      "Rules of the user's, which still hold:\n- [directive/force] Never force-push.",
    );
    expect(added(first[0])).toContain(
      "- [decision/port] The database listens on 5433. (decision, 47 days old)",
    );
    memories.put(memory("later", "Something else.", { type: "directive" }));
    session.answer([ran("ls")]);
    session.user("go on");
    const second = await world.request(session.messages);
    expect(bytesOf(second).slice(0, 1)).toEqual(bytesOf(first));
    expect(added(second[2])).toBe("");
    expect(bytesOf(await (await world.restart()).request(session.messages))).toEqual(bytesOf(second));
    await world.strata.idle();
    expect(world.ledger("ses_1", "extended")).toMatchObject([{ layer: LAYER, results: 1 }]);
  });

  it("the boot block is shown again, as of then, after the next message once the host has compacted", async () => {
    const { memories, session, world } = await open([rule]);
    session.user("hello");
    session.answer([], { text: "## Request and Intent\nhello", info: { summary: true, finish: "stop" } });
    memories.put(port);
    session.user("go on", {});
    const view = await world.request(session.messages.slice(1));
    expect(added(view.at(-1))).toContain("Never force-push.");
    expect(added(view.at(-1))).toContain("5433");
    session.answer([], { text: "done" });
    session.user("and on");
    expect(added((await world.request(session.messages.slice(1))).at(-1))).toBe("");
  });

  it("the boot block waits for the next message if the disk is slow, and never delays the first", async () => {
    const { session, world } = await openOnSlowDisk();
    session.answer([], { text: "hi" });
    session.user("go on");
    expect(added((await world.request(session.messages))[2])).toContain("Never force-push.");
  });
});

describe("the memories that match a message", () => {
  it("the memories that match a message follow it with their age, once, and not if the boot block has them", async () => {
    const { memories, session, world } = await open([rule]);
    session.user("hello");
    await world.request(session.messages);
    session.answer([], { text: "hi" });
    memories.put(
      port,
      memory("gone", "The database schema is in db/schema.sql.", { entities: ["db/schema.sql"] }),
    );
    session.user("Is the database up? Never mind a force-push.");
    const view = await world.request(session.messages);
    expect(added(view[2])).toBe(
      [
        MATCH_HEAD,
        "- [decision/port] The database listens on 5433. (decision, 47 days old)",
        "- [knowledge/gone] The database schema is in db/schema.sql. (knowledge, today; verify: db/schema.sql is not there any more)",
      ].join("\n"),
    );
    session.answer([], { text: "yes" });
    session.user("And the database now?");
    expect(added((await world.request(session.messages))[4])).toBe("");
  });

  describe("by the user's endpoint", () => {
    const options = { recall: { embeddings: { url: "http://localhost:1" } } };
    const FAR = "Wo läuft die Ablage?";

    it("a memory that means the message in other words follows those that share its words", async () => {
      const { memories, session, world } = await open([], { options, meaning: async () => [port] });
      session.user("hello");
      await world.request(session.messages);
      session.answer([], { text: "hi" });
      memories.put(port, memory("schema", "Die Ablage hat ein Schema."));
      session.user(FAR);
      const shown = findLineIDs(added((await world.request(session.messages))[2]));
      expect(shown).toEqual(["knowledge/schema", "decision/port"]);
    });

    it("a message waits for it 300 ms at most, then goes without; an archived memory is not shown", async () => {
      const late = createGate();
      const meaning = async () => {
        await late.opened;
        return [port];
      };
      const { memories, session, world } = await open([], { options, meaning });
      session.user("hello");
      await measure(world.clock, world.request(session.messages));
      session.answer([], { text: "hi" });
      memories.put(port);
      session.user(FAR);
      const { answer, tookMs } = await measure(world.clock, world.request(session.messages));
      expect([added(answer[2]), tookMs]).toEqual(["", MEANT_WITHIN_MS]);
      late.open();
      memories.put({ ...port, status: "archived" });
      session.answer([], { text: "so" });
      session.user(FAR);
      expect(added((await world.request(session.messages))[4])).toBe("");
    });
  });

  it("the memories that match a message are not those of the same session", async () => {
    const { memories, session, world } = await open([]);
    session.user("The database listens on 5433.");
    await world.request(session.messages);
    session.answer([], { text: "ok" });
    memories.put({ ...port, provenance: { by: "user", session: "ses_1" } });
    session.user("Start the database.");
    expect(added((await world.request(session.messages))[2])).toBe("");
  });

  it("the memories that match a message are decided once: a repeated request is the same, whatever was learned in between", async () => {
    const { memories, session, world } = await open([]);
    session.user("hello");
    await world.request(session.messages);
    session.answer([], { text: "hi" });
    session.user("Start the database.");
    const first = await world.request(session.messages);
    memories.put(port);
    expect(bytesOf(await world.request(session.messages))).toEqual(bytesOf(first));
  });

  it("the memories that match messages take at most 60 KB in a session, also over restarts", async () => {
    const opened = await open([]);
    const { memories, session } = opened;
    let { world } = opened;
    session.user("hello");
    await world.request(session.messages);
    let view: readonly Message[] = [];
    for (let n = 0; n < 30; n++) {
      const many = Array.from({ length: 5 }, (_, m) =>
        memory(`m${n}_${m}`, `database${n} ${"长".repeat(600)}`),
      );
      memories.put(...many);
      session.answer([], { text: "ok" });
      session.user(`about database${n}`);
      view = await world.request(session.messages);
      if (n % 10 === 9) world = await world.restart();
    }
    const texts = view.map(added).filter((text) => text !== "");
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(4_096);
    expect(bytes).toBeLessThanOrEqual(60_000);
    expect(bytes).toBeGreaterThan(50_000);
    expect(added(view.at(-1))).toBe("");
  });
});

it("a triggered rule follows the newest result when its command is used, and then not for a while", async () => {
  const { session, world } = await open([rule]);
  session.user("hello");
  await world.request(session.messages);
  session.answer([ran("git status")]);
  expect(behind((await world.request(session.messages))[1])).toBe("");
  session.answer([ran("git push --force"), ran("ls")]);
  const view = await world.request(session.messages);
  expect(behind(view[2])).toBe(
    `\n\n${TRIGGER_HEAD}\n- [directive/force] Never force-push. (directive, today)`,
  );
  session.answer([ran("git push")]);
  expect(behind((await world.request(session.messages))[3])).toBe("");
  for (let n = 0; n < CALLS_BETWEEN; n++) session.answer([ran("ls")]);
  session.answer([ran("git push")]);
  expect(behind((await world.request(session.messages)).at(-1))).toContain("Never force-push.");
});

it("a memory that the user has taken back goes from what was shown, and the others stay", async () => {
  const { session, world } = await open([rule, port]);
  session.user("hello");
  await world.request(session.messages);
  const request = world.strata.requests.open(session.messages);
  if (!request) throw new Error("no request");
  const plan = (...ids: string[]) =>
    planWithdrawal(request, { memories: new Set(ids), revisions: [] } as never)?.revisions;
  const [revised, ...others] = plan("decision/port") ?? [];
  expect(others).toEqual([]);
  expect(revised).toMatchObject({ outcome: "revised", of: "extended", layer: LAYER });
  expect(JSON.stringify(revised)).toContain("Never force-push.");
  expect(JSON.stringify(revised)).not.toContain("5433");
  expect(plan("decision/other")).toBeUndefined();
});
