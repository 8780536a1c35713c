/** Rules for other agents and decisions from the git history in `strata bootstrap`. */
import { chmodSync, existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { planDecisions } from "../../src/operations/bootstrap.js";
import { GIT_HISTORY } from "../../src/sources/bootstrap/taken.js";
import { byFact, listMemories, openProject } from "../support/bootstrap.js";
import { PROJECT } from "../support/fake-host.js";
import { useGitProject } from "../support/git-project.js";
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

describe("decisions of the git history", () => {
  it("commits with a text become facts, newest first, merges too, without trailers", () => {
    const commit = (n: number, subject: string, body: string, parents = ["a"]) => ({
      ...{ hash: `${n}`.repeat(40), at: "2026-11-01T10:00:00+01:00", subject, body, parents },
    });
    const reason = "The pool ran dry under load, because each request held two connections.";
    const commits = [
      commit(1, "Bump version", ""),
      commit(2, "Use one connection a request", `${reason}\n\nSigned-off-by: A <a@example.org>`),
      commit(3, "Merge branch 'pool'", reason, ["a", "b"]),
      commit(4, "Fix typo", "Reported-by: B"),
    ];
    const facts = planDecisions(commits, 10);
    expect(facts.map(({ key }) => key)).toEqual(["222222222222", "333333333333"]);
    expect(facts[0]).toMatchObject({
      file: GIT_HISTORY,
      type: "decision",
      title: "Use one connection a request",
    });
    expect(facts[0]?.content).toBe(
      `Commit 222222222222 of 2026-11-01: Use one connection a request\n\n${reason}`,
    );
    expect(facts[1]?.content).toContain("Merge 333333333333");
    expect(planDecisions(commits, 1)).toHaveLength(1);
  });

  describe("in a real repository", () => {
    const { at, git, strata, write } = useGitProject();

    it("--git adds each commit once, up to the limit; recall finds the decisions, and undo removes them", async () => {
      for (const [n, why] of ["The pool ran dry", "The queue grew", "The clock jumped"].entries()) {
        write("file.txt", `${n}`);
        git("add", "-A");
        git("commit", "-qm", `Change ${n}`, "-m", `${why} whenever two requests arrived together.`);
      }
      expect((await strata("bootstrap --git --limit 2")).out).toMatch(/^Added: 2 memories\n/);
      expect((await strata("bootstrap --git")).out).toMatch(/^Added: 1 memory, 2 unchanged\n/);
      expect((await strata("bootstrap --git")).out).toBe("Added: 0 memories, 3 unchanged");
      expect((await strata("recall queue grew")).out).toContain("decision/change-1");
      await strata("undo");
      await strata("undo");
      expect(JSON.parse((await strata("list --json")).out).memories).toEqual([]);
    });

    it("a repository that demands signatures runs no program, and secrets in messages are not shown", async () => {
      const marker = at("ran");
      const program = at("gpg.sh");
      const signature = "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n";
      write(
        "gpg.sh",
        `#!/bin/sh\ncase "$*" in *-bsau*) cat > /dev/null; printf '%b' '${signature}'; printf '%b' '\\n[GNUPG:] SIG_CREATED \\n' >&2;; *) echo ran > ${marker};; esac\n`,
      );
      chmodSync(program, 0o755);
      git("config", "gpg.program", program);
      git("config", "log.showSignature", "true");
      const why = "The pool ran dry whenever two requests arrived together.";
      git("commit", "-S", "-q", "--allow-empty", "-m", "Größe", "-m", why);
      git("commit", "-q", "--allow-empty", "-m", `Use ghp_${"a1B2c3D4e5F6".repeat(3)}`, "-m", why);
      const { err, out } = await strata("bootstrap --git");
      expect(out).toMatch(/^Added: 1 memory, 1 refused/);
      expect([err, existsSync(marker)]).toEqual([expect.not.stringContaining("a1B2c3"), false]);
    });
  });
});
