import { describe, expect, it } from "vitest";
import { isSecond } from "../../src/base/tested.js";
import type { Files } from "../../src/io/files.js";
import type { LockState } from "../../src/io/locks.js";
import {
  checkMachine,
  checkRuntime,
  type Finding,
  type Section,
} from "../../src/operations/doctor/machine.js";
import { checkHost, findOpenCode } from "../../src/operations/doctor/opencode.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, systemError } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const CONFIG = `${PROJECT}/opencode.json`;
const FOLDERS = planFolders(PROJECT);

/** What the doctor finds in a project with these files, without OpenCode. */
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

describe("strata doctor on the configuration", () => {
  it("doctor says whether the plugin is loaded once, not at all, or twice", async () => {
    const once = await examine({ [CONFIG]: '{"plugin": ["opencode-strata"]}' });
    expect(find(once, "configured once")).toMatchObject({ level: "fine" });
    const never = await examine({ [CONFIG]: "{}" });
    expect(find(never, "no plugin list names it")).toMatchObject({ level: "problem", todo: "strata init" });
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
  });

  it("doctor counts the same entry in two files once, as OpenCode does", async () => {
    const entry = '{"plugin": ["opencode-strata"]}';
    const findings = await examine({ [CONFIG]: entry, "/home/me/.config/opencode/opencode.json": entry });
    expect(find(findings, "configured once")).toMatchObject({ level: "fine" });
  });

  it("doctor names plugins that conflict over the context, and what to turn off", async () => {
    const plugin = [
      "opencode-strata",
      "@tarquinen/opencode-dcp@latest",
      "oh-my-opencode",
      "@cortexkit/opencode-magic-context",
      "opencode-supermemory",
      "opencode-pty",
    ];
    const findings = await examine({ [CONFIG]: JSON.stringify({ plugin, compaction: { prune: true } }) });
    const conflicts = findings.filter(({ level }) => level === "warning");
    expect(conflicts.map(({ what }) => what.split(" ")[0])).toEqual([
      ...plugin.slice(1, 5),
      "compaction.prune",
    ]);
    for (const { todo } of conflicts) expect(todo).toMatch(/^(remove|turn off)/);
  });

  it("doctor shows which settings differ from the defaults and where they come from, and what is wrong", async () => {
    const findings = await examine({
      "/home/me/.config/opencode/opencode.json":
        '{"memory": {"dream": {"enabled": false}, "toolResults": {"threshold": 9000}}}',
      [CONFIG]: '{"plugin": [["opencode-strata", {"toolResults": {"threshold": 8000}, "colour": 1}]]}',
    });
    expect(find(findings, `toolResults.threshold is 8000, from ${CONFIG}`)).toMatchObject({ level: "note" });
    const users = "dream.enabled is false, from /home/me/.config/opencode/opencode.json";
    expect(find(findings, users)).toMatchObject({ level: "note" });
    expect(find(findings, "colour is not a setting")).toMatchObject({ level: "problem" });
    const places = findings.filter(({ what }) => what.startsWith("settings found in "));
    expect(places.map(({ what }) => what.slice("settings found in ".length))).toEqual([
      "/home/me/.config/opencode/opencode.json, key memory",
      `${CONFIG}, plugin options`,
    ]);
    expect(find(findings, "no settings in")?.what).toContain(`${PROJECT}/opencode.jsonc`);
    expect(find(findings, "defaults for toolResults")?.what).toMatch(/enabled true, .*turnBudget 200000/);
  });
});

describe("strata doctor on the screen's half", () => {
  const entry = '{"plugin": ["opencode-strata"]}';
  const record = "/home/me/.local/state/opencode/plugin-meta.json";

  it("doctor tells which half is configured, and when OpenCode's TUI last loaded the screen's", async () => {
    const half = await examine({ [CONFIG]: entry });
    expect(find(half, "no tui.json names opencode-strata")).toMatchObject({
      level: "note",
      todo: "strata init",
    });
    const path = `${PROJECT}/.opencode/tui.jsonc`;
    const place = `the sidebar is configured, "opencode-strata" in ${path}`;
    const level = async (loaded?: string) => {
      const seen: Record<string, string> = loaded === undefined ? {} : { [record]: loaded };
      return find(await examine({ [CONFIG]: entry, [path]: entry, ...seen }), place)?.level;
    };
    expect(await level()).toBe("note");
    expect(await level(JSON.stringify({ "opencode-strata": { last_time: MORNING }, other: {} }))).toBe(
      "fine",
    );
    expect(await level('{"opencode-strata": {"last_time": "x"}}')).toBe("note");
  });

  it("doctor warns of a sidebar configured twice, and of an archive, of which the TUI loads nothing", async () => {
    const twice = await examine({
      [CONFIG]: entry,
      [`${PROJECT}/tui.json`]: '{"plugin": ["opencode-strata@0.1.0", "opencode-strata"]}',
    });
    expect(find(twice, "the sidebar is configured 2 times")).toMatchObject({ level: "warning" });
    const archive = '{"plugin": ["opencode-strata@file:/x/opencode-strata-0.1.0.tgz"]}';
    const none = await examine({ [CONFIG]: archive, [`${PROJECT}/tui.json`]: archive });
    expect(find(none, "OpenCode's TUI loads nothing")).toMatchObject({ level: "warning" });
  });
});

describe("strata doctor on OpenCode", () => {
  it("doctor says which version was tested, of a newer one what it changes, and of an older one what it needs", () => {
    const look = (version: string) => checkHost({ binary: "/bin/opencode", version });
    const levelsOf = (...versions: string[]) => versions.map((version) => look(version).level);
    expect(levelsOf("1.18.33", "2.0.15")).toEqual(["fine", "fine"]);
    expect(levelsOf("1.18.2", "2.0.3")).toEqual(["warning", "warning"]);
    expect(levelsOf("1.18.35", "1.19.3", "2.0.16", "2.2.7", "3.0.0")).toEqual(Array(5).fill("note"));
    expect(look("2.2.7").what).toMatch(/tested with 2\.0\.15; since 2\.2 .*strictly/);
    const first = /tested with 1\.18\.33, in part with 1\.18\.34; since 1\.19 .*old images/;
    expect(look("1.19.0").what).toMatch(first);
    expect(look("2.0.16").what).toMatch(/tested with 2\.0\.15$/);
    expect(["2.0.0", "2.1.0-beta.3", "3.0.0"].every(isSecond)).toBe(true);
    expect(["1.18.33", "1.19.3"].some(isSecond)).toBe(false);
  });

  it("doctor runs only an OpenCode from the PATH, never a program from the repository", async () => {
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

describe("strata doctor on the machine", () => {
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

  it("doctor names machine state that was set aside as not this machine's", async () => {
    const aside = `${PROJECT}/.opencode/strata/state.foreign-1`;
    const files = createMemoryFiles({ ...world, [`${aside}/leases.json`]: "{}" }, () => MORNING);
    expect(find(await checkMachine(options(files), FOLDERS), aside)).toMatchObject({ level: "note" });
  });

  it("doctor reports a folder that is not writable, and leaves no trace in others", async () => {
    const files = createMemoryFiles(world, () => MORNING);
    const before = [...files.contents.keys()];
    expect((await checkMachine(options(files), FOLDERS)).every(({ level }) => level === "fine")).toBe(true);
    expect([...files.contents.keys()]).toEqual(before);
    const refusing = {
      ...files,
      create: async (path: string) => {
        throw systemError("EACCES", path);
      },
    };
    const findings = await checkMachine(options(refusing), FOLDERS);
    expect(find(findings, "/project/.opencode/strata cannot be written: EACCES")).toMatchObject({
      level: "problem",
    });
  });

  it("doctor tells stale locks from held ones and from those without an owner", async () => {
    const path = `${PROJECT}/.opencode/strata/state/memory/internal/lock`;
    const look = async (lock: LockState) =>
      find(await checkMachine(options(createMemoryFiles({ ...world, [path]: "x" }), lock), FOLDERS), path);
    expect(await look({ kind: "abandoned", token })).toMatchObject({ level: "warning" });
    expect((await look({ kind: "abandoned", token }))?.what).toContain("process 7 on here");
    expect(await look({ kind: "held", token })).toMatchObject({ level: "fine" });
    expect(await look({ kind: "held" })).toMatchObject({ level: "problem" });
  });

  it("doctor warns of a nearly full disk", async () => {
    const findings = await checkMachine(options(createMemoryFiles(world), undefined, 5_000_000), FOLDERS);
    expect(find(findings, "5 MB of disk space are free")).toMatchObject({ level: "warning" });
  });

  it("doctor reports a Node that is too old", () => {
    expect(checkRuntime({ node: "18.19.0" }).level).toBe("problem");
    expect(checkRuntime({ node: "20.17.0" }).level).toBe("fine");
    expect(checkRuntime({ node: "24.3.0", bun: "1.3.14" })).toMatchObject({
      what: expect.stringContaining("Bun 1.3.14"),
    });
  });
});
