import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { requireProjectRoot } from "../../src/operations/project.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, user } from "../support/messages.js";
import { ownState } from "../support/own-project.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";
import { openWorld } from "../support/world.js";

const folder = mkdtempSync(join(tmpdir(), "strata-cli-"));
afterAll(() => removeFolder(folder));

const LEDGER = `${PROJECT}/.opencode/strata/savings/ses_1.jsonl`;
const binary = resolve("dist/strata.js");
const strata = (...args: string[]) =>
  spawnSync(process.execPath, [binary, ...args], { cwd: folder, encoding: "utf8" });

/** A project in which two equal results have been moved out of the context. */
async function openSpilled(options: Record<string, unknown> = {}) {
  const world = await openWorld({ options });
  await world.request([user("go"), answer([call("bash", lines(2_000)), call("bash", lines(2_000))])]);
  await world.strata.idle();
  return world;
}

describe("strata status", () => {
  it("status counts what left the context, names damaged lines, and exits with 1 for them", async () => {
    const { files } = await openSpilled();
    await files.appendLine(LEDGER, "oops");
    const json = await runStrata(files, "status --json");
    expect(JSON.parse(json.out)).toMatchObject({
      results: { files: 1, bytes: 81_999 },
      savings: { spilled: 2 },
      sessions: { ses_1: { spilled: 2 } },
      problems: [expect.stringContaining("line 3 cannot be read")],
    });
    const { code, out } = await runStrata(files, "status");
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}Left context +[\d.]+K tokens: 2 results moved to files$/m);
    expect(out).toContain("line 3 cannot be read");
  });

  it("status shows which layers are off, today's remaining budget, and the session without automatic summaries", async () => {
    const { files } = await openSpilled();
    const memory = { microCompact: { enabled: false }, background: { dailyCalls: 7 } };
    await files.writeWhole(`${PROJECT}/opencode.json`, JSON.stringify({ memory }));
    const state = `${PROJECT}/.opencode/strata/state`;
    await ownState(files);
    const reserved = { v: 1, kind: "reserved", id: "a-1", tokens: 1_200 };
    await files.appendLine(`${state}/background/2026-11-21.jsonl`, JSON.stringify(reserved));
    await files.writeWhole(
      `${state}/breakers/ses_1.json`,
      JSON.stringify({ failures: 3, open: "it failed" }),
    );
    const { code, out } = await runStrata(files, "status");
    expect(code).toBe(0);
    expect(out).toMatch(/Switched off +microCompact$/m);
    expect(out).toMatch(/Own model calls +6 calls and 199K tokens left today/);
    expect(out.replace(/\s+/g, " ")).toContain("automatic summaries do not help: it failed");
  });

  it("status names the hooks that the host has not called in the last instance", async () => {
    const { files } = await openSpilled();
    const calls = (startedMs: number, hooks: object) =>
      JSON.stringify({
        v: 1,
        instance: `i${startedMs}`,
        version: "0.1.0",
        startedMs,
        bound: ["config", "turn", "context", "modelWindow", "event"],
        hooks,
        layers: {},
        signs: { answer: { count: 1, lastMs: 5 } },
      });
    const once = { count: 1, lastMs: 5 };
    const all = { config: once, turn: once, context: once, modelWindow: once, event: once };
    const folder = `${PROJECT}/.opencode/strata/state/calls`;
    await files.writeWhole(`${PROJECT}/opencode.json`, '{"plugin": ["opencode-strata"]}');
    await files.writeWhole(`${folder}/1.json`, calls(1, { event: once }));
    await files.writeWhole(`${folder}/2.json`, calls(2, all));
    expect((await runStrata(files, "status")).code).toBe(0);
    await files.writeWhole(`${folder}/3.json`, calls(3, { ...all, context: undefined }));
    const { code, out } = await runStrata(files, "status");
    expect(code).toBe(1);
    expect(out).toContain("OpenCode has not called hook context although it should have by now");
  });

  it("status is about the project of the working directory, however deep that is", async () => {
    const { files } = await openSpilled();
    const home = "/home/me";
    expect(await requireProjectRoot({ files, folder: `${PROJECT}/packages/a/src`, home })).toBe(PROJECT);
    await expect(requireProjectRoot({ files, folder: "/elsewhere/x", home })).rejects.toThrow("/elsewhere/x");
    expect((await runStrata(files, "status", { folder: `${PROJECT}/packages/a` })).out).toContain(
      "2 results",
    );
  });

  it("status is all zeros in a new project, and fails with a clear message outside of any", async () => {
    const files = createMemoryFiles({ "/repo/.git/HEAD": "x", "/home/me/.opencode/bin/opencode": "x" });
    const fresh = await runStrata(files, "status", { folder: "/repo/src" });
    // It reports that the plugin is not configured there.
    expect([fresh.code, fresh.out]).toEqual([
      1,
      expect.stringContaining("none yet, so nothing has been saved"),
    ]);
    for (const place of ["/tmp/x", "/home/me"]) {
      const none = await runStrata(files, "status", { folder: place });
      expect([none.code, none.out]).toEqual([3, ""]);
      expect(none.err).toContain(`${place} is not in an OpenCode project`);
      expect(none.err).toContain("strata init");
    }
  });
});

describe("the command line", () => {
  it("the help lists every command and the exit codes, and each command has its own with an example", async () => {
    const files = createMemoryFiles();
    const { code, out } = await runStrata(files, "--help");
    expect(code).toBe(0);
    expect(out).toContain("Exit codes: 0 done, 1");
    for (const { name, example, summary } of commands) {
      expect(out).toContain(`  ${name.split(" ")[0]}`);
      const help = await runStrata(files, `${name} --help`);
      expect(help.code).toBe(0);
      expect(help.out).toContain(`Example: ${example}`);
      expect(help.out.replace(/\s+/g, " ")).toContain(summary);
    }
    expect((await runStrata(files, "")).out).toBe(out);
  });

  it("wrong usage exits with 2 and names what was wrong", async () => {
    const files = createMemoryFiles();
    for (const [line, what] of [
      ["frobnicate", "unknown command 'frobnicate'"],
      ["doctr", "Did you mean doctor?"],
      ["status --no-such", "unknown option '--no-such'"],
      ["status twice", "too many arguments"],
      ["--no-such", "unknown option '--no-such'"],
    ] as const) {
      const { code, out, err } = await runStrata(files, line);
      expect([line, code, out]).toEqual([line, 2, ""]);
      expect(err).toContain(what);
      expect(err).toContain("strata --help lists the commands");
    }
  });

  it("the installed binary prints its version, JSON on request, and colours only to a terminal", () => {
    expect(strata("--version").stdout.trim()).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
    expect(strata("status").status).toBe(3);
    expect(strata("init").status).toBe(0);
    const { status, stdout } = strata("status");
    expect([status, stdout.includes("\u001b")]).toEqual([0, false]);
    expect(JSON.parse(strata("status", "--json").stdout).savings.spilled).toBe(0);
  });
});
