/** MCP behind the server's checks, with the SDK's own client over a real port. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, describe, expect, it } from "vitest";
import { connectClient } from "../support/mcp.js";
import { endServing, type Serving, serve } from "../support/serving.js";
import { runStrata } from "../support/shell.js";
import { openSound } from "../support/sound-project.js";

afterEach(endServing);

const connect = ({ key, url }: Serving, path = "/mcp") =>
  connectClient(
    // The SDK's types allow no undefined session id where its own class has one.
    new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }) as never,
  );

interface Stats {
  projects: { id: string; project: string }[];
}

describe("/mcp", () => {
  it("serves the memories to a client with the key, which may add to them", async () => {
    const files = await openSound();
    const served = await serve(files, "--rate-limit 1000");
    const client = await connect(served);
    expect(await client.call("recall", { query: "which port" })).toContain("8080");
    await client.call("remember", { content: "We deploy on Fridays.", category: "decision" });
    await served.end();
    expect((await runStrata(files, "recall deploy")).out).toContain("Fridays");
  });

  it("has private memories and more tools only with the options for them", async () => {
    const files = await openSound();
    const usual = await connect(await serve(files, "--rate-limit 1000"));
    expect(await usual.call("recall", { query: "short answers" })).not.toContain("short answers");
    const wide = await connect(await serve(files, "--rate-limit 1000 --private --tools all"));
    expect(await wide.call("recall", { query: "short answers" })).toContain("short answers");
    expect((await wide.names()).length).toBeGreaterThan((await usual.names()).length);
    const { code, err } = await runStrata(files, "serve --tools recall,nonsense");
    expect([code, err]).toEqual([2, expect.stringContaining('"nonsense" came')]);
  });

  it("needs a project's id if several are served, and then serves that one only", async () => {
    const files = await openSound();
    for (const name of ["a", "b"]) {
      const folder = `/projects/${name}`;
      await files.writeWhole(`${folder}/.git/HEAD`, "x");
      await runStrata(files, `remember --type idea a thought of ${name}`, { folder });
      const id = `00000000-0000-0000-0000-00000000000${name}`;
      const record = `/home/me/.local/state/opencode-strata/projects/${name.repeat(32)}`;
      await files.writeWhole(`${record}/owner.json`, JSON.stringify({ v: 1, id, path: folder }));
    }
    const served = await serve(files, "--all --rate-limit 1000");
    const { projects } = (await (await served.ask("/stats")).json()) as Stats;
    const id = projects.find(({ project }) => project === "/projects/b")?.id;
    const client = await connect(served, `/mcp/${id}`);
    const said = await client.call("recall", { query: "thought" });
    expect(said).toContain("thought of b");
    expect(said).not.toContain("thought of a");
    for (const path of ["/mcp", "/mcp/none", `/mcp/${id}/more`, "/mcp/..%2f..", `/mcp/${id}x`])
      expect([path, (await served.ask(path)).status]).toEqual([path, 404]);
  });

  it("ends with the server, even while a client listens", async () => {
    const served = await serve(await openSound(), "--rate-limit 1000");
    await connect(served);
    expect((await served.end()).code).toBe(0);
  });
});
