import { describe, expect, it } from "vitest";
import { type Evidence, readEvidence } from "../../src/cli/doctor/evidence.js";
import type { Finding, Section } from "../../src/cli/doctor/finding.js";
import { checkHost, isWithoutPort } from "../../src/cli/doctor/host.js";
import { checkMachine, checkRuntime } from "../../src/cli/doctor/machine.js";
import { findOpenCode } from "../../src/cli/doctor/opencode.js";
import { defaults } from "../../src/config/defaults.js";
import type { Config } from "../../src/config/schema.js";
import type { Beat, PulseRecord } from "../../src/dispatcher/pulse.js";
import type { LockState } from "../../src/lock/locks.js";
import type { Files } from "../../src/seams/files.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, systemError } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const CONFIG = `${PROJECT}/opencode.json`;

/** What the doctor finds in a project with these files, where there is no OpenCode. */
async function examine(world: Record<string, string>): Promise<Finding[]> {
  const { out } = await runStrata(
    createMemoryFiles({ "/project/.git/HEAD": "x", ...world }),
    "doctor --json",
  );
  const sections: Section[] = JSON.parse(out).sections;
  return sections.flatMap(({ findings }) => [...findings]);
}

const find = (findings: readonly Finding[], words: string): Finding | undefined =>
  findings.find(({ what }) => what.includes(words));

describe("strata doctor tells of the configuration", () => {
  it("strata doctor tells that the plugin is loaded once, not at all, or twice", async () => {
    const once = await examine({ [CONFIG]: '{"plugin": ["opencode-strata"]}' });
    expect(find(once, "configured once")).toMatchObject({ level: "fine" });
    const never = await examine({ [CONFIG]: "{}" });
    expect(find(never, "stands in no plugin list")).toMatchObject({ level: "problem", todo: "strata init" });
    const manifest = '{"name": "opencode-strata"}';
    const twice = await examine({
      [CONFIG]: '{"plugin": ["opencode-strata@0.1.0"]}',
      "/home/me/.config/opencode/opencode.jsonc": '{"plugin": [["../../strata", {}]] /* mine */}',
      "/home/me/strata/package.json": manifest,
    });
    expect(find(twice, "is loaded 2 times")).toMatchObject({ level: "problem" });
    expect(find(twice, "is loaded 2 times")?.what).toContain("/home/me/.config/opencode/opencode.jsonc");
    const besides = await examine({
      [CONFIG]: '{"plugin": ["opencode-strata"]}',
      [`${PROJECT}/.opencode/plugin/mine.js`]: 'export { default } from "opencode-strata";',
      [`${PROJECT}/.opencode/plugin/other.js`]: "// opencode-strata is fine",
    });
    expect(find(besides, "is loaded 2 times")?.what).toContain("plugin/mine.js");
    const everywhere = "/home/me/.config/opencode/plugins/all.ts";
    const global = await examine({
      [CONFIG]: '{"plugin": ["opencode-strata"]}',
      [everywhere]: 'import strata from "opencode-strata";',
    });
    expect(find(global, "is loaded 2 times")?.what).toContain(everywhere);
  });

  it("the same entry in two files is loaded once: later files overrule", async () => {
    const entry = '{"plugin": ["opencode-strata"]}';
    const findings = await examine({ [CONFIG]: entry, "/home/me/.config/opencode/opencode.json": entry });
    expect(find(findings, "configured once")).toMatchObject({ level: "fine" });
  });

  it("strata doctor tells which plugins fight over the context, and what to switch off", async () => {
    const plugin = [
      "opencode-strata",
      "@tarquinen/opencode-dcp@latest",
      "oh-my-opencode",
      "@cortexkit/opencode-magic-context",
      "opencode-supermemory",
      "opencode-pty",
    ];
    const findings = await examine({ [CONFIG]: JSON.stringify({ plugin, compaction: { prune: true } }) });
    const rivals = findings.filter(({ level }) => level === "warning");
    expect(rivals.map(({ what }) => what.split(" ")[0])).toEqual([...plugin.slice(1, 5), "compaction.prune"]);
    for (const { todo } of rivals) expect(todo).toMatch(/take|switch off/);
  });

  it("strata doctor tells which settings are not the usual ones and where each comes from, which layers are off, and what is wrong", async () => {
    const findings = await examine({
      "/home/me/.config/opencode/opencode.json":
        '{"memory": {"dream": {"enabled": false}, "toolResults": {"threshold": 9000}}}',
      [CONFIG]: '{"plugin": [["opencode-strata", {"toolResults": {"threshold": 8000}, "colour": 1}]]}',
    });
    expect(find(findings, `toolResults.threshold is 8000, from ${CONFIG}`)).toMatchObject({ level: "note" });
    expect(find(findings, "dream is off, from /home/me/.config/opencode/opencode.json")).toMatchObject({
      level: "note",
    });
    expect(find(findings, "colour is not a setting")).toMatchObject({ level: "problem" });
    expect(findings.filter(({ what }) => what.startsWith("some are set in")).map(({ what }) => what)).toEqual(
      [
        "some are set in /home/me/.config/opencode/opencode.json, key memory",
        `some are set in ${CONFIG}, beside the plugin's name`,
      ],
    );
    expect(find(findings, "none are set in")?.what).toContain(`${PROJECT}/opencode.jsonc`);
    expect(find(findings, "by default toolResults")?.what).toMatch(/enabled true, .*turnBudget 200000/);
  });
});

describe("strata doctor tells of OpenCode", () => {
  it("strata doctor tells of OpenCode 2 and later that the plugin does nothing in it, as a problem, and does not try to prove otherwise", () => {
    for (const version of ["2.0.0", "2.2.7", "2.1.0-beta.3", "3.0.0"]) {
      const finding = checkHost("/bin/opencode", version);
      expect(finding).toMatchObject({ level: "problem", what: expect.stringContaining(version) });
      expect(finding.what).toContain("opencode-strata does nothing in OpenCode 2 yet");
      expect(finding.todo).toContain("opencode-ai@1.18");
      expect(isWithoutPort(version)).toBe(true);
    }
    for (const version of ["1.18.33", "1.19.3", "1.18.2"]) {
      expect(checkHost("/bin/opencode", version).level).not.toBe("problem");
      expect(isWithoutPort(version)).toBe(false);
    }
  });

  it("strata doctor tells of OpenCode only what it finds in the PATH: a program that a repository brings is never run", async () => {
    const files = createMemoryFiles({
      "/project/node_modules/.bin/opencode": "#!/bin/sh\nrm -rf ~",
      "/project/opencode": "",
    });
    for (const PATH of ["", ":", ".", "node_modules/.bin:/usr/bin"])
      expect(await findOpenCode({ env: { PATH }, files })).toBeUndefined();
    const env = { PATH: "/nowhere:/opt/bin" };
    expect(await findOpenCode({ env, files: createMemoryFiles({ "/opt/bin/opencode": "" }) })).toBe(
      "/opt/bin/opencode",
    );
  });
});

describe("strata doctor tells of the machine", () => {
  const options = (files: Files, lock: LockState = { kind: "free" }, free?: number) => ({
    files,
    clock: createFakeClock(),
    inspectLock: async () => lock,
    readFreeBytes: async () => free,
  });
  const token = {
    id: "x",
    instance: "ab",
    since: "2026-11-21T08:00:00Z",
    process: { id: 7, start: "1", host: "here", machine: "m" },
  };
  const world = { [`${PROJECT}/.opencode/strata/strata.log`]: "x" };

  it("strata doctor tells where machine state was set aside that is not known to be of this machine", async () => {
    const aside = `${PROJECT}/.opencode/strata/state.foreign-1`;
    const files = createMemoryFiles({ ...world, [`${aside}/leases.json`]: "{}" }, () => MORNING);
    expect(find(await checkMachine(options(files), PROJECT), aside)).toMatchObject({ level: "note" });
  });

  it("strata doctor tells that a folder cannot be written, and leaves no trace where it can", async () => {
    const files = createMemoryFiles(world, () => MORNING);
    const before = [...files.contents.keys()];
    expect((await checkMachine(options(files), PROJECT)).every(({ level }) => level === "fine")).toBe(true);
    expect([...files.contents.keys()]).toEqual(before);
    const refusing = {
      ...files,
      create: async (path: string) => {
        throw systemError("EACCES", path);
      },
    };
    const findings = await checkMachine(options(refusing), PROJECT);
    expect(find(findings, "/project/.opencode/strata cannot be written: EACCES")).toMatchObject({
      level: "problem",
    });
  });

  it("strata doctor tells that a lock is stale, held, or without an owner", async () => {
    const path = `${PROJECT}/.opencode/strata/state/memory/internal/lock`;
    const look = async (lock: LockState) =>
      find(await checkMachine(options(createMemoryFiles({ ...world, [path]: "x" }), lock), PROJECT), path);
    expect(await look({ kind: "abandoned", token })).toMatchObject({ level: "warning" });
    expect((await look({ kind: "abandoned", token }))?.what).toContain("process 7 on here");
    expect(await look({ kind: "held", token })).toMatchObject({ level: "fine" });
    expect(await look({ kind: "held" })).toMatchObject({ level: "problem" });
  });

  it("strata doctor tells that the disk is nearly full, and that the clock is behind what was written", async () => {
    const files = createMemoryFiles(world, () => MORNING + 3 * 86_400_000);
    const findings = await checkMachine(options(files, undefined, 5_000_000), PROJECT);
    expect(find(findings, "5 MB are free")).toMatchObject({ level: "warning" });
    expect(find(findings, "the clock is 3 days behind")).toMatchObject({ level: "warning" });
  });

  it("strata doctor tells that Node is too old", () => {
    expect(checkRuntime({ node: "18.19.0" }).level).toBe("problem");
    expect(checkRuntime({ node: "20.17.0" }).level).toBe("fine");
    expect(checkRuntime({ node: "24.3.0", bun: "1.3.14" })).toMatchObject({
      what: expect.stringContaining("Bun 1.3.14"),
    });
  });
});

describe("the proof tells", () => {
  const config: Config = structuredClone(defaults);
  const beats: Beat[] = ["config", "turn", "modelWindow", "context", "toolArguments", "event", "compacting"];
  const count = { count: 2, lastMs: 1 };
  const layer = { asked: 4, answered: 1, failed: 0, lastMs: 1 };
  const record = { v: 1, time: "", instance: "", session: "", layer: "" } as const;
  const names = [
    "tool-results",
    "micro-compact",
    "session-memory",
    "full-compact",
    "auto-memory",
    "dream",
    "errors",
    "across-agents",
  ];
  const pulse: PulseRecord = {
    v: 1,
    instance: "a",
    version: "0.1.0",
    startedMs: 1,
    writtenMs: 1,
    hasEnded: true,
    bound: beats,
    hooks: Object.fromEntries(beats.map((beat) => [beat, count])),
    signs: {},
    layers: Object.fromEntries(names.map((name) => [name, layer])),
  };
  const healthy: Evidence = {
    pulse,
    records: [
      ...["spilled", "cleared", "cut"].map((event) => ({ ...record, event })),
      ...["auto-memory", "errors"].map((layer) => ({ ...record, layer, event: "extended" })),
    ],
    hasNotes: true,
    memories: { directive: 1, knowledge: 1 },
    hasDreamt: true,
    played: { sessionID: "s", isCommandFree: true, hasClaimed: true },
  };

  it("the proof tells that everything fired", () => {
    const findings = readEvidence(healthy, config);
    expect(findings.filter(({ level }) => level !== "fine")).toEqual([]);
    expect(findings).toHaveLength(beats.length + 1 + names.length);
  });

  it("the proof tells that the plugin was not loaded", () => {
    expect(readEvidence({ ...healthy, pulse: undefined }, config)).toMatchObject([
      { level: "problem", what: expect.stringContaining("has not loaded the plugin") },
    ]);
  });

  it("the proof tells which hook never fired, and whether it should have", () => {
    const { compacting: _, turn: __, ...hooks } = pulse.hooks;
    const bound = beats.filter((beat) => beat !== "turn");
    const findings = readEvidence({ ...healthy, pulse: { ...pulse, hooks, bound } }, config);
    expect(find(findings, "hook compacting never fired")).toMatchObject({ level: "problem" });
    expect(find(findings, "hook turn never fired: no layer that is on needs it")).toMatchObject({
      level: "note",
    });
  });

  it("the proof tells that a layer has nothing to work on while another is off", () => {
    const off = { ...config, autoMemory: { ...config.autoMemory, enabled: false } };
    const findings = readEvidence({ ...healthy, hasDreamt: false }, off);
    expect(find(findings, "layer dream")).toEqual({
      level: "note",
      what: "layer dream never fired: autoMemory.enabled is false",
    });
  });

  it("the proof tells which layer is off, was never asked, did nothing, or failed and with what", () => {
    const off = { ...config, microCompact: { ...config.microCompact, enabled: false } };
    const { "session-memory": _, ...layers } = pulse.layers;
    const failing = { ...layer, failed: 2, lastFailure: "at hook context: failed: boom" };
    const findings = readEvidence(
      {
        ...healthy,
        records: healthy.records.filter(({ event }) => event !== "cut"),
        hasNotes: false,
        memories: { directive: 1 },
        hasDreamt: false,
        played: { ...healthy.played, hasClaimed: false },
        pulse: { ...pulse, layers: { ...layers, "tool-results": failing, view: failing } },
      },
      off,
    );
    const lines = findings
      .filter(({ what }) => what.startsWith("layer"))
      .map(({ level, what }) => `${level} ${what}`);
    expect(lines).toEqual([
      "problem layer tool-results failed 2 times, last at hook context: failed: boom",
      "note layer micro-compact never fired: microCompact.enabled is false",
      "problem layer session-memory never fired: no hook has reached it",
      "problem layer full-compact was asked 4 times and did nothing",
      "problem layer auto-memory was asked 4 times and did nothing",
      "problem layer dream was asked 4 times and did nothing",
      "fine layer errors fired: 1 × told of an earlier failure",
      "problem layer across-agents was asked 4 times and did nothing",
      "problem layer view failed 2 times, last at hook context: failed: boom",
    ]);
  });
});
