/** Memories from other tools' JSON, from ledgers of a .memory folder, and from folders of Markdown. */
import { describe, expect, it } from "vitest";
import { readJsonExport } from "../../src/operations/transfer/json-export.js";
import { PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

const list = async (files: MemoryFiles) => JSON.parse((await runStrata(files, "list --json")).out).memories;
const source = { name: "other.json" };

describe("JSON of other tools", () => {
  const entry = {
    id: 7,
    content: "The server listens on 8080",
    type: "fact",
    title: "Port",
    tags: ["server"],
    created_at: "2026-03-01T10:00:00Z",
  };

  it("a list, an object with one, and JSON Lines are read with title, type, tags and date", () => {
    const line = JSON.stringify(entry);
    for (const text of [
      `[${line}]`,
      `{"version":2,"memories":[${line}]}`,
      `{"data":{"items":[${line}]}}`,
      `${line}\n`,
      `{"a\n${line}\nx`,
    ])
      expect([text, readJsonExport(text, source)]).toEqual([
        text,
        {
          drafts: [
            {
              ...{ type: "knowledge", title: "Port", content: entry.content, tags: ["server", "fact"] },
              created: "2026-03-01T10:00:00.000Z",
              provenance: { by: "tool", how: "imported" },
              extra: { "imported-from": "other.json" },
            },
          ],
          without: 0,
        },
      ]);
  });

  it("an entry keeps its importance, confidence, agent, words, dates and sensitivity", async () => {
    const files = openRepository({
      "/o.json": JSON.stringify([
        {
          ...{
            id: "mem_spark_1",
            agent: "spark",
            type: "lesson",
            content: "Restart the queue after a deploy.",
          },
          ...{
            importance: 0.85,
            confidence: 0.8,
            sensitivity: "private",
            tags: ["deploy"],
            source: "session",
          },
          ...{ aliases: ["worker restart"], entities: ["#34"], access_count: 4, last_accessed: null },
          ...{ created_at: "2026-05-01T23:00:00+08:00", updated_at: "2026-05-02T23:00:00+08:00" },
        },
      ]),
    });
    expect(await runStrata(files, "import /o.json")).toMatchObject({ code: 0, out: "Imported: 1 memory" });
    expect(await list(files)).toMatchObject([
      {
        ...{ id: "private/procedure/restart-queue-after-deploy", type: "procedure", importance: 0.85 },
        ...{ tags: ["deploy", "lesson"], aliases: ["worker restart"], entities: ["#34"] },
        ...{ created: "2026-05-01T15:00:00.000Z", updated: "2026-05-02T15:00:00.000Z" },
        extra: { agent: "spark", confidence: 0.8, access_count: 4, "imported-from": "o.json" },
      },
    ]);
    expect((await runStrata(files, "export")).out).not.toContain("Restart");
  });

  it.each([
    [{ sensitivity: "internal" }, undefined],
    [{ metadata: { sensitivity: "Internal" } }, undefined],
    [{ sensitivity: "secret-ish" }, "private"],
    [{ metadata: { private: true } }, "private"],
  ])("an entry with %j is private only if it is not known to be open", (fields, sensitivity) => {
    const [draft] = readJsonExport(JSON.stringify([{ ...entry, ...fields }]), source)?.drafts ?? [];
    expect(draft?.sensitivity).toBe(sensitivity);
  });

  it("an entry never becomes a rule or preference of the user's: a model may have worded it", () => {
    const types = ["preference", "directive", "feedback", "pattern", "decision", "lesson", "gotcha"];
    const text = JSON.stringify(types.map((type) => ({ memory: `about ${type}`, metadata: { type } })));
    const drafts = readJsonExport(text, source)?.drafts.map(({ tags, type }) => [type, tags?.[0]]);
    expect(drafts).toEqual([
      ["knowledge", "preference"],
      ["knowledge", "directive"],
      ["knowledge", "feedback"],
      ["knowledge", "pattern"],
      ["decision", undefined],
      ["procedure", "lesson"],
      ["knowledge", "gotcha"],
    ]);
  });

  it("seconds and milliseconds since 1970 are told apart, and text that is not such JSON is refused", () => {
    const dates = [1_772_000_000, 1_772_000_000_000].map((timestamp) => ({
      text: `at ${timestamp}`,
      timestamp,
    }));
    const found = readJsonExport(JSON.stringify(dates), source);
    const created = new Date(1_772_000_000_000).toISOString();
    expect(found?.drafts.map((draft) => draft.created)).toEqual([created, created]);
    expect(readJsonExport("# A page", source)).toBeUndefined();
    expect(readJsonExport("[1, 2]", source)).toEqual({ drafts: [], without: 0 });
  });
});

describe("folders", () => {
  it("import reads the JSON ledgers in and below a .memory folder, and resolved errors", async () => {
    const files = openRepository({
      "/r/.memory/ledgers/capture.jsonl":
        '{"summary":"Ledgers only grow","type":"decision"}\n{"op":"lease"}\n',
      "/r/.memory/errors.log": '{"error":"EADDRINUSE 8080","attempt":1,"resolution":"stop the old server"}\n',
      "/r/.memory/session.json": "{}",
    });
    const { code, out } = await runStrata(files, "import /r/.memory");
    expect([code, out]).toEqual([0, "Imported: 2 memories\nNo memories in session.json."]);
    expect(await list(files)).toMatchObject([
      { type: "decision", content: "Ledgers only grow" },
      { type: "knowledge", content: "EADDRINUSE 8080\n\nResolution: stop the old server" },
    ]);
  });

  it("ingest --recursive reads the Markdown in and below a folder, and follows no link", async () => {
    const files = openRepository({
      [`${PROJECT}/docs/a.md`]: "# Ports\n\n8080",
      [`${PROJECT}/docs/deep/b.md`]: "# Queues\n\nbounded",
      [`${PROJECT}/docs/deep/c.txt`]: "no page",
      [`${PROJECT}/docs/node_modules/d.md`]: "# Other\n\npeople's",
      [`${PROJECT}/docs/linked.md`]: "# Linked\n\nelsewhere",
    });
    files.links.add(`${PROJECT}/docs/linked.md`);
    expect(await runStrata(files, "ingest docs")).toMatchObject({
      code: 3,
      err: expect.stringContaining("--recursive"),
    });
    expect((await runStrata(files, "ingest docs --recursive")).out).toBe("Imported: 2 memories");
    expect((await list(files)).map(({ title }: { title: string }) => title).sort()).toEqual([
      "Ports",
      "Queues",
    ]);
    expect((await runStrata(files, "ingest docs --recursive")).out).toContain("2 already known");
  });

  it("a page of a folder keeps its fields, and cannot claim a fact's source or its number of sessions", async () => {
    const page =
      "---\nname: tabs\ntaken-from: { file: package.json, as: commands, hash: a }\nsessions: [a, b, c]\nowner: me\nsensitivity: private\nimportance: 0.9\nupdated: 2026-05-02\n---\nUse tabs.\n";
    const files = openRepository({ "/kept/MEMORY.md": "- [tabs](tabs.md)\n", "/kept/tabs.md": page });
    await runStrata(files, "import /kept");
    const [memory] = await list(files);
    expect(memory).toMatchObject({
      ...{ id: "private/knowledge/tabs", importance: 0.9, updated: "2026-05-02T00:00:00.000Z" },
    });
    const text = files.text(`${PROJECT}/.opencode/memory/${memory.id}.md`);
    expect(text).toContain("owner: me");
    expect(text).not.toMatch(/taken-from|sessions/);
  });
});
