/** The command line as a process: beside others, killed, and where the system refuses. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { createMemoryStore } from "../../src/memory/store/memory-store.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeLog } from "../support/fake-log.js";
import { draft } from "../support/memory-world.js";
import { patiently } from "../support/patience.js";
import { removeFolder } from "../support/remove-folder.js";

const binary = resolve("dist/strata.js");
let project: string;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "strata-home-"));
  project = join(home, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
});
afterEach(() => removeFolder(home), patiently(60_000));

const options = () => ({
  cwd: project,
  env: {
    ...{ ...process.env, HOME: home },
    ...{ XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, ".state") },
  },
});
const strata = (...args: string[]) =>
  spawnSync(process.execPath, [binary, ...args], { ...options(), encoding: "utf8", maxBuffer: 100_000_000 });

/** With this script as the editor, which gets the file as `$1`. */
const edit = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [binary, ...args], {
    ...options(),
    env: { ...options().env, VISUAL: "", EDITOR: `sh -c '${script}' sh` },
    encoding: "utf8",
  });

/** One that runs beside the test. */
function start(...args: string[]): { child: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [binary, ...args], {
    ...options(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout?.resume();
  return { child, ended: once(child, "close").then(([code]) => code as number | null) };
}

describe("strata beside others", () => {
  it(
    "four commands at once beside a running plugin lose no change, and the ledger records all",
    async () => {
      const store = createMemoryStore({
        clock,
        files,
        locks: createLocks({ clock, files, processes: createRunningProcesses(), instance: "plugin" }),
        log: createFakeLog(),
        instance: "plugin",
        folders: planFolders(project),
        globalFolder: join(home, ".config", "opencode"),
        limits: { maxLines: 200, maxSize: 25_000 },
      });
      await store.remember(draft("known from the start", { title: "first" }), { operation: "remember" });
      const commands = [
        start("remember", "--type", "idea", "from the shell"),
        start("remember", "--type", "idea", "from the shell"),
        start("archive", "first"),
        start("list"),
      ];
      for (let n = 0; n < 20; n++)
        await store.remember(draft(`turn ${n}`, { title: `turn ${n}` }), { operation: "remember" });
      expect(await Promise.all(commands.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
      const ids = (await store.list({ archived: true })).map(({ id, status }) => `${id} ${status}`);
      // The same sentence from two processes at once is one memory.
      expect(ids).toHaveLength(22);
      expect(ids).toEqual(expect.arrayContaining(["decision/first archived", "idea/from-the-shell active"]));
      await store.onIdle();
      const { status, stdout } = strata("check");
      expect([stdout, status]).toEqual(["22 memories checked: no problems.\n", 0]);
      expect(JSON.parse(strata("memory", "history", "decision/first", "--json").stdout)).toMatchObject([
        { instance: "plugin" },
        { instance: "cli", operation: "archive" },
      ]);
    },
    patiently(60_000),
  );
});

it(
  "an interrupted strata learn leaves an intact store and exits with 130, a killed one too, and the next one keeps the rest",
  async () => {
    const sizes = "small large huge tiny wide narrow heavy light".split(" ");
    const shades = "red blue green white black brown yellow purple orange grey".split(" ");
    const names = sizes.flatMap((size) => shades.map((shade) => `${size} ${shade}`));
    const said = names.map((name, n) => `Remember: the ${name} service listens on port ${2_000 + n}.`);
    const source = join(home, "said.jsonl");
    writeFileSync(source, said.map((text, id) => JSON.stringify({ id, session: "s", text })).join("\n"));
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const { child, ended } = start("learn", source, "--json");
      child.stdout?.once("data", () => child.kill(signal));
      expect(await ended).toBe(signal === "SIGINT" ? 130 : null);
    }
    const kept = JSON.parse(strata("list", "--json").stdout).memories.length;
    expect(kept).toBeLessThan(80);
    expect(strata("learn", source)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(`^(Kept .*\n){${80 - kept}}Kept: ${80 - kept} memories from 80 messages`),
    });
    expect(JSON.parse(strata("list", "--json").stdout).memories).toHaveLength(80);
    strata("dream");
    expect(strata("check").stdout).toBe("80 memories checked: no problems.\n");
  },
  patiently(90_000),
);

describe("strata where the system refuses writes", () => {
  const refused = resolve("test/support/processes/refused-writes.mjs");
  it.each([
    ["doctor", ["doctor", "--no-proof"], ".opencode/strata"],
    ["remember", ["remember", "we deploy on Fridays"], ".opencode/memory"],
    ["remember without a state", ["remember", "we deploy on Fridays"], ".opencode/strata"],
  ])("%s answers EPERM with a sentence, never with a stack trace", (_name, args, folder) => {
    mkdirSync(join(project, ".opencode", "strata"), { recursive: true });
    const given = { ...options(), encoding: "utf8" as const };
    const env = { ...given.env, STRATA_REFUSED: join(project, folder) };
    const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", refused, binary, ...args], {
      ...given,
      env,
    });
    const all = `${stdout}${stderr}`;
    expect(all).not.toMatch(/^ +at /m);
    expect(all).not.toContain("Node.js v");
    expect(all).toMatch(/EPERM|cannot be written/);
    expect(status, all).toBeLessThan(4);
  });
});

describe("strata memory edit", () => {
  it("edit takes over what the editor saved, and writes no secret to the ledger", () => {
    strata("remember", "--type", "idea", "one");
    const editOne = (script: string) => {
      const { status, stderr, stdout } = edit(script, "edit", "idea/one");
      return [status, `${stdout}${stderr}`];
    };
    expect(editOne("true")).toEqual([0, expect.stringMatching(/^Unchanged: idea\/one /)]);
    expect(editOne('echo two >> "$1"')).toEqual([0, expect.stringMatching(/^Changed: /m)]);
    const secret = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    const holds = expect.stringContaining("it holds a secret (GitHub token)");
    expect(editOne(`echo ${secret} >> "$1"`)).toEqual([1, holds]);
    const ledger = join(project, ".opencode", "memory", "ledger");
    for (const name of readdirSync(ledger))
      expect(readFileSync(join(ledger, name), "utf8")).not.toContain(secret);
    // The broken file can be opened for repair.
    const repaired = expect.stringMatching(/^Changed: .*idea\/one\.md$/m);
    expect(editOne(`sed -i /${secret}/d "$1"`)).toEqual([0, repaired]);
    expect(strata("check").status).toBe(0);
    expect(editOne("false")).toEqual([3, expect.stringContaining("exited with 1")]);
  });
});

describe("strata reconcile --edit", () => {
  it("reconcile --edit keeps what the editor saved, leaves the conflict open if it saved nothing, and refuses secrets", () => {
    const harbour = ["remember", "--type", "decision", "--title", "Harbour"];
    strata(...harbour, "ships land at pier four");
    const { stderr } = strata(...harbour, "cranes are the city's");
    const name = /conflicts\/([\w-]+)\.md/.exec(stderr)?.[1] ?? "";
    const decide = (script: string) => edit(script, "reconcile", name, "--edit");
    const show = (id: string) => JSON.parse(strata("show", id, "--json").stdout);
    for (const [script, why] of [
      ["true", "you changed nothing"],
      ["exit 3", "exited with 3; set EDITOR"],
    ] as const) {
      const left = decide(script);
      expect(`${left.stdout}${left.stderr}`).toContain(why);
      expect(left.status).not.toBe(0);
      expect(strata("reconcile").stdout).toContain(name);
    }
    const edited = decide('sed -i "s/four/five, says the city/" "$1"');
    expect([edited.status, edited.stdout]).toEqual([0, `Decided: ${name}\n`]);
    const held = { status: "active", content: "ships land at pier five, says the city" };
    expect(show("decision/harbour")).toMatchObject(held);
    expect(show("decision/harbour-2").status).toBe("superseded");
    expect(strata("reconcile").stdout).toBe("No open conflicts.\n");
    // One undo restores both versions and the earlier text.
    expect(strata("memory", "history", "decision/harbour-2").stdout).toContain("kept edited");
  });
});
