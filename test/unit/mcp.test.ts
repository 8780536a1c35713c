/** `strata mcp` with the SDK's client: its tools, and what they leave on disk. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { keep, openAll, openMcp, PORT } from "../support/mcp.js";

const TESTS = "Always run the tests before you push.";
const TOKEN = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);

describe("tools that find", () => {
  it("recall returns a line for each hit, a memory in full by its id, and all hits in full with compact: false", async () => {
    const { client } = await openAll();
    const id = await keep(client);
    const line = `- [${id}] ${PORT} (decision, noted by an agent`;
    expect(await client.call("recall", { query: "which port" })).toContain(line);
    expect(await client.call("recall", { query: id })).toMatch(/in \.opencode\/memory\/decision\/.*\n---\n/s);
    expect(await client.call("recall", { query: "port", compact: false })).toContain(`---\n${PORT}`);
    expect(await client.call("recall", { query: "submarines" })).toBe("Nothing found.");
  });

  it("recall respects its limit, a category and a project", async () => {
    const { client } = await openAll();
    for (const n of [1, 2, 3]) await keep(client, `Server number ${n} has the port ${n}080.`, "fact");
    const everywhere = { content: "Servers everywhere have a port.", category: "fact", project: "global" };
    await client.call("remember", everywhere);
    const count = async (args: object) =>
      (await client.call("recall", { query: "server port", ...args })).split("\n- ").length - 1;
    const counts = [{ limit: 2 }, { category: "decision" }, { project: "global" }, { project: "project" }];
    expect(await Promise.all(counts.map(count))).toEqual([2, 0, 1, 3]);
    const other = client.refusal("recall", { query: "x", project: "other" });
    expect(await other).toContain("This server serves project");
  });

  it("get_context returns memories that name an entity", async () => {
    const { client } = await openAll();
    await client.call("remember", { content: PORT, category: "decision", entities: ["#34"] });
    expect(await client.call("get_context", { entity_ref: "#34" })).toContain(PORT);
    expect(await client.call("get_context", { entity_ref: "#35" })).toBe("Nothing found.");
  });

  it("get_boot_context returns what an OpenCode session is shown when it starts", async () => {
    const { client, strata } = await openAll();
    expect(await client.call("get_boot_context")).toBe("Nothing is remembered about this project yet.");
    await strata(`remember --type directive ${TESTS}`);
    await keep(client, "The certificate has expired.", "blocker");
    expect(await client.call("get_boot_context")).toMatch(
      /^\[Strata\] .*Rules of the user's.*Always run the tests.*Blockers that are open:.*certificate/s,
    );
  });

  it("get_linked_memories follows links both ways, replacements and shared entities, by type", async () => {
    const { client, files } = await openAll();
    const one = await keep(client);
    const other = await keep(client, "The proxy listens on 443.");
    const third = await keep(client, "Logs go to disk.");
    const link = (id: string, yaml: string): Promise<void> => {
      const path = `/project/.opencode/memory/${id}.md`;
      return files.writeWhole(path, (files.text(path) ?? "").replace("---\n", `---\n${yaml}\n`));
    };
    await link(one, `links: ["${other}"]\nentities: ["#34"]`);
    await link(third, `entities: ["#34"]`);
    const ask = (args: object) => client.call("get_linked_memories", args);
    const both = /links:\n- \[decision\/the-proxy.*entity:\n- \[decision\/logs/s;
    expect(await ask({ memory_id: one })).toMatch(both);
    expect(await ask({ memory_id: other })).toContain(`linked_by:\n- [${one}]`);
    expect(await ask({ memory_id: one, link_types: ["supersedes"] })).toBe("Nothing found.");
    await expect(ask({ memory_id: "idea/none" })).rejects.toThrow("There is no memory idea/none");
  });

  it("search_history also finds archived memories", async () => {
    const { client } = await openAll();
    await client.call("archive_memory", { memory_id: await keep(client) });
    expect(await client.call("recall", { query: "port" })).toBe("Nothing found.");
    const archived = `${PORT} (decision, noted by an agent, today) (archived)`;
    expect(await client.call("search_history", { query: "port" })).toContain(archived);
    const past = client.call("search_history", { query: "port", category: "conversation" });
    expect(await past).toBe("Nothing found.");
  });
});

describe("tools that write", () => {
  it("remember stores a fact as an agent's, and a repeated one only once", async () => {
    const { client, strata } = await openAll();
    const parts = { what: "the port", why: "3000 is taken", learned: "ask first" };
    const args = { content: PORT, category: "decision", ...parts };
    expect(await client.call("remember", args)).toMatch(/^Kept: decision\//);
    expect(await client.call("remember", args)).toMatch(/^Known already: decision\//);
    const session = expect.stringMatching(/^mcp-test-client-[0-9a-f]{6}$/);
    expect(JSON.parse(await strata("list --json")).memories).toMatchObject([
      {
        content: `${PORT}\n\nWhat: the port\n\nWhy: 3000 is taken\n\nLearned: ask first`,
        provenance: { by: "agent", how: "tool", session },
      },
    ]);
    const secret = client.refusal("remember", { content: TOKEN, category: "fact" });
    expect(await secret).toContain("Expected a fact");
  });

  it("edit_memory replaces the text or a labelled part, however many calls come at once", async () => {
    const world = await openAll();
    const [client, other] = [world.client, await world.connect({ name: "other" })];
    const memory_id = await keep(client);
    await client.call("edit_memory", { memory_id, content: "The server listens on 9090." });
    await Promise.all([
      client.call("edit_memory", { memory_id, what: "the port" }),
      client.call("edit_memory", { memory_id, why: "3000 is taken" }),
      other.call("edit_memory", { memory_id, learned: "ask first" }),
    ]);
    expect(await client.call("recall", { query: memory_id })).toContain(
      "---\nThe server listens on 9090.\n\nWhat: the port\n\nWhy: 3000 is taken\n\nLearned: ask first",
    );
    expect(await client.refusal("edit_memory", { memory_id })).toContain("Expected content, what, why");
  });

  it("archive_memory keeps its reason without secrets, and strata memory restore reverts it", async () => {
    const { client, strata } = await openAll();
    const [id, other] = [await keep(client), await keep(client, "The proxy listens on 443.")];
    const reason = `the key is now ${TOKEN}`;
    const archived = await client.call("archive_memory", { memory_id: id, reason });
    expect(archived).toContain(`Archived: ${id}`);
    await client.call("bulk_archive", { memory_ids: [other], reason });
    for (const one of [id, other])
      expect(await strata(`memory history ${one}`)).toMatch(/the key is now \[removed: /);
    await strata(`memory restore ${id}`);
    expect(await client.call("recall", { query: "port" })).toContain(id);
  });

  it("delete_memory deletes an agent's memory, and strata undo restores it", async () => {
    const { client, files, strata } = await openAll();
    const id = await keep(client);
    const deleted = await client.call("delete_memory", { memory_id: id, also_delete_vector: true });
    expect(deleted).toContain(`Deleted: ${id}`);
    expect([...files.contents.keys()].filter((path) => path.endsWith(`${id.split("/")[1]}.md`))).toEqual([]);
    await strata("undo");
    expect(await strata("list")).toContain(id);
  });

  it("unresolve_blocker reverts resolve_blocker, and both accept only blockers", async () => {
    const { client } = await openAll();
    const memory_id = await keep(client, "The certificate has expired.", "blocker");
    expect(await client.call("resolve_blocker", { memory_id })).toContain("Resolved");
    expect(await client.call("get_boot_context")).not.toContain("certificate");
    expect(await client.call("unresolve_blocker", { memory_id })).toContain("Open again");
    expect(await client.call("get_boot_context")).toContain("certificate");
    const other = client.refusal("resolve_blocker", { memory_id: await keep(client) });
    expect(await other).toContain("Expected a blocker");
  });

  it("bulk_archive takes ids, or category and age, and skips pinned memories", async () => {
    const { client, clock, strata } = await openAll();
    await keep(client, "An idea about caches.", "idea");
    await strata("remember --pin --type idea a pinned idea");
    clock.advance(40 * DAY_MS);
    const young = await keep(client, "A younger idea about queues.", "idea");
    expect(
      await client.call("bulk_archive", { category: "idea", older_than_days: 30, reason: "old" }),
    ).toMatch(/Archived 1 memory; strata undo --run \w+ brings them back\.\nSkipped {2}1 memory: pinned/);
    const both = { category: "idea", memory_ids: [young], reason: "x" };
    expect(await client.refusal("bulk_archive", both)).toContain("not both");
    expect(await client.refusal("bulk_archive", { reason: "x" })).toContain("Expected memory_ids");
    const named = client.call("bulk_archive", { memory_ids: [young], reason: "x" });
    expect(await named).toContain("Archived 1 memory");
  });

  it("log_session stores an event and each learning, and reports what was not kept", async () => {
    const { client } = await openAll();
    const learnings = ["The old frontend starts before the server.", TOKEN];
    const answer = await client.call("log_session", { summary: "Moved the server.", learnings });
    expect(answer).toMatch(/Kept: event\/.*Kept: knowledge\/.*Not kept: Nothing was changed\. /s);
    expect(await client.refusal("log_session", { summary: TOKEN })).toContain("Not kept");
  });
});

describe("tools about sessions", () => {
  it("a client's sessions are visible to others, hold claims against them, and end", async () => {
    const world = await openMcp({ tools: "all" });
    const one = await world.connect({ name: "Claude Code" });
    const other = await world.connect({ name: "codex" });
    const [own, file] = [{ session_id: "s1" }, { session_id: "s1", item_ref: "src/a.ts" }];
    const started = await one.call("session_start", { ...own, working_on: "the login page" });
    const [, name = ""] = /others see it as (mcp-claude-code-[0-9a-f]{6}-s1)\./.exec(started) ?? [];
    const shown = `${name} (instance ${name.slice(0, -3)}, busy, "the login page")`;
    expect(await other.call("get_active_sessions")).toContain(shown);
    expect(await one.call("claim_item", file)).toContain("Claimed: src/a.ts is yours until");
    expect(await other.refusal("claim_item", file)).toContain(`src/a.ts is held by ${name}`);
    expect(await other.refusal("release_item", file)).toContain("is not yours");
    expect(await one.call("session_heartbeat", own)).toContain("holds src/a.ts");
    expect(await one.call("release_item", file)).toBe("Released: src/a.ts.");
    expect(await other.call("claim_item", file)).toContain("Claimed");
    await one.call("claim_item", { ...own, item_ref: "#34" });
    const summary = "The login page has a new form.";
    expect(await one.call("session_end", { ...own, summary })).toContain("Kept: event/");
    expect(await other.call("get_active_sessions")).not.toContain("claude-code");
    expect(await other.call("claim_item", { ...own, item_ref: "#34" })).toContain("Claimed: #34");
    expect(await one.refusal("session_end", own)).toContain("was not started by this client");
    await other.close();
    await expect.poll(() => one.call("get_active_sessions")).toContain("No other session");
    expect(await one.call("claim_item", file)).toContain("Claimed");
  });

  it("two clients that change one memory keep both versions, and the second is informed", async () => {
    const world = await openMcp({ tools: "all" });
    const [one, other] = [await world.connect({ name: "one" }), await world.connect({ name: "other" })];
    const memory_id = await keep(one);
    for (const client of [one, other]) await client.call("recall", { query: memory_id });
    await one.call("edit_memory", { memory_id, content: "The server listens on 9090." });
    const second = other.refusal("edit_memory", { memory_id, content: "The server listens on 7070." });
    expect(await second).toContain("Both versions stand in");
    expect(await other.call("get_boot_context")).toContain("Two versions each");
    const [record = ""] = [...world.files.contents.keys()].filter((path) => path.includes("/conflicts/"));
    expect(world.files.text(record)).toMatch(/9090.*7070/s);
  });
});

describe("tools about all memories", () => {
  it("export_memories and import_memories transfer memories, each once", async () => {
    const { client, clock, files } = await openAll();
    await keep(client);
    await keep(client, "An idea about caches.", "idea");
    const [line = ""] = (await client.call("export_memories", { categories: ["idea"] })).split("\n");
    expect(JSON.parse(line).id).toBe("idea/an-idea-about-caches");
    const out = { output_path: "out.jsonl" };
    expect(await client.call("export_memories", out)).toContain("2 memories to /project/out.jsonl");
    expect(await client.refusal("export_memories", out)).toContain("already exists");
    clock.advance(10 * DAY_MS);
    expect(await client.call("export_memories", { since_days: 5 })).toBe("Nothing to export.");
    const other = await openAll();
    await other.files.writeWhole("/project/in.jsonl", files.text("/project/out.jsonl") ?? "");
    const take = (more: object) => other.client.call("import_memories", { input_path: "in.jsonl", ...more });
    expect(await take({ dry_run: true })).toContain("Would keep 2");
    expect(await take({})).toContain("Kept 2, 0 already known");
    expect(await take({ skip_duplicates: false })).toContain("Kept 0, 2 already known");
  });

  it("ingest_file imports one memory per heading, and its rules wait for the user", async () => {
    const { client, files, strata } = await openAll();
    const text = `# Decisions\n\nWe use pnpm here.\n\n# Directives\n\n${TESTS}\n`;
    await files.writeWhole("/project/docs/notes.md", text);
    const done = await client.call("ingest_file", { file_path: "docs/notes.md" });
    expect(done).toContain("Kept 1, 0 already known, 1 wait for the user");
    expect(await strata("list")).toMatch(/^decision\/we-use-pnpm-here\s/m);
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
    const path = `/project/.opencode/memory/${id}.md`;
    const before = files.text(path);
    const answer = await client.call("consolidate_memory", { days_stale: 90 });
    expect(answer).toMatch(/Unused for 90 days: 1\n- \[/);
    expect([answer.includes(id), files.text(path)]).toEqual([true, before]);
  });

  it("enrich_entity says why it cannot ask, and memory_status counts", async () => {
    const { client } = await openAll();
    await keep(client);
    const [remote, name] = [{ entity_ref: "#34" }, { entity_ref: "the server" }];
    expect(await client.refusal("enrich_entity", remote)).toContain("no git remote");
    expect(await client.refusal("enrich_entity", name)).toContain("is not a merge request");
    expect(await client.call("memory_status")).toContain("Memories        1: decision 1");
  });
});
