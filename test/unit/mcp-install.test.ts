/** `strata mcp install`: what it prints. */
import toml from "toml";
import { describe, expect, it } from "vitest";
import { clientNames } from "../../src/mcp/mcp.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

describe("strata mcp install", () => {
  it.each(clientNames)(
    "prints the entry for %s, also for another project, and writes nothing",
    async (name) => {
      const files = openRepository({ "/shop/.git/HEAD": "x" });
      const before = new Map(files.contents);
      const line = `mcp install --for ${name} --tools all --private --project ../shop`;
      const { code, out } = await runStrata(files, line);
      expect([code, out]).toEqual([0, expect.stringMatching(/opencode-strata.*--private/s)]);
      expect(out.replace(/\s+/g, "")).toContain('"--project","/shop"');
      expect(files.contents).toEqual(before);
      expect(() => (name === "codex" ? toml.parse(out) : JSON.parse(out))).not.toThrow();
      const none = await runStrata(files, `mcp install --for ${name} --project /nowhere`);
      expect([none.code, none.out]).toEqual([3, ""]);
    },
  );

  it("names its own copy in the entry if it does not run from an installed package", async () => {
    const { out } = await runStrata(openRepository(), "mcp install --for claude-code", {
      packageFolder: "/src/strata",
    });
    const { memory } = JSON.parse(out).mcpServers;
    expect(memory).toEqual({ command: "node", args: ["/src/strata/dist/strata.js", "mcp"] });
  });

  it("lists the clients if --for is wrong, and says how to set one up where there is none", async () => {
    const bare = await runStrata(openRepository(), "mcp");
    expect([bare.code, bare.err]).toEqual([3, expect.stringContaining("mcp install --for claude-code")]);
    const wrong = ["install", "install --for vim", "install --for cursor --tools recal", "serve"];
    for (const line of wrong.map((one) => `mcp ${one}`)) {
      const { code, err } = await runStrata(openRepository(), line);
      expect([line, code]).toEqual([line, 2]);
      expect(err).toContain("expected");
    }
  });
});
