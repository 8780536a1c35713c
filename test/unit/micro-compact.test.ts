import { describe, expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { call, lines, outputs } from "../support/messages.js";
import { createSession, NO_TOKENS, type Session } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const HOUR = 3_600_000;
const RESULTS = `${PROJECT}/.opencode/tool-results/`;
const options = { microCompact: { floor: 0 } };
const text = (n: number) => lines(30 + n);

/** `count` answers with a bash call each, and an hour of silence, after which the cache is cold. */
async function talk(count: number, given: Record<string, unknown> = options) {
  const world = await openWorld({ options: given });
  const session = begin(world);
  for (let n = 0; n < count; n++) session.answer([bash(n)]);
  world.clock.advance(HOUR);
  session.user("go on");
  return { world, session };
}

function begin(world: World): Session {
  const session = createSession(world.clock);
  session.user("go");
  return session;
}

const bash = (n: number, tool = "bash") =>
  call(tool, text(n), { state: { input: { command: `make ${n}` }, metadata: { exit: n } } });

/** Which of the results stand there cleared, by their place. */
async function findCleared(world: World, { messages }: Session): Promise<number[]> {
  const shown = outputs(await world.request(messages));
  return shown.flatMap((one, index) => (one.startsWith("[Strata] Cleared") ? [index] : []));
}

it("old results, once the cache is cold, are cleared but for the newest five, and lie on disk as they were", async () => {
  const { world, session } = await talk(8);
  const shown = outputs(await world.request(session.messages));
  for (const [n, marker] of shown.slice(0, 3).entries()) {
    const path = /whole in (\S+)$/.exec(marker)?.[1] ?? "";
    expect(`${PROJECT}/${path}`.startsWith(RESULTS)).toBe(true);
    expect(world.files.text(`${PROJECT}/${path}`)).toBe(text(n));
    expect(marker).toContain(`exit ${n}; `);
  }
  expect(shown.slice(3)).toEqual([3, 4, 5, 6, 7].map(text));
});

it("old results, once the cache is cold, are recorded before the request, with one record in the ledger", async () => {
  const { world, session } = await talk(8);
  const shown = outputs(await world.request(session.messages));
  const cleared = world.decisions().filter(({ outcome }) => outcome === "cleared");
  expect(cleared.map((one) => one.text)).toEqual(shown.slice(0, 3));
  const [record, ...more] = world.ledger("ses_1", "cleared");
  expect(more).toEqual([]);
  expect(record).toMatchObject({ layer: "micro-compact", results: 3, cacheLost: 0 });
  // The next answer's record has what it cost.
  expect(record).not.toHaveProperty("net");
  expect(record?.reason).toBe("idle for 60 min, the cache lives 60 min");
  expect(record?.tokensFreed).toBeGreaterThan(3 * 200);
  await world.request(session.messages);
  expect(world.ledger("ses_1", "cleared")).toHaveLength(1);
});

it("old results, once the cache is cold, stay in the request for a summary, and go with the next one", async () => {
  const { session, world } = await talk(8);
  await world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
  expect(await findCleared(world, session)).toEqual([]);
  expect(await findCleared(world, session)).toEqual([0, 1, 2]);
});

it("old results, once the cache is cold, stay while what was decided about them cannot be read", async () => {
  const { world, session } = await talk(8);
  const unreadable = await openWorld({
    ...world,
    options,
    wrap: (inner) => ({
      ...inner,
      statItself: async (path) =>
        path.includes("decisions") ? Promise.reject(new Error("EIO")) : inner.statItself(path),
    }),
  });
  expect(await findCleared(unreadable, session)).toEqual([]);
  expect(world.ledger("ses_1", "cleared")).toEqual([]);
});

it("what is never cleared are results of MCP servers, subagents, skills, todos and edits, however old", async () => {
  const { world } = await talk(0);
  const session = begin(world);
  const spared = ["github_search", "task", "skill", "todowrite", "todoread", "edit", "write", "question"];
  for (const [n, tool] of spared.entries()) session.answer([bash(n, tool)]);
  for (let n = 0; n < 6; n++) session.answer([bash(n)]);
  world.clock.advance(HOUR);
  expect(await findCleared(world, session)).toEqual([spared.length]);
});

it("what is never cleared are results that the model has not seen: those of the last answer, and of one that broke off", async () => {
  const { world } = await talk(0, { microCompact: { floor: 0, keepRecent: 0 } });
  const session = begin(world);
  session.answer([bash(0)]);
  session.answer([bash(1)]);
  session.answer([bash(2)], { info: { tokens: NO_TOKENS } });
  world.clock.advance(HOUR);
  expect(await findCleared(world, session)).toEqual([0]);
});

it("results that lie on disk already keep their file when layer 1 has moved them there", async () => {
  const { world } = await talk(0, { microCompact: { floor: 0, keepRecent: 0 } });
  const session = begin(world);
  session.answer([call("bash", lines(2_000))]);
  await world.request(session.messages);
  const files = world.results();
  session.answer([]);
  world.clock.advance(HOUR);
  const [marker] = outputs(await world.request(session.messages));
  expect(`${PROJECT}/${/whole in (.*)$/.exec(marker ?? "")?.[1]}`).toBe(files[0]);
  expect(world.results()).toEqual(files);
});

it("results that lie on disk already are taken from the host's file as a whole, unless that is too large to be copied in a turn", async () => {
  for (const [size, isTaken] of [
    [40_000, true],
    [33_000_000, false],
  ] as const) {
    const { world } = await talk(0, {
      toolResults: { enabled: false },
      microCompact: { floor: 0, keepRecent: 0 },
    });
    world.files.contents.set("/host/out", Buffer.alloc(size, "w"));
    const session = begin(world);
    const cut = `${lines(40)}\nFull output saved to: /host/out`;
    session.answer([
      call("bash", cut, { state: { metadata: { truncated: true, outputPath: "/host/out" } } }),
    ]);
    session.answer([]);
    world.clock.advance(HOUR);
    await world.request(session.messages);
    const stored = world.files.contents.get(world.results()[0] ?? "");
    expect(stored?.byteLength).toBe(isTaken ? size : Buffer.byteLength(cut));
  }
});

it("a disk too slow to write to in time leaves all as it was, and says so", async () => {
  const { world, session } = await talk(8);
  const stuck = await openWorld({
    ...world,
    options,
    wrap: (inner) => ({
      ...inner,
      writeWhole: (path, data) =>
        path.startsWith(RESULTS) ? new Promise(() => {}) : inner.writeWhole(path, data),
    }),
  });
  const asked = stuck.request(session.messages);
  for (let n = 0; n < 50; n++) await new Promise(setImmediate);
  stuck.clock.advance(2_000);
  expect(outputs(await asked)).toEqual(outputs(session.messages));
  expect(await stuck.log()).toContain("layer micro-compact at hook context did not answer in time");
});

describe("results of other tools that the settings name", () => {
  const given = { microCompact: { floor: 0, keepRecent: 1, tools: { "docs_*": true, docs_private: false } } };
  const search = (tool: string, query: string) => call(tool, text(0), { state: { input: { query } } });

  it("results of other tools that the settings name are cleared once a later call repeats theirs", async () => {
    const { world } = await talk(0, given);
    const session = begin(world);
    session.answer([search("docs_search", "a"), search("docs_private", "a"), search("docs_search", "b")]);
    session.answer([search("docs_search", "a"), search("docs_private", "a")]);
    session.answer([]);
    world.clock.advance(HOUR);
    expect(await findCleared(world, session)).toEqual([0]);
  });

  it("results of other tools that the settings name are cleared after twenty answers, not earlier", async () => {
    const { world } = await talk(0, given);
    const session = begin(world);
    session.answer([search("docs_search", "a"), search("github_search", "a")]);
    for (let n = 0; n < 18; n++) session.answer([]);
    session.answer([bash(0)]);
    world.clock.advance(HOUR);
    expect(await findCleared(world, session)).toEqual([]);
    session.answer([]);
    world.clock.advance(HOUR);
    expect(await findCleared(world, session)).toEqual([0]);
  });
});

it("all results of the last three answers stay, however many calls they made", async () => {
  const { world } = await talk(0);
  const session = begin(world);
  session.answer([bash(0)]);
  for (let n = 0; n < 3; n++) session.answer([bash(1), bash(2), bash(3), bash(4)]);
  world.clock.advance(HOUR);
  session.user("go on");
  expect(await findCleared(world, session)).toEqual([0]);
});

it("of large results only the last two stay", async () => {
  const { world } = await talk(0);
  const session = begin(world);
  const large = (n: number) => call("bash", lines(300 + n), { state: { input: { command: `make ${n}` } } });
  for (let n = 0; n < 5; n++) session.answer([large(n)]);
  session.answer([]);
  world.clock.advance(HOUR);
  session.user("go on");
  expect(await findCleared(world, session)).toEqual([0, 1, 2]);
});
