/** `strata mcp` with the SDK's client: the tools that find and write, and what they leave on disk. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { keep, openAll, PORT } from "../support/mcp.js";

const TESTS = "Always run the tests before you push.";

describe("tools that find", () => {
  it("recall returns a line for each hit, a memory in full by its id, and all hits in full with compact: false", async () => {
    const { client } = await openAll();
    const id = await keep(client);
    expect(await client.call("recall", { query: "which port" })).toContain(
      `- [${id}] ${PORT} (decision, noted by an agent`,
    );
    expect(await client.call("recall", { query: id })).toMatch(/in \.opencode\/memory\/decision\/.*\n---\n/s);
    const whole = await client.call("recall", { query: "port", compact: false });
    expect(whole).toContain(`---\n${PORT}`);
    expect(await client.call("recall", { query: "submarines" })).toBe("Nothing found.");
  });

  it("recall respects its limit, a category and a project", async () => {
    const { client } = await openAll();
    for (const n of [1, 2, 3]) await keep(client, `Server number ${n} has the port ${n}080.`, "fact");
    await client.call("remember", {
      content: "Servers everywhere have a port.",
      category: "fact",
      project: "global",
    });
    const count = async (args: object) =>
      (await client.call("recall", { query: "server port", ...args })).split("\n- ").length - 1;
    expect(await count({ limit: 2 })).toBe(2);
    expect(await count({ category: "decision" })).toBe(0);
    expect(await count({ project: "global" })).toBe(1);
    expect(await count({ project: "project" })).toBe(3);
    expect(await client.refusal("recall", { query: "x", project: "other" })).toContain(
      "This server serves project",
    );
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
    const block = await client.call("get_boot_context");
    expect(block).toMatch(
      /^\[Strata\] .*Rules of the user's.*Always run the tests.*Blockers that are open:.*certificate/s,
    );
  });

  it("get_linked_memories follows links both ways, replacements and shared entities, by type", async () => {
    const { client, files } = await openAll();
    const [one, other, third] = [
      await keep(client),
      await keep(client, "The proxy listens on 443."),
      await keep(client, "Logs go to disk."),
    ];
    const link = (id: string, yaml: string): Promise<void> => {
      const path = `/project/.opencode/memory/${id}.md`;
      return files.writeWhole(path, (files.text(path) ?? "").replace("---\n", `---\n${yaml}\n`));
    };
    await link(one, `links: ["${other}"]\nentities: ["#34"]`);
    await link(third, `entities: ["#34"]`);
    expect(await client.call("get_linked_memories", { memory_id: one })).toMatch(
      /links:\n- \[decision\/the-proxy.*entity:\n- \[decision\/logs/s,
    );
    expect(await client.call("get_linked_memories", { memory_id: other })).toContain(
      `linked_by:\n- [${one}]`,
    );
    expect(await client.call("get_linked_memories", { memory_id: one, link_types: ["supersedes"] })).toBe(
      "Nothing found.",
    );
    expect(await client.refusal("get_linked_memories", { memory_id: "idea/none" })).toContain(
      "There is no memory idea/none",
    );
  });

  it("search_history also finds archived memories", async () => {
    const { client } = await openAll();
    await client.call("archive_memory", { memory_id: await keep(client) });
    expect(await client.call("recall", { query: "port" })).toBe("Nothing found.");
    expect(await client.call("search_history", { query: "port" })).toContain(
      `${PORT} (decision, noted by an agent, today) (archived)`,
    );
    expect(await client.call("search_history", { query: "port", category: "conversation" })).toBe(
      "Nothing found.",
    );
  });
});

describe("tools that write", () => {
  it("remember stores a fact as an agent's, and a repeated one only once", async () => {
    const { client, files, strata } = await openAll();
    const args = {
      content: PORT,
      category: "decision",
      what: "the port",
      why: "3000 is taken",
      learned: "ask first",
    };
    expect(await client.call("remember", args)).toMatch(/^Kept: decision\//);
    expect(await client.call("remember", args)).toMatch(/^Known already: decision\//);
    const list = JSON.parse(await strata("list --json"));
    expect(list.memories).toHaveLength(1);
    const [{ content, provenance }] = list.memories;
    expect(content).toBe(`${PORT}\n\nWhat: the port\n\nWhy: 3000 is taken\n\nLearned: ask first`);
    expect(provenance).toMatchObject({
      by: "agent",
      how: "tool",
      session: expect.stringMatching(/^mcp-test-client-[0-9a-f]{6}$/),
    });
    expect([...files.contents.keys()].filter((path) => /memory\/decision\//.test(path))).toHaveLength(1);
  });

  it("remember takes every category of the table, and refuses a secret", async () => {
    const { client } = await openAll();
    for (const category of ["decision", "blocker", "procedure", "fact", "event", "plan", "idea"])
      expect(await keep(client, `The ${category} number one is about the ${category}.`, category)).toMatch(
        /^(knowledge|[a-z]+)\//,
      );
    const token = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    expect(await client.refusal("remember", { content: token, category: "fact" })).toContain(
      "Expected a fact",
    );
  });

  it("edit_memory replaces the text or a labelled part, and leaves the rest", async () => {
    const { client } = await openAll();
    const id = await keep(client);
    await client.call("edit_memory", { memory_id: id, why: "because of the frontend" });
    await client.call("edit_memory", { memory_id: id, content: "The server listens on 9090." });
    expect(await client.call("recall", { query: id })).toContain(
      "---\nThe server listens on 9090.\n\nWhy: because of the frontend",
    );
    expect(await client.refusal("edit_memory", { memory_id: id })).toContain(
      "Expected content, what, why or learned",
    );
  });

  it("edit_memory keeps every part, however many calls come at once and from however many clients", async () => {
    const world = await openAll();
    const [client, other] = [world.client, await world.connect({ name: "other" })];
    const memory_id = await keep(client);
    await Promise.all([
      client.call("edit_memory", { memory_id, what: "the port" }),
      client.call("edit_memory", { memory_id, why: "3000 is taken" }),
      other.call("edit_memory", { memory_id, learned: "ask first" }),
    ]);
    expect(await client.call("recall", { query: memory_id })).toContain(
      `---\n${PORT}\n\nWhat: the port\n\nWhy: 3000 is taken\n\nLearned: ask first`,
    );
  });

  it("strata memory restore reverts archive_memory", async () => {
    const { client, strata } = await openAll();
    const id = await keep(client);
    expect(await client.call("archive_memory", { memory_id: id, reason: "moved" })).toContain(
      `Archived: ${id}`,
    );
    expect(await strata(`memory history ${id}`)).toContain("moved");
    expect(await strata(`memory restore ${id}`)).toContain(id);
    expect(await client.call("recall", { query: "port" })).toContain(id);
  });

  it("delete_memory deletes only an agent's memories, and strata undo restores them", async () => {
    const { client, files, strata } = await openAll();
    const id = await keep(client);
    await strata("remember --type decision the user decided that logs go to disk");
    const [users = ""] = (await strata("list")).match(/decision\/user\S+/) ?? [];
    expect(await client.refusal("delete_memory", { memory_id: users })).toContain(
      "was not noted by an agent",
    );
    expect(await client.call("delete_memory", { memory_id: id, also_delete_vector: true })).toContain(
      `Deleted: ${id}`,
    );
    expect([...files.contents.keys()].filter((path) => path.endsWith(`${id.split("/")[1]}.md`))).toEqual([]);
    await strata("undo");
    expect(await strata("list")).toContain(id);
  });

  it("unresolve_blocker reverts resolve_blocker, and both accept only blockers", async () => {
    const { client } = await openAll();
    const id = await keep(client, "The certificate has expired.", "blocker");
    expect(await client.call("resolve_blocker", { memory_id: id })).toContain("Resolved");
    expect(await client.call("get_boot_context")).not.toContain("certificate");
    expect(await client.call("unresolve_blocker", { memory_id: id })).toContain("Open again");
    expect(await client.call("get_boot_context")).toContain("certificate");
    expect(await client.refusal("resolve_blocker", { memory_id: await keep(client) })).toContain(
      "Expected a blocker",
    );
  });

  it("bulk_archive takes ids, or category and age, and skips pinned memories and the user's", async () => {
    const { client, clock, strata } = await openAll();
    const old = await keep(client, "An idea about caches.", "idea");
    await strata("remember --pin --type idea a pinned idea");
    await strata(`remember --type directive ${TESTS}`);
    clock.advance(40 * DAY_MS);
    const young = await keep(client, "A younger idea about queues.", "idea");
    const answer = await client.call("bulk_archive", {
      category: "idea",
      older_than_days: 30,
      reason: "old",
    });
    expect(answer).toMatch(
      /Archived 1 memory; strata undo --run \w+ brings them back\.\nSkipped {2}1 memory: pinned/,
    );
    expect(await strata("list")).not.toContain(old);
    const both = { category: "idea", memory_ids: [young], reason: "x" };
    expect(await client.refusal("bulk_archive", both)).toContain("not both");
    expect(await client.refusal("bulk_archive", { reason: "x" })).toContain("Expected memory_ids");
    const [rule = ""] = (await strata("list")).match(/directive\/\S+/) ?? [];
    expect(await client.refusal("bulk_archive", { memory_ids: [rule], reason: "x" })).toContain(
      "no memory that a client may archive",
    );
    expect(await client.call("bulk_archive", { memory_ids: [young], reason: "x" })).toContain(
      "Archived 1 memory",
    );
  });
});
