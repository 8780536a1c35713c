/** `strata mcp` with the SDK's client: sessions of several clients, and tools about the memories as a whole. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { keep, openAll, openMcp } from "../support/mcp.js";

const TESTS = "Always run the tests before you push.";

describe("tools about sessions", () => {
  it("a client's sessions are visible to others, hold claims against them, and end", async () => {
    const world = await openMcp({ tools: "all" });
    const [one, other] = [
      await world.connect({ name: "Claude Code" }),
      await world.connect({ name: "codex" }),
    ];
    const name = /others see it as (\S+)\./.exec(
      await one.call("session_start", { session_id: "s1", working_on: "the login page" }),
    )?.[1];
    expect(name).toMatch(/^mcp-claude-code-[0-9a-f]{6}-s1$/);
    expect(await other.call("get_active_sessions")).toContain(
      `${name} (instance ${name?.slice(0, -3)}, busy, "the login page")`,
    );
    expect(await one.call("claim_item", { session_id: "s1", item_ref: "src/a.ts" })).toContain(
      "Held: src/a.ts until",
    );
    expect(await other.refusal("claim_item", { session_id: "s1", item_ref: "src/a.ts" })).toContain(
      `src/a.ts is held by ${name}`,
    );
    expect(await other.refusal("release_item", { session_id: "s1", item_ref: "src/a.ts" })).toContain(
      "is not free",
    );
    expect(await one.call("session_heartbeat", { session_id: "s1" })).toContain("holds src/a.ts");
    expect(await one.call("release_item", { session_id: "s1", item_ref: "src/a.ts" })).toBe(
      "Released: src/a.ts",
    );
    expect(await other.call("claim_item", { session_id: "s1", item_ref: "src/a.ts" })).toContain("Held");
    await one.call("claim_item", { session_id: "s1", item_ref: "#34" });
    expect(
      await one.call("session_end", { session_id: "s1", summary: "The login page has a new form." }),
    ).toContain("Kept: event/");
    expect(await other.call("get_active_sessions")).not.toContain("claude-code");
    expect(await other.call("claim_item", { session_id: "s2", item_ref: "#34" })).toContain("Held: #34");
    expect(await one.refusal("session_end", { session_id: "s1" })).toContain(
      "was not started by this client",
    );
  });

  it("a client that disconnects loses its claims and is no longer listed", async () => {
    const world = await openMcp({ tools: "all" });
    const [one, other] = [await world.connect(), await world.connect()];
    await one.call("claim_item", { session_id: "s1", item_ref: "#34" });
    await one.close();
    await expect.poll(() => other.call("get_active_sessions")).toContain("No other session");
    expect(await other.call("claim_item", { session_id: "s1", item_ref: "#34" })).toContain("Held");
  });

  it("two clients that change one memory keep both versions, and the second is informed", async () => {
    const world = await openMcp({ tools: "all" });
    const [one, other] = [await world.connect({ name: "one" }), await world.connect({ name: "other" })];
    const id = await keep(one);
    for (const client of [one, other]) await client.call("recall", { query: id });
    await one.call("edit_memory", { memory_id: id, content: "The server listens on 9090." });
    const said = await other.refusal("edit_memory", {
      memory_id: id,
      content: "The server listens on 7070.",
    });
    expect(said).toContain("Both versions stand in");
    expect(await other.call("get_boot_context")).toContain("Two versions each");
    const [record = ""] = [...world.files.contents.keys()].filter((path) => path.includes("/conflicts/"));
    expect(world.files.text(record)).toMatch(/9090.*7070/s);
  });

  it("log_session stores an event and each learning, and reports what was not kept", async () => {
    const { client, strata } = await openAll();
    const token = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    const learnings = ["The old frontend starts before the server.", token];
    const answer = await client.call("log_session", {
      summary: "Moved the server.",
      learnings,
      entities: ["#34"],
    });
    expect(answer).toMatch(/Kept: event\/.*Kept: knowledge\/.*Not kept: Nothing was changed\. /s);
    expect(await strata("list")).toMatch(/event\/.*knowledge\//s);
    expect(await client.refusal("log_session", { summary: token })).toContain("Not kept");
  });
});

describe("tools about all memories", () => {
  it("a secret is removed from a reason", async () => {
    const { client, strata } = await openAll();
    const token = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    const reason = `the key is now ${token}`;
    const [one, other] = [await keep(client), await keep(client, "The proxy listens on 443.")];
    await client.call("bulk_archive", { memory_ids: [one], reason });
    await client.call("archive_memory", { memory_id: other, reason });
    for (const id of [one, other])
      expect(await strata(`memory history ${id}`)).toMatch(/the key is now \[removed: /);
  });

  it("export_memories and import_memories transfer memories, each once", async () => {
    const { client, files } = await openAll();
    await keep(client);
    await keep(client, "An idea about caches.", "idea");
    const lines = (await client.call("export_memories", { categories: ["idea"] })).split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(["idea/an-idea-about-caches"]);
    expect(await client.call("export_memories", { output_path: "out.jsonl" })).toContain(
      "2 memories to /project/out.jsonl",
    );
    expect(await client.refusal("export_memories", { output_path: "out.jsonl" })).toContain("already exists");
    const other = await openAll();
    await other.files.writeWhole("/project/in.jsonl", files.text("/project/out.jsonl") ?? "");
    expect(await other.client.call("import_memories", { input_path: "in.jsonl", dry_run: true })).toContain(
      "Would keep 2",
    );
    expect(await other.client.call("import_memories", { input_path: "in.jsonl" })).toContain(
      "Kept 2, 0 already known",
    );
    expect(
      await other.client.call("import_memories", { input_path: "in.jsonl", skip_duplicates: false }),
    ).toContain("Kept 0, 2 already known");
    expect(await other.strata("list --json").then((text) => JSON.parse(text).memories)).toHaveLength(2);
  });

  it("export_memories leaves out memories that have not changed since, and says if none is left", async () => {
    const { client, clock } = await openAll();
    await keep(client);
    clock.advance(10 * DAY_MS);
    expect(await client.call("export_memories", { since_days: 5 })).toBe("Nothing to export.");
    expect(await client.call("export_memories", { since_days: 20 })).toContain("8080");
  });

  it("ingest_file imports one memory per heading, and its rules wait for the user", async () => {
    const { client, files, strata } = await openAll();
    await files.writeWhole(
      "/project/docs/notes.md",
      `# Decisions\n\nWe use pnpm here.\n\n# Directives\n\n${TESTS}\n`,
    );
    expect(await client.call("ingest_file", { file_path: "docs/notes.md" })).toContain(
      "Kept 1, 0 already known, 1 wait for the user",
    );
    expect(await strata("list")).toMatch(/^decision\/we-use-pnpm-here\s/m);
    expect(await strata("list")).not.toContain("directive/");
    expect(await strata("candidates")).toContain(TESTS);
  });

  it("bootstrap_memory imports what files state as the repository's words", async () => {
    const { client, files, strata } = await openAll();
    await files.writeWhole("/project/Makefile", "test:\n");
    expect(await client.call("bootstrap_memory")).toContain("Added: 1 memory");
    expect(await strata("list")).toContain("(not yours)");
    expect(await client.refusal("bootstrap_memory", { path: "../.." })).toContain("outside the project");
  });

  it("consolidate_memory lists unused memories and changes nothing", async () => {
    const { client, clock, files } = await openAll();
    const id = await keep(client);
    clock.advance(100 * DAY_MS);
    const before = new Map([...files.contents].filter(([path]) => path.includes("/memory/")));
    const answer = await client.call("consolidate_memory", { days_stale: 90 });
    expect(answer).toMatch(/Unused for 90 days: 1\n- \[/);
    expect(answer).toContain(id);
    for (const [path, bytes] of before)
      if (!path.includes("uses")) expect(files.contents.get(path)).toEqual(bytes);
  });

  it("enrich_entity says why it cannot ask, and memory_status counts", async () => {
    const { client } = await openAll();
    await keep(client);
    expect(await client.refusal("enrich_entity", { entity_ref: "#34" })).toContain("no git remote");
    expect(await client.refusal("enrich_entity", { entity_ref: "the server" })).toContain(
      "is not a merge request",
    );
    expect(await client.call("memory_status")).toContain("Memories        1: decision 1");
  });
});
