import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { findProject } from "../../src/cli/project.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, user } from "../support/messages.js";
import { ownState } from "../support/own-project.js";
import { runStrata } from "../support/shell.js";
import { openWorld } from "../support/world.js";

const folder = mkdtempSync(join(tmpdir(), "strata-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
  it("counts what left the context and says what is damaged, which ends with 1", async () => {
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
    expect(out).toContain("Left the context  2 results moved to files, 0 cleared");
    expect(out).toContain("line 3 cannot be read");
  });

  it("a result that is judged anew, because the machine state was deleted, counts once", async () => {
    const world = await openWorld();
    const messages = [user("go"), answer([call("bash", lines(2_000))])];
    await world.request(messages);
    await world.strata.idle();
    for (const path of world.files.contents.keys())
      if (path.includes("/state/")) world.files.contents.delete(path);
    const again = await world.restart();
    await again.request(messages);
    await again.strata.idle();
    expect(world.files.text(LEDGER)?.match(/"spilled"/g)).toHaveLength(2);
    expect(JSON.parse((await runStrata(world.files, "status --json")).out).savings.spilled).toBe(1);
  });

  it("tells what is on and off, what may still be spent today, and which session's breaker is open", async () => {
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
    expect(out).toMatch(/Off +microCompact$/m);
    expect(out).toMatch(/Background +6 calls and 198,800 tokens left today/);
    expect(out).toContain("automatic summaries off: it failed");
  });

  it("tells how large the context was at the last request of each session", async () => {
    const { files } = await openSpilled();
    const record = { v: 1, time: "2026-11-21T10:00:00Z", instance: "a", session: "ses_1", layer: "view" };
    for (const sent of [9_000, 12_345])
      await files.appendLine(LEDGER, JSON.stringify({ ...record, event: "answer", sent, net: 5 }));
    expect((await runStrata(files, "status")).out).toContain("ses_1  context 12,345 tokens, saved");
  });

  it("tells of hooks that the host has not called in the last instance", async () => {
    const { files } = await openSpilled();
    const pulse = (startedMs: number, hooks: object) =>
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
    const folder = `${PROJECT}/.opencode/strata/state/pulse`;
    await files.writeWhole(`${PROJECT}/opencode.json`, '{"plugin": ["opencode-strata"]}');
    await files.writeWhole(`${folder}/1.json`, pulse(1, { event: once }));
    await files.writeWhole(`${folder}/2.json`, pulse(2, all));
    expect((await runStrata(files, "status")).code).toBe(0);
    await files.writeWhole(`${folder}/3.json`, pulse(3, { ...all, context: undefined }));
    const { code, out } = await runStrata(files, "status");
    expect(code).toBe(1);
    expect(out).toContain("OpenCode has not called hook context although it should have by now");
  });

  it("is that of the project one stands in, also deep in it", async () => {
    const { files } = await openSpilled();
    expect(await findProject(files, `${PROJECT}/packages/a/src`)).toBe(PROJECT);
    expect(await findProject(files, "/elsewhere/x")).toBe("/elsewhere/x");
    expect((await runStrata(files, "status", { folder: `${PROJECT}/packages/a` })).out).toContain(
      "2 results",
    );
  });

  it("is all zeros where nothing has happened yet, and a clear message where there is no project at all", async () => {
    const files = createMemoryFiles({ "/repo/.git/HEAD": "x", "/home/me/.opencode/bin/opencode": "x" });
    const fresh = await runStrata(files, "status", { folder: "/repo/src" });
    // That the plugin is not loaded there is something to look after.
    expect([fresh.code, fresh.out]).toEqual([1, expect.stringContaining("0 results moved")]);
    for (const place of ["/tmp/x", "/home/me"]) {
      const none = await runStrata(files, "status", { folder: place });
      expect([none.code, none.out]).toEqual([3, ""]);
      expect(none.err).toContain(`${place} is no project of OpenCode's`);
      expect(none.err).toContain("strata init");
    }
  });
});

describe("the command line", () => {
  it("explains itself: every command has a help of its own with an example, and the exit codes are named", async () => {
    const files = createMemoryFiles();
    const { code, out } = await runStrata(files, "--help");
    expect(code).toBe(0);
    expect(out).toContain("Exit codes: 0 fine, 1");
    for (const { name, example, summary } of commands) {
      expect(out).toContain(`  ${name}`);
      const help = await runStrata(files, `${name} --help`);
      expect(help.code).toBe(0);
      expect(help.out).toContain(`Example: ${example}`);
      expect(help.out.replace(/\s+/g, " ")).toContain(summary);
    }
    expect((await runStrata(files, "")).out).toBe(out);
  });

  it("ends with 2 on what it does not understand, and says what that was", async () => {
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

  it("runs as it is installed: version, colours only for a terminal, JSON for programs", () => {
    expect(strata("--version").stdout.trim()).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
    expect(strata("status").status).toBe(3);
    expect(strata("init").status).toBe(0);
    const { status, stdout } = strata("status");
    expect([status, stdout.includes("\u001b")]).toEqual([0, false]);
    expect(JSON.parse(strata("status", "--json").stdout).savings.spilled).toBe(0);
  });

  it("takes it for no error when the reader of the pipe has gone", async () => {
    const child = spawn(process.execPath, [binary, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let err = "";
    child.stderr.on("data", (text) => {
      err += text;
    });
    const code = await new Promise((done) => child.on("close", done));
    expect([code, err]).toEqual([0, ""]);
  });
});
