/** `strata mcp` with the SDK's client: what it offers, and how it describes it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tools } from "../../src/mcp/tools.js";
import { keep, openAll, openMcp } from "../support/mcp.js";

describe("the server", () => {
  it("offers a few tools by default, all, or those named, and explains a wrong name", async () => {
    const few = await (await (await openMcp()).connect()).names();
    expect(few).toEqual(tools.filter(({ set }) => set === "default").map(({ name }) => name));
    expect(await (await (await openMcp({ tools: "all" })).connect()).names()).toHaveLength(26);
    expect(await (await (await openMcp({ tools: "recall, remember" })).connect()).names()).toEqual([
      "recall",
      "remember",
    ]);
    await expect(openMcp({ tools: "recal" })).rejects.toThrow('"recal" came');
  });

  it("takes as many tokens of a request as docs/mcp.md says, at four characters per token", async () => {
    const measure = async (options: object) => {
      const { client } = await (await openMcp(options)).connect();
      return JSON.stringify((await client.listTools()).tools).length / 4;
    };
    const page = readFileSync("docs/mcp.md", "utf8").replace(/\s+/g, " ");
    const [, few, all] =
      /default set take about ([\d,]+) tokens of each request, all 26 about ([\d,]+)\./.exec(page) ?? [];
    const toHundreds = (tokens: number): string => (Math.round(tokens / 100) * 100).toLocaleString("en");
    expect([few, all]).toEqual([toHundreds(await measure({})), toHundreds(await measure({ tools: "all" }))]);
  });

  it("has a row in docs/mcp.md for each tool, with its arguments and its set, and the four variables", () => {
    const page = readFileSync("docs/mcp.md", "utf8");
    const rows = tools.map(({ input, name, privateArguments = [], set }) => {
      const names = Object.entries(input.shape).filter(([key]) => !privateArguments.includes(key));
      const args = names.map(([key, field]) => `\`${key}${field.safeParse(undefined).success ? "?" : ""}\``);
      return {
        start: `| \`${name}\` | ${args.join(", ")}${args.length > 0 ? " " : ""}|`,
        end: set === "default" ? "| yes |" : "| |",
      };
    });
    const lines = page.split("\n");
    expect(
      rows.filter(({ end, start }) => !lines.some((line) => line.startsWith(start) && line.endsWith(end))),
    ).toEqual([]);
    for (const name of ["HOST", "PORT", "API_KEY", "RATE_LIMIT"])
      expect(page).toContain(`| \`OPENCODE_MEMORY_${name}\` |`);
  });

  it("is named memory, and marks tools that only read and tools that remove", async () => {
    const { client } = await (await openMcp({ tools: "all" })).connect();
    expect(client.getServerVersion()).toMatchObject({ name: "memory", title: "Strata" });
    const hints = new Map(
      (await client.listTools()).tools.map(({ annotations, name }) => [name, annotations]),
    );
    expect(hints.get("recall")).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints.get("remember")).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints.get("archive_memory")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it("gives the index, each memory and prompts to clients that read them", async () => {
    const { client: test } = await openAll();
    const { client } = test;
    const id = await keep(test);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["memory://index", `memory://memories/${id}`]);
    const texts = await Promise.all(
      resources.map(async ({ uri }) => JSON.stringify(await client.readResource({ uri }))),
    );
    expect(texts.every((text) => text.includes("8080"))).toBe(true);
    for (const uri of [
      "memory://memories/../../x",
      "memory://sessions/ses_1",
      "file:///etc/passwd",
      "memory://memories/%zz",
    ])
      await expect(client.readResource({ uri })).rejects.toThrow("There is no resource");
    await expect(client.listResources({ cursor: "x" })).rejects.toThrow("Expected a cursor");
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      "boot_context",
      "recall",
      "log_session",
    ]);
    for (const name of ["boot_context", "log_session"])
      expect((await client.getPrompt({ name })).messages).toHaveLength(1);
    expect(
      JSON.stringify(await client.getPrompt({ name: "recall", arguments: { topic: "port" } })),
    ).toContain("8080");
    await expect(client.getPrompt({ name: "recall" })).rejects.toThrow("Expected a topic");
    await expect(client.getPrompt({ name: "none" })).rejects.toThrow("There is no prompt none");
  });

  it("answers an unknown tool with a protocol error", async () => {
    const { client } = await openAll();
    await expect(client.call("no_such_tool")).rejects.toThrow("Unknown tool no_such_tool");
  });

  it("leaves valid memories, and only warnings about them on standard error", async () => {
    const { client, server, strata, warnings } = await openAll();
    for (const n of [1, 2, 3]) await keep(client, `Fact number ${n} is about thing ${n}.`, "fact");
    await client.close();
    await server.close();
    expect(warnings).toEqual([]);
    expect(await strata("check")).toContain("3 memories checked: no problems");
  });
});
