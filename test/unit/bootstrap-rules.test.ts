/** Rules for other agents and decisions from the git history in `strata bootstrap`. */
import { describe, expect, it } from "vitest";
import { byFact, listMemories, openProject } from "../support/bootstrap.js";
import { PROJECT } from "../support/fake-host.js";
import { runStrata } from "../support/shell.js";

describe("strata bootstrap takes rules for other agents", () => {
  const rules = {
    "AGENTS.md": "Use tabs.",
    "CLAUDE.md": "# Rules\n\nRun make check before each commit.\n",
    ".cursorrules": "Prefer small functions.",
    ".cursor/rules/api/http.mdc":
      "---\ndescription: HTTP handlers\nglobs: src/api/**, *.http\nalwaysApply: false\n---\nReturn problem+json.\n",
    ".windsurf/rules/style.md": "---\ntrigger: always_on\n---\nNo default exports.\n",
    ".windsurfrules": "Write tests first.",
    ".github/copilot-instructions.md": "Answer in English.",
    ".github/instructions/sql.instructions.md": '---\napplyTo: "**/*.sql"\n---\nKeywords in capitals.\n',
  };

  it("a rule file that OpenCode does not send becomes one memory, linked to the file and never the user's", async () => {
    const files = openProject(rules);
    await runStrata(files, "bootstrap");
    const facts = await byFact(files);
    expect(Object.keys(facts).sort()).toEqual(
      Object.keys(rules)
        .filter((path) => path !== "AGENTS.md")
        .map((path) => `${path}#rules`)
        .sort(),
    );
    expect(facts["CLAUDE.md#rules"]).toMatchObject({
      type: "directive",
      title: "Rules from CLAUDE.md",
      content: "# Rules\n\nRun make check before each commit.",
      provenance: { by: "tool", how: "imported" },
    });
    expect(facts[".cursor/rules/api/http.mdc#rules"]).toMatchObject({
      aliases: ["HTTP handlers"],
      when: ["src/api/**", "*.http"],
      content: "Return problem+json.",
    });
    expect(facts[".github/instructions/sql.instructions.md#rules"]?.when).toEqual(["**/*.sql"]);
    const foreign = await listMemories(files, "--foreign");
    expect(foreign.map(({ id }) => id).sort()).toEqual(
      Object.values(facts)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it("the globs of a rule have no braces, and a rule that includes all files has no globs", async () => {
    const rule = (globs: string): string => `---\nglobs: ${JSON.stringify(globs)}\n---\nUse tabs.\n`;
    const files = openProject({
      ".cursor/rules/braces.mdc": rule("src/**/*.{ts,tsx}, {lib,web}/*.js"),
      ".cursor/rules/all.mdc": rule("src/**, **/*"),
      ".cursor/rules/many.mdc": rule("{a,b}".repeat(40)),
    });
    await runStrata(files, "bootstrap");
    const facts = await byFact(files);
    expect(facts[".cursor/rules/braces.mdc#rules"]?.when).toEqual([
      ...["src/**/*.ts", "src/**/*.tsx"],
      ...["lib/*.js", "web/*.js"],
    ]);
    expect(facts[".cursor/rules/all.mdc#rules"]?.when).toEqual([]);
    expect(facts[".cursor/rules/many.mdc#rules"]?.when).toEqual([]);
  });

  it("a rule loses its escape sequences, and a renewed one has to be accepted again", async () => {
    const files = openProject({
      ".cursorrules": "\ufeffUse \u001b[31mtabs\u001b[0m.  \r\n\r\n\tAlways.\u0007",
    });
    await runStrata(files, "bootstrap");
    expect((await byFact(files))[".cursorrules#rules"]?.content).toBe("Use [31mtabs[0m.  \n\n\tAlways.");
    await runStrata(files, "trust --yes", { answers: true });
    expect(await listMemories(files, "--foreign")).toEqual([]);
    await files.writeWhole(`${PROJECT}/.cursorrules`, "Use spaces.");
    expect((await runStrata(files, "bootstrap")).out).toContain("1 renewed");
    expect(await listMemories(files, "--foreign")).toHaveLength(1);
  });

  it("a rule file is read only if OpenCode ignores it, and dropped when OpenCode begins to send it", async () => {
    const files = openProject({
      "AGENTS.md": "x",
      "CLAUDE.md": "Rules of the root.",
      "lib/CLAUDE.md": "Sent beside the files of lib.",
      "web/CLAUDE.md": "Ignored beside AGENTS.md.",
      "web/AGENTS.md": "x",
      ".cursor/rules/a.mdc": "Named by the configuration.",
      "opencode.json": '{"instructions": [".cursor/rules/*.mdc"]}',
    });
    await runStrata(files, "bootstrap --recursive");
    expect(Object.keys(await byFact(files)).sort()).toEqual(["CLAUDE.md#rules", "web/CLAUDE.md#rules"]);
    await files.remove(`${PROJECT}/AGENTS.md`);
    expect((await runStrata(files, "bootstrap")).out).toContain("1 dropped");
    expect(Object.keys(await byFact(files))).toEqual(["web/CLAUDE.md#rules"]);
  });
});
