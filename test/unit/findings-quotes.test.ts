/** The parts of a finding: the source of a call, and the sentences of its text. */
import { describe, expect, it } from "vitest";
import { createFindingKeeper, findQuotes, readSource } from "../../layers/5-auto-memory/findings/finding.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createKeptMemories } from "../support/kept-memories.js";
import { memory } from "../support/memories.js";
import { call } from "../support/messages.js";

describe("the source of a call", () => {
  const long = "A sentence of a document, long enough to say something of its own. ".repeat(4);
  const sourceOf = (tool: string, input: Record<string, unknown>, text = long): string | undefined =>
    readSource({ part: call(tool, text, { state: { input } }), text }, PROJECT)?.name;

  it.each<[string, Record<string, unknown>, string | undefined]>([
    ["webfetch", { url: "https://me@a.example/b?c=1#d" }, "https://a.example/b?c=1"],
    ["webfetch", { url: "file:///etc/passwd" }, undefined],
    ["websearch", { query: "rate limits" }, 'Search for "rate limits"'],
    ["bash", { command: "pdftotext -layout docs/a.pdf -" }, "docs/a.pdf"],
    ["read", { filePath: `${PROJECT}/a.png` }, undefined],
    ["read", { filePath: `${PROJECT}/a.ts` }, undefined],
    ["drive_read_file", { path: "specs/a.docx" }, "specs/a.docx"],
    ["github_create_issue", { path: "a" }, undefined],
    ["drive_read_file", { path: "config/.env" }, undefined],
    ["filesystem_read_file", { path: "/home/me/notes.md" }, "/home/me/notes.md"],
    ["vault_get_secret", { path: "/kv/prod" }, undefined],
    ["read", { filePath: `/home/me/ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}.pdf` }, undefined],
    ["db_read_resource", { uri: "postgres://me:hunter2@host/db" }, undefined],
    ["bash", { command: "curl -s https://a.example/x.pdf | pdftotext - -" }, undefined],
    ["webfetch", { url: "https://a.example/b?auth=hunter2" }, "https://a.example/b"],
    [
      "webfetch",
      { url: "https://a.example/b?keyword=cats&author=me" },
      "https://a.example/b?keyword=cats&author=me",
    ],
  ])("the source of a call to %s with %j is %j", (tool, input, name) => {
    expect(sourceOf(tool, input)).toBe(name);
  });
});

describe("quotes", () => {
  it("quotes are sentences of the text, at most five, in its order, or its beginning if no sentence answers", () => {
    const text = Array.from(
      { length: 40 },
      (_, n) => `The timeout of server ${n} is ${n * 10} seconds.`,
    ).join("\n");
    expect(findQuotes(text, "What is the timeout of server 17?")).toEqual([
      { line: 18, text: "The timeout of server 17 is 170 seconds." },
    ]);
    const quotes = findQuotes(text, "What are the timeouts of the servers?");
    expect(quotes).toHaveLength(5);
    for (const { line, text: one } of quotes) expect(text.split("\n")[line - 1]).toBe(one);
    expect(quotes.map(({ line }) => line)).toEqual(quotes.map(({ line }) => line).sort((a, b) => a - b));
    expect(findQuotes(text, "Pizza?").map(({ line }) => line)).toEqual([1, 2]);
  });
});

/* Findings are others' words: they change no other memory, and each stays with its source. */

const limitOf = (count: number): string =>
  `Each client may send ${count} requests a minute to the public API.`;
const pageOf = (count: number): string =>
  `# Limits\n\n${limitOf(count)}\n\nThis page has another sentence, so that it is long enough to be a page of its own.\n`;

function openKeeper() {
  const memories = createKeptMemories(
    memory("limit", limitOf(100), { sensitivity: "private", type: "knowledge", by: "agent" }),
  );
  const clock = createFakeClock();
  const keeper = createFindingKeeper({ clock, log: createFakeLog(), memories } as never);
  const read = (url: string, text: string) => {
    const source = readSource({ part: call("webfetch", text, { state: { input: { url } } }), text }, PROJECT);
    if (!source) throw new Error(`no source: ${url}`);
    const asked = "How many requests may a client send?";
    return keeper.keep({ source, asked, session: "ses_1", message: `msg_${url}`, atMs: clock.now() });
  };
  return { memories, read };
}

describe("findings apart", () => {
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
});
