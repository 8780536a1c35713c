/** Findings are others' words: they change no other memory, and each stays with its source. */
import { describe, expect, it } from "vitest";
import { createFindingKeeper } from "../../layers/5-auto-memory/findings/findings.js";
import { readSource } from "../../layers/5-auto-memory/findings/source.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createKeptMemories } from "../support/kept-memories.js";
import { memory } from "../support/memories.js";
import { call } from "../support/messages.js";

const limitOf = (count: number): string =>
  `Each client may send ${count} requests a minute to the public API.`;
const pageOf = (count: number): string =>
  `# Limits\n\n${limitOf(count)}\n\nThis page has another sentence, so that it is long enough to be a page of its own.\n`;

function openKeeper() {
  const memories = createKeptMemories(
    memory("limit", limitOf(100), { sensitivity: "private", type: "knowledge", by: "agent" }),
  );
  const clock = createFakeClock();
  const config = { findings: { enabled: true, maxAgeDays: 30, remind: false } };
  const keeper = createFindingKeeper({
    ...{ clock, memories, log: createFakeLog() },
    config: config as never,
  });
  const read = (url: string, text: string) => {
    const source = readSource({ part: call("webfetch", text, { state: { input: { url } } }), text }, PROJECT);
    if (!source) throw new Error(`no source: ${url}`);
    const asked = "How many requests may a client send?";
    return keeper.keep({ source, asked, session: "ses_1", message: `msg_${url}`, atMs: clock.now() });
  };
  return { memories, read };
}

describe("findings", () => {
  it("a page that contradicts a memory, or another page, supersedes neither", async () => {
    const { memories, read } = openKeeper();
    await read("https://a.example/v1", pageOf(60));
    await read("https://a.example/v2", pageOf(90));
    const all = await memories.list();
    expect(all.map(({ entities, status }) => [entities[0], status])).toEqual([
      [undefined, "active"],
      ["https://a.example/v1", "active"],
      ["https://a.example/v2", "active"],
    ]);
  });

  it("a page that is read again unchanged counts as used, so that its finding does not age", async () => {
    const { memories, read } = openKeeper();
    await read("https://a.example/v1", pageOf(60));
    expect(memories.used).toEqual([]);
    await read("https://a.example/v1", pageOf(60));
    expect(memories.used).toHaveLength(1);
  });

  it("two pages with the same sentence are two findings, each with its own source", async () => {
    const { memories, read } = openKeeper();
    await read("https://a.example/v1", pageOf(60));
    await read("https://b.example/copy", pageOf(60));
    const found = (await memories.list()).filter(({ tags }) => tags.includes("finding"));
    expect(found.map(({ entities }) => entities)).toEqual([
      ["https://a.example/v1"],
      ["https://b.example/copy"],
    ]);
  });
});
