/** MCP over streamable HTTP, as `strata serve` mounts it, with the SDK's own client and requests by hand. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import { createMcpHandler, type McpHandler } from "../../src/mcp/http.js";
import { PROJECT } from "../support/fake-host.js";
import { type ClientOptions, connectClient, type McpWorld, openMcp } from "../support/mcp.js";
import { createMemoryFiles } from "../support/memory-files.js";

const URL_OF_MCP = "http://127.0.0.1:9824/mcp";
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

interface HttpWorld extends McpWorld {
  handle: McpHandler;
  connectHttp(options?: HttpClientOptions): ReturnType<typeof connectClient>;
}

interface HttpClientOptions extends ClientOptions {
  /** The client gets no stream for the server's requests, as behind some proxies. */
  hasNoStream?: boolean;
}

async function openHttp(files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" })): Promise<HttpWorld> {
  const world = await openMcp({ files });
  const handle = createMcpHandler(world.project, { allowsPrivate: false, tools: "all" });
  return {
    ...world,
    handle,
    connectHttp: ({ hasNoStream, ...options } = {}) =>
      connectClient(
        // The SDK's types allow no undefined session id where its own class has one.
        new StreamableHTTPClientTransport(new URL(URL_OF_MCP), {
          fetch: async (url, init) =>
            hasNoStream && init?.method === "GET"
              ? new Response(null, { status: 405 })
              : handle(new Request(url, init)),
        }) as never,
        options,
      ),
  };
}

const post = (body: unknown, headers: Record<string, string> = {}): Request =>
  new Request(URL_OF_MCP, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const initialize = (name = "by hand") => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } },
});

describe("MCP over HTTP", () => {
  it("several clients share the memories, and each has its own sessions", async () => {
    const { connectHttp, handle, strata } = await openHttp();
    const [one, other] = [await connectHttp({ name: "one" }), await connectHttp({ name: "other" })];
    await one.call("remember", { content: "The port is 8080.", category: "fact" });
    expect(await other.call("recall", { query: "port" })).toContain("8080");
    await one.call("claim_item", { session_id: "s", item_ref: "#34" });
    expect(await other.refusal("claim_item", { session_id: "s", item_ref: "#34" })).toContain(
      "is held by mcp-one-",
    );
    expect(await other.refusal("release_item", { session_id: "s", item_ref: "#34" })).toContain(
      "is not free",
    );
    await handle.close();
    expect(await strata("agenda leases")).toBe("Nothing is held.");
  });

  it("a client that ends its session loses its claims", async () => {
    const { connectHttp, handle } = await openHttp();
    const [one, other] = [await connectHttp(), await connectHttp()];
    await one.call("claim_item", { session_id: "s", item_ref: "#34" });
    await (one.client.transport as StreamableHTTPClientTransport).terminateSession();
    await expect
      .poll(() => other.call("claim_item", { session_id: "s", item_ref: "#34" }).catch(String))
      .toContain("Held");
    await handle.close();
  });

  it("OpenCode beside the plugin is asked for its roots before it gets tools", async () => {
    const files = createMemoryFiles({
      [`${PROJECT}/.git/HEAD`]: "x",
      [`${PROJECT}/opencode.json`]: '{ "plugin": ["opencode-strata"] }',
    });
    const { connectHttp, handle } = await openHttp(files);
    const here = await (await connectHttp({ name: "opencode", roots: [PROJECT] })).names();
    const there = await (await connectHttp({ name: "opencode", roots: ["/elsewhere"] })).names();
    const later = await connectHttp({ name: "opencode", roots: ["/elsewhere"], hasNoStream: true });
    expect(here).not.toContain("recall");
    expect(there).toContain("recall");
    expect(await later.names()).toEqual(there);
    await handle.close();
  });

  it.each([
    ["no JSON", () => post("{"), 400],
    ["another type", () => post(initialize(), { "content-type": "text/plain" }), 415],
    ["no session", () => post({ jsonrpc: "2.0", id: 1, method: "tools/list" }), 400],
    [
      "an unknown session",
      () => post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-session-id": "x" }),
      404,
    ],
    [
      "GET without a session",
      () => new Request(URL_OF_MCP, { headers: { accept: "text/event-stream" } }),
      400,
    ],
    ["DELETE without a session", () => new Request(URL_OF_MCP, { method: "DELETE" }), 400],
    ["PUT", () => new Request(URL_OF_MCP, { method: "PUT", body: "x" }), 400],
    ["a body of more than 4 MiB", () => post(`"${"x".repeat(4_200_000)}"`), 413],
    ["an invalid message", () => post({ hello: 1 }), 400],
  ])("a request with %s is refused, and the server keeps working", async (_what, make, status) => {
    const { connectHttp, handle } = await openHttp();
    const response = await handle(make());
    expect(response.status).toBe(status);
    expect(await response.text()).toContain("error");
    expect(await (await connectHttp()).names()).toHaveLength(24);
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
    const ping = (id: string) =>
      handle(post({ jsonrpc: "2.0", id: 2, method: "ping" }, { "mcp-session-id": id }));
    const statuses = await Promise.all(ids.map(async (id) => (await ping(id)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(64);
    expect(statuses.slice(0, 36)).toEqual(Array.from({ length: 36 }, () => 404));
    await handle.close();
  });
});
