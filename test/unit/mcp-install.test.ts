/** `strata mcp install`: what it prints, and how it edits existing files. */
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { clientNames, clients } from "../../src/mcp/clients.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const open = (files: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...files });
const written = clientNames.filter((name) => clients[name]?.file !== undefined);
const fileOf = (name: string): string => `${PROJECT}/${clients[name]?.file}`;

describe("strata mcp install", () => {
  it.each(clientNames)(
    "prints the entry for %s, also for another project, and writes nothing",
    async (name) => {
      const files = open({ "/shop/.git/HEAD": "x" });
      const before = new Map(files.contents);
      const line = `mcp install --for ${name} --tools all --private --project ../shop`;
      const { code, out } = await runStrata(files, line);
      expect([code, out]).toEqual([0, expect.stringMatching(/opencode-strata.*--private/s)]);
      expect(out.replace(/\s+/g, "")).toContain('"--project","/shop"');
      expect(files.contents).toEqual(before);
      if (name !== "codex") expect(() => JSON.parse(out)).not.toThrow();
      const none = await runStrata(files, `mcp install --for ${name} --project /nowhere`);
      expect([none.code, none.out]).toEqual([3, ""]);
    },
  );

  it.each(written)("writes the entry for %s into a new file, and once only", async (name) => {
    const files = open();
    const { out } = await runStrata(files, `mcp install --for ${name} --write`);
    expect(out).toContain(`Written: ${fileOf(name)}`);
    const text = files.text(fileOf(name));
    expect(text).toContain("opencode-strata");
    expect((await runStrata(files, `mcp install --for ${name} --write`)).out).toContain("Already configured");
    expect(files.text(fileOf(name))).toBe(text);
  });

  it("names its own copy in the entry if it does not run from an installed package", async () => {
    const { out } = await runStrata(open(), "mcp install --for claude-code", {
      packageFolder: "/src/strata",
    });
    const { memory } = JSON.parse(out).mcpServers;
    expect(memory).toEqual({ command: "node", args: ["/src/strata/dist/strata.js", "mcp"] });
  });

  it("keeps comments, other servers and the order of a file", async () => {
    const text =
      '{\n  // ours\n  "mcpServers": {\n    "web": { "url": "http://x" }, // the web\n  },\n  "other": [1, 2]\n}\n';
    const files = open({ [fileOf("cursor")]: text });
    await runStrata(files, "mcp install --for cursor --write");
    const after = files.text(fileOf("cursor")) ?? "";
    expect(after).toMatch(/\/\/ ours.*\/\/ the web/s);
    expect(parse(after, [], { allowTrailingComma: true })).toMatchObject({
      mcpServers: { web: { url: "http://x" }, memory: { command: "npx" } },
      other: [1, 2],
    });
  });

  it.each([
    ["cursor", "{ broken"],
    ["cursor", "[]"],
    ["cursor", '{ "mcpServers": [] }'],
    ["cursor", '{ "mcpServers": { "memory": { "command": "mine" } } }'],
    ["codex", '[ mcp_servers . "memory" ]\ncommand = "mine"\n'],
    ["codex", '[mcp_servers]\nmemory = { command = "mine" }\n'],
    ["codex", 'mcp_servers = { web = { url = "http://x" } }\n'],
    ["codex", 'model = "unclosed\n'],
  ])("leaves a %s file alone if it cannot add to it: %s", async (name, text) => {
    const files = open({ [fileOf(name)]: text });
    const { code, err } = await runStrata(files, `mcp install --for ${name} --write`);
    expect([code, files.text(fileOf(name))]).toEqual([3, text]);
    expect(err).toContain("was not changed");
  });

  it.each(written)(
    "keeps what it does not understand of a file for %s: line ends, byte order mark",
    async (name) => {
      const isToml = name === "codex";
      const text = isToml
        ? '\ufeff# mine\r\n[mcp_servers.web]\r\nurl = "http://x" # the web\r\n'
        : '\ufeff{\r\n\t"other": 1\r\n}\r\n';
      const files = open({ [fileOf(name)]: text });
      await runStrata(files, `mcp install --for ${name} --write`);
      const after = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await files.read(fileOf(name)));
      expect(after.startsWith(isToml ? text : '\ufeff{\r\n\t"other": 1,\r\n\t"')).toBe(true);
      expect(after.replaceAll("\r\n", "")).not.toContain("\n");
      expect((await runStrata(files, `mcp install --for ${name} --write`)).out).toContain(
        "Already configured",
      );
    },
  );

  it("does not write through a link, nor into a folder that is one", async () => {
    const files = open({ [fileOf("claude-code")]: "{}" });
    files.links.add(fileOf("claude-code"));
    expect((await runStrata(files, "mcp install --for claude-code --write")).err).toContain(
      "was not changed",
    );
    expect(files.text(fileOf("claude-code"))).toBe("{}");
    const linked: MemoryFiles = {
      ...files,
      realPath: async (path) => (path === `${PROJECT}/.codex` ? "/home/me/.codex" : files.realPath(path)),
    };
    expect((await runStrata(linked, "mcp install --for codex --write")).code).toBe(3);
    expect(files.contents.has(fileOf("codex"))).toBe(false);
  });

  it("lists the clients if --for is wrong, and says how to set one up where there is none", async () => {
    const bare = await runStrata(open(), "mcp");
    expect([bare.code, bare.err]).toEqual([3, expect.stringContaining("mcp install --for claude-code")]);
    const wrong = ["install", "install --for vim", "install --for cursor --tools recal", "serve"];
    for (const line of wrong.map((one) => `mcp ${one}`)) {
      const { code, err } = await runStrata(open(), line);
      expect([line, code]).toEqual([line, 2]);
      expect(err).toContain("expected");
    }
  });
});
