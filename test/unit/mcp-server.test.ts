/** What `strata mcp` offers to whom, how it describes it, which files a client may use, and MCP over HTTP. */
import { readFileSync } from "node:fs";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import { findReceivers, listReceivers } from "../../layers/7-across-agents/mail/send-message-tool.js";
import { planClientID } from "../../src/mcp/client.js";
import { createMcpHandler } from "../../src/mcp/http.js";
import { tools } from "../../src/mcp/tools.js";
import type { Instance } from "../../src/project/instances.js";
import { connectClient, keep, type McpWorldOptions, openAll, openMcp } from "../support/mcp.js";
import { createMemoryFiles } from "../support/memory-files.js";

const HEAD = { "/project/.git/HEAD": "x" };

const listNames = async (options: McpWorldOptions, name?: string): Promise<string[]> =>
  (await (await openMcp(options)).connect(name === undefined ? {} : { name })).names();

describe("the server", () => {
  it("offers a few tools by default, all, or those named, and explains a wrong name", async () => {
    const few = tools.filter(({ set }) => set === "default").map(({ name }) => name);
    expect(await listNames({})).toEqual(few);
    expect(await listNames({ tools: "all" })).toHaveLength(28);
    expect(await listNames({ tools: "recall, remember" })).toEqual(["recall", "remember"]);
    await expect(openMcp({ tools: "recal" })).rejects.toThrow('got "recal"');
  });

  it("takes as many tokens of a request as docs/mcp.md says, at four characters per token", async () => {
    const measure = async (options: object) => {
      const { client } = await (await openMcp(options)).connect();
      const tokens = JSON.stringify((await client.listTools()).tools).length / 4;
      return (Math.round(tokens / 100) * 100).toLocaleString("en");
    };
    const page = readFileSync("docs/mcp.md", "utf8").replace(/\s+/g, " ");
    const [, few, all] =
      /default set take about ([\d,]+) tokens of each request, all 28 about ([\d,]+)\./.exec(page) ?? [];
    expect([few, all]).toEqual([await measure({}), await measure({ tools: "all" })]);
  });

  it("has a row in docs/mcp.md for each tool, with its arguments and its set", () => {
    const lines = readFileSync("docs/mcp.md", "utf8").split("\n");
    const missing = tools.filter(({ input, name, privateArguments = [], set }) => {
      const names = Object.entries(input.shape).filter(([key]) => !privateArguments.includes(key));
      const args = names.map(([key, field]) => `\`${key}${field.safeParse(undefined).success ? "?" : ""}\``);
      const start = `| \`${name}\` | ${args.join(", ")}${args.length > 0 ? " " : ""}|`;
      const end = set === "default" ? "| yes |" : "| |";
      return !lines.some((line) => line.startsWith(start) && line.endsWith(end));
    });
    expect(missing).toEqual([]);
  });

  it("is named memory, and marks tools that only read and tools that remove", async () => {
    const { client } = (await openAll()).client;
    expect(client.getServerVersion()).toMatchObject({ name: "memory", title: "Strata" });
    const listed = (await client.listTools()).tools;
    const hintOf = (tool: string) => listed.find(({ name }) => name === tool)?.annotations;
    expect(hintOf("recall")).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hintOf("remember")).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hintOf("archive_memory")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it("gives the index, each memory and prompts to clients that read them", async () => {
    const { client: test } = await openAll();
    const { client } = test;
    const id = await keep(test);
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(["memory://index", `memory://memories/${id}`]);
    for (const uri of uris) expect(JSON.stringify(await client.readResource({ uri }))).toContain("8080");
    const wrong = ["memories/../../x", "sessions/ses_1", "memories/%zz"].map((one) => `memory://${one}`);
    for (const uri of [...wrong, "file:///etc/passwd"])
      await expect(client.readResource({ uri })).rejects.toThrow("There is no resource");
    await expect(client.listResources({ cursor: "x" })).rejects.toThrow("Expected a cursor");
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toEqual(["boot_context", "recall", "log_session"]);
    const recalled = await client.getPrompt({ name: "recall", arguments: { topic: "port" } });
    expect(JSON.stringify(recalled)).toContain("8080");
    await expect(client.getPrompt({ name: "recall" })).rejects.toThrow("Expected a topic");
    await expect(client.getPrompt({ name: "none" })).rejects.toThrow("There is no prompt none");
    await expect(test.call("no_such_tool")).rejects.toThrow("Unknown tool no_such_tool");
  });

  it("answers what it was asked before it ends, and leaves valid memories", async () => {
    const { client, server, strata, warnings } = await openAll();
    const asked = [1, 2, 3].map((n) => keep(client, `Fact number ${n} is about thing ${n}.`, "fact"));
    await new Promise(setImmediate);
    await server.close();
    expect(await Promise.all(asked)).toHaveLength(3);
    await client.close();
    expect(warnings).toEqual([]);
    expect(await strata("check")).toContain("3 memories checked");
  });
});

describe("beside the plugin in OpenCode", () => {
  const withPlugin = () =>
    createMemoryFiles({ ...HEAD, "/project/opencode.json": '{ "plugin": ["opencode-strata"] }' });

  it("the default set is empty, --tools all has only what the plugin lacks, and the client is told why", async () => {
    const few = await openMcp({ files: withPlugin(), clientFolder: "/project" });
    const { client, names } = await few.connect({ name: "opencode" });
    expect(await names()).toEqual([]);
    expect(client.getInstructions()).toContain("are not offered again here");
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    const all = { files: withPlugin(), clientFolder: "/project/src", tools: "all" };
    const lacking = tools.filter(({ set }) => set === undefined).map(({ name }) => name);
    expect(await listNames(all, "opencode")).toEqual(lacking);
  });

  it.each<[what: string, options: McpWorldOptions, name?: string]>([
    ["another client", { files: withPlugin() }, "claude-code"],
    ["another project", { files: withPlugin(), clientFolder: "/other" }],
    ["a project without the plugin", {}],
  ])("everything is offered in %s", async (_what, options, name = "opencode") => {
    const all = await listNames({ tools: "all", clientFolder: "/project", ...options }, name);
    expect(all).toHaveLength(28);
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
    const count = async () => (await listNames({ files, clientFolder: "/tree" }, "opencode")).length;
    expect(await count()).toBe(0);
    await files.writeWhole("/tree/.opencode/memory/decision/own.md", "9090\n");
    expect(await count()).toBeGreaterThan(0);
  });
});

describe("files that a client names", () => {
  it.each([
    ...["../x.md", "/etc/passwd.md", "..", ".git/x.md", ".opencode/memory/idea/x.md", "a/../../x.md"],
    ...["a\0.md", "C:\\x.md\0"],
  ])("are of the project and not hidden: %j is refused", async (path) => {
    const files = createMemoryFiles({ ...HEAD, "/x.md": "secret", "/project/.git/x.md": "x" });
    const { client } = await openAll({ files });
    const asJson = path.replace(".md", ".jsonl");
    for (const [name, args] of [
      ["ingest_file", { file_path: path }],
      ["import_memories", { input_path: asJson }],
      ["export_memories", { output_path: asJson }],
    ] as const)
      expect(await client.refusal(name, args)).toMatch(/name a file of the project|hidden|does not exist/);
    expect([...files.contents.keys()].filter((one) => /x\.json|passwd/.test(one))).toEqual([]);
  });

  it("an export is JSON Lines by its name, and never a configuration of another program", async () => {
    const { client } = await openAll({ files: createMemoryFiles(HEAD) });
    const args = { output_path: "opencode.json" };
    expect(await client.refusal("export_memories", args)).toMatch(/does not match .*jsonl/);
  });

  it.each([
    ["big.md", "x".repeat(4_000_001), "more than 4000000"],
    ["bytes.md", new Uint8Array([0xff, 0xfe, 0]), "is not UTF-8 text"],
    ["empty.md", "", "contains no text"],
    ["none.md", undefined, "does not exist"],
    ["x.sh", undefined, "does not match"],
  ])("are text files of limited size: %s", async (name, text, says) => {
    const { client, files } = await openAll();
    if (text !== undefined) await files.writeWhole(`/project/${name}`, text);
    expect(await client.refusal("ingest_file", { file_path: name })).toContain(says);
  });

  it("are not offered if files are not allowed, and no call gets around that", async () => {
    const { client } = await openAll({ allowsFiles: false });
    const listed = (await client.client.listTools()).tools;
    const open = tools.filter(({ files }) => files !== "all").map(({ name }) => name);
    expect(listed.map(({ name }) => name)).toEqual(open);
    expect(JSON.stringify(listed)).not.toMatch(/_path|"path"/);
    const out = client.refusal("export_memories", { output_path: "x.jsonl" });
    expect(await out).toContain("Unrecognized key");
    await expect(client.call("ingest_file", { file_path: "x.md" })).rejects.toThrow("Unknown tool");
  });
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

  it("marks sessions that get no messages of agents, since nobody would read them there", () => {
    const process = { id: 1, start: "1", host: "h", machine: "m", boot: "b" } as Instance["process"];
    const living = ["4f1c2d", "mcp-codex-1f20c9"].map(
      (id): Instance => ({
        ...{ v: 1, id, process, directory: "/", started: "", heartbeat: "" },
        sessions: [{ id: `${id}-s`, state: "busy" }],
      }),
    );
    expect(listReceivers(living).map(({ id }) => id)).toEqual(["4f1c2d-s"]);
    expect(findReceivers("mcp-codex-1f20c9-s", "ses_1", living)).toContain("nothing was sent");
  });
});

describe("MCP over HTTP", () => {
  const URL_OF_MCP = "http://127.0.0.1:9824/mcp";

  async function openHttp() {
    const world = await openMcp();
    const handle = createMcpHandler(world.project, { allowsPrivate: false, tools: "all" });
    const connect = (name: string) =>
      connectClient(
        // The SDK's types allow no undefined session id where its own class has one.
        new StreamableHTTPClientTransport(new URL(URL_OF_MCP), {
          fetch: async (url, init) => handle(new Request(url, init)),
        }) as never,
        { name },
      );
    return { ...world, handle, connect };
  }

  const post = (body: unknown, headers: Record<string, string> = {}): Request =>
    new Request(URL_OF_MCP, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const initialize = (name = "by hand") => ({
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } },
  });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

  it("several clients share the memories, and each has its own sessions, whose claims end with them", async () => {
    const { connect, handle, strata } = await openHttp();
    const [one, other] = [await connect("one"), await connect("other")];
    await one.call("remember", { content: "The port is 8080.", category: "fact" });
    expect(await other.call("recall", { query: "port" })).toContain("8080");
    const item = { session_id: "s", item_ref: "#34" };
    await one.call("claim_item", item);
    expect(await other.refusal("claim_item", item)).toContain("is held by mcp-one-");
    await (one.client.transport as StreamableHTTPClientTransport).terminateSession();
    await expect.poll(() => other.call("claim_item", item).catch(String)).toContain("is yours until");
    await handle.close();
    expect(await strata("agenda leases")).toBe("Nothing is held.");
  });

  it.each([
    ["no JSON", () => post("{"), 400],
    ["another type", () => post(initialize(), { "content-type": "text/plain" }), 415],
    ["no session", () => post(list), 400],
    ["an unknown session", () => post(list, { "mcp-session-id": "x" }), 404],
    ["GET", () => new Request(URL_OF_MCP, { headers: { accept: "text/event-stream" } }), 405],
    ["DELETE without a session", () => new Request(URL_OF_MCP, { method: "DELETE" }), 400],
    ["an invalid message", () => post({ hello: 1 }), 400],
  ])("a request with %s is refused, and the server keeps working", async (_what, make, status) => {
    const { connect, handle } = await openHttp();
    const response = await handle(make());
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining("error")]);
    expect(await (await connect("one")).names()).toHaveLength(26);
    await handle.close();
  });

  it("of a hundred clients that never disconnect, the last 64 have a session", async () => {
    const { handle } = await openHttp();
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) {
      const response = await handle(post(initialize(`c${n}`)));
      await response.text();
      ids.push(response.headers.get("mcp-session-id") ?? "");
    }
    const ping = async (id: string) => (await handle(post(list, { "mcp-session-id": id }))).status;
    const statuses = await Promise.all(ids.map(ping));
    expect(statuses).toEqual(ids.map((_, n) => (n < 36 ? 404 : 200)));
    await handle.close();
  });
});
