/** Which files an MCP client may use, and what it gets beside the plugin. */
import { describe, expect, it } from "vitest";
import { findReceivers, listReceivers } from "../../layers/7-across-agents/mail/send-message-tool.js";
import { planClientID } from "../../src/mcp/client.js";
import { tools } from "../../src/mcp/tools.js";
import type { Instance } from "../../src/project/other-instances.js";
import { type McpWorldOptions, openAll, openMcp } from "../support/mcp.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";

describe("files that a client names", () => {
  const outside = [
    "../x.md",
    "/etc/passwd.md",
    "..",
    ".",
    ".git/x.md",
    ".opencode/memory/idea/x.md",
    "a/../../x.md",
    "a\0.md",
    "C:\\x.md\0",
  ];
  it.each(outside)("are of the project and not hidden: %j is refused", async (path) => {
    const files = createMemoryFiles({
      "/project/.git/HEAD": "x",
      "/x.md": "secret",
      "/project/.git/x.md": "x",
    });
    const { client } = await openAll({ files });
    const before = [...files.contents.keys()];
    for (const [name, args] of [
      ["ingest_file", { file_path: path }],
      ["import_memories", { input_path: path.replace(".md", ".json") }],
      ["export_memories", { output_path: path.replace(".md", ".json") }],
    ] as const)
      expect(await client.refusal(name, args)).toMatch(
        /name a file of the project|hidden|does not exist|does not end/,
      );
    expect(
      [...files.contents.keys()].filter((one) => !before.includes(one) && /x\.json|passwd/.test(one)),
    ).toEqual([]);
  });

  it("are text files of limited size", async () => {
    const files: MemoryFiles = createMemoryFiles({ "/project/.git/HEAD": "x" });
    await files.writeWhole("/project/big.md", "x".repeat(4_000_001));
    await files.writeWhole("/project/bytes.md", new Uint8Array([0xff, 0xfe, 0]));
    await files.writeWhole("/project/empty.md", "");
    const { client } = await openAll({ files });
    expect(await client.refusal("ingest_file", { file_path: "big.md" })).toContain("more than 4000000");
    expect(await client.refusal("ingest_file", { file_path: "bytes.md" })).toContain("is not UTF-8 text");
    expect(await client.refusal("ingest_file", { file_path: "empty.md" })).toContain("contains no text");
    expect(await client.refusal("ingest_file", { file_path: "none.md" })).toContain("does not exist");
    expect(await client.refusal("ingest_file", { file_path: "x.sh" })).toContain("does not match");
  });

  it("are not offered if files are not allowed, and no call gets around that", async () => {
    const { client } = await openAll({ allowsFiles: false });
    const listed = (await client.client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(
      tools.filter(({ files }) => files !== "all").map(({ name }) => name),
    );
    expect(JSON.stringify(listed)).not.toMatch(/_path|"path"/);
    expect(await client.refusal("export_memories", { output_path: "x.jsonl" })).toContain("Unrecognized key");
    expect(await client.refusal("bootstrap_memory", { path: "src" })).toContain("Unrecognized key");
    await expect(client.call("ingest_file", { file_path: "x.md" })).rejects.toThrow("Unknown tool");
  });
});

describe("beside the plugin in OpenCode", () => {
  const withPlugin = () =>
    createMemoryFiles({
      "/project/.git/HEAD": "x",
      "/project/opencode.json": '{ "plugin": ["opencode-strata"] }',
    });
  const inOpenCode = { name: "opencode" };
  const plugins = tools.filter(({ set }) => set).map(({ name }) => name);

  it("the default set is empty, --tools all has only what the plugin lacks, and the client is told why", async () => {
    const few = await openMcp({ files: withPlugin(), clientFolder: "/project" });
    const client = await few.connect(inOpenCode);
    expect(await client.names()).toEqual([]);
    expect(client.client.getInstructions()).toContain("are not offered again here");
    expect(client.client.getServerCapabilities()).toEqual({ tools: {} });
    const all = await openMcp({ files: withPlugin(), clientFolder: "/project/src", tools: "all" });
    const names = await (await all.connect(inOpenCode)).names();
    expect(names).toEqual(tools.map(({ name }) => name).filter((name) => !plugins.includes(name)));
    for (const name of ["recall", "remember", "update"]) expect(names).not.toContain(name);
  });

  it("everything is offered to other clients, in other projects, and without the plugin", async () => {
    const count = async (options: McpWorldOptions, name = "opencode") =>
      (
        await (
          await (await openMcp({ tools: "all", clientFolder: "/project", ...options })).connect({ name })
        ).names()
      ).length;
    expect(await count({ files: withPlugin() }, "claude-code")).toBe(26);
    expect(await count({ files: withPlugin(), clientFolder: "/other" })).toBe(26);
    expect(await count({})).toBe(26);
  });

  it("a linked worktree that shares the memories is the same project", async () => {
    const files = withPlugin();
    for (const [path, text] of [
      ["/project/.git/worktrees/tree/HEAD", "x"],
      ["/project/.git/worktrees/tree/commondir", "../..\n"],
      ["/project/.git/worktrees/tree/gitdir", "/tree/.git\n"],
      ["/tree/.git", "gitdir: /project/.git/worktrees/tree\n"],
      ["/project/.opencode/memory/decision/port.md", "8080\n"],
    ] as const)
      await files.writeWhole(path, text);
    const world = await openMcp({ files });
    const count = async () =>
      (await (await world.connect({ ...inOpenCode, roots: ["/tree"] })).names()).length;
    expect(await count()).toBe(0);
    await files.writeWhole("/tree/.opencode/memory/decision/own.md", "9090\n");
    expect(await count()).toBeGreaterThan(0);
  });

  it("over HTTP the client's roots decide; a client without roots counts as working in the project", async () => {
    const world = await openMcp({ files: withPlugin() });
    const count = async (roots?: string[]) =>
      (await (await world.connect({ ...inOpenCode, ...(roots && { roots }) })).names()).length;
    expect(await count(["/project"])).toBe(0);
    expect(await count(["/project/src"])).toBe(0);
    expect(await count(["/elsewhere"])).toBeGreaterThan(0);
    expect(await count()).toBe(0);
  });
});

it("a client's sessions get no messages of agents, since nobody would read them there", () => {
  const process = { id: 1, start: "1", host: "h", machine: "m", boot: "b" } as Instance["process"];
  const instance = (id: string): Instance => ({
    ...{ v: 1, id, process, directory: "/", started: "", heartbeat: "" },
    sessions: [{ id: `${id}-s`, state: "busy" }],
  });
  const living = [instance("4f1c2d"), instance("mcp-codex-1f20c9")];
  expect(listReceivers(living).map(({ id }) => id)).toEqual(["4f1c2d-s"]);
  expect(findReceivers("mcp-codex-1f20c9-s", "ses_1", living).kind).toBe("unknown");
});

describe("a client's name", () => {
  it.each([
    ["Claude Code", "mcp-claude-code-1f20c9"],
    ["../../x", "mcp-x-1f20c9"],
    ["", "mcp-client-1f20c9"],
    ["漢字", "mcp-client-1f20c9"],
    ["a".repeat(99), `mcp-${"a".repeat(30)}-1f20c9`],
  ])("%j becomes a valid file name", (name, id) => {
    expect(planClientID(name, "1f20c9d1-0000-0000-0000-000000000000")).toBe(id);
  });
});
