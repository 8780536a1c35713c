import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSteps } from "../../src/cli/doctor/configuration.js";
import { checkLoaded, checkVersions, findConfigured, readOnDisk } from "../../src/cli/doctor/installed.js";
import { findName, type PluginEntry, readPluginEntries } from "../../src/config/plugin-entries.js";
import { createStyle } from "../../src/operations/command.js";
import { fine, formatSections, note, problem, warning } from "../../src/operations/doctor/machine.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";

const HOME = "/home/me";
const file = `${PROJECT}/opencode.json`;
const entry = (spec: string, name = "opencode-strata"): PluginEntry => ({
  ...{ file, origin: "project", spec, name },
  list: "plugin",
});
const look = (
  spec: string,
  world: Record<string, string>,
  env: Record<string, string> = {},
  isSecond = false,
) => {
  const configured = findConfigured([entry(spec)], []);
  if (!configured) throw new Error("not configured");
  return readOnDisk({ env, home: HOME, files: createMemoryFiles(world) }, configured, isSecond);
};

describe("the configured plugin", () => {
  it("findConfigured returns the last entry with an absolute path, or a file that OpenCode loads by itself", () => {
    const other = entry("opencode-pty", "opencode-pty");
    expect(findConfigured([entry("opencode-strata@1.0.0"), entry("./strata"), other], [])).toEqual({
      spec: `${PROJECT}/strata`,
      place: `"./strata" in ${file}`,
      isPackage: false,
    });
    expect(findConfigured([entry("opencode-strata@1.0.0")], ["/x/mine.js"])).toMatchObject({
      spec: "opencode-strata@1.0.0",
      isPackage: true,
    });
    expect(findConfigured([other], ["/x/mine.js"])).toMatchObject({ spec: "/x/mine.js", isPackage: false });
    expect(findConfigured([other], [])).toBeUndefined();
  });

  it("an archive is installed if its spec begins with `file:/`, and a path that cannot be loaded with `file://`", async () => {
    const archive = "/x/opencode-strata-0.1.0.tgz";
    const specs = [archive, `file://${archive}`, `file:${archive}`, `opencode-strata@file:${archive}`];
    expect(await findName(createMemoryFiles({}), "file:./opencode-strata-0.1.0.tgz", PROJECT)).toBe(
      "opencode-strata",
    );
    const files = createMemoryFiles({ [file]: JSON.stringify({ plugin: specs }) });
    const entries = await readPluginEntries(files, [{ path: file, origin: "project" }]);
    expect(entries.map(({ name }) => name)).toEqual(specs.map(() => "opencode-strata"));
    expect(entries.map((one) => findConfigured([one], [])?.isPackage)).toEqual([false, false, true, true]);
    for (const [index, spec] of specs.entries()) {
      const { fault } = await look(spec, { [archive]: "" });
      if (index < 2) expect(fault?.todo).toContain(`opencode-strata@file:${archive}`);
      else expect(fault).toBeUndefined();
    }
  });

  it("readOnDisk finds what OpenCode 2 has installed: the newest folder of the spec", async () => {
    for (const spec of ["opencode-strata", "file:/x/opencode-strata-0.1.0.tgz"]) {
      const cached = `${HOME}/.cache/opencode/npm/${spec === "opencode-strata" ? `${spec}@latest` : spec}`;
      const at = (time: string) => `${cached}/${time}/node_modules/opencode-strata`;
      const manifest = (version: string) => JSON.stringify({ name: "opencode-strata", version });
      const world = {
        [`${at("999")}/package.json`]: manifest("0.0.6"),
        [`${at("1795646215858")}/package.json`]: manifest("0.0.7"),
        [`${at(".staging-1795646215859-x")}/package.json`]: manifest("0.0.8"),
      };
      const found = { cached, folder: at("1795646215858"), version: "0.0.7" };
      expect(await look(spec, world, {}, true)).toEqual(found);
      expect((await look(spec, world)).cached).toBeUndefined();
    }
  });

  it("readOnDisk finds what OpenCode has installed for exactly this spec", async () => {
    const packages = (top: string) => ({
      [`${top}/opencode/packages/opencode-strata@latest/package-lock.json`]: "{}",
      [`${top}/opencode/packages/opencode-strata@latest/node_modules/opencode-strata/package.json`]:
        '{"name": "opencode-strata", "version": "0.0.7"}',
    });
    const cached = `${HOME}/.cache/opencode/packages/opencode-strata@latest`;
    const found = { cached, folder: `${cached}/node_modules/opencode-strata`, version: "0.0.7" };
    const world = packages(`${HOME}/.cache`);
    expect(await look("opencode-strata", world)).toEqual(found);
    expect(await look("opencode-strata@latest", world)).toEqual(found);
    expect(await look("opencode-strata@0.0.7", world)).toEqual({});
    expect(await look("opencode-strata", packages("/caches"), { XDG_CACHE_HOME: "/caches" })).toMatchObject({
      version: "0.0.7",
    });
    const emptied = await look("opencode-strata", { [`${cached}/package-lock.json`]: "{}" });
    expect(emptied.fault).toMatchObject({
      level: "problem",
      todo: expect.stringContaining(`delete ${cached}`),
    });
  });

  it("readOnDisk reports what OpenCode 2 passes over: a file, and a folder without an entry in itself", async () => {
    const folder = `${PROJECT}/strata`;
    const world = {
      [`${folder}/dist/plugin.js`]: "",
      [`${folder}/package.json`]: '{"main": "./dist/plugin.js"}',
    };
    const faultOf = async (spec: string, more: Record<string, string> = {}, isSecond = true) =>
      (await look(spec, { ...world, ...more }, {}, isSecond)).fault?.what;
    expect(await faultOf("./strata")).toContain("neither server.js nor index.js");
    expect(await faultOf("./strata/dist/plugin.js")).toContain("OpenCode 2 loads folders only");
    expect(await faultOf("./strata", { [`${folder}/server.js`]: "" })).toBeUndefined();
    expect(await faultOf("./strata", { [`${folder}/index.mts`]: "" })).toBeUndefined();
    expect(await faultOf("./strata", {}, false)).toBeUndefined();
  });

  it("readOnDisk reports a configured folder that is missing or not built", async () => {
    const manifest = '{"name": "opencode-strata", "version": "0.2.0", "main": "./dist/plugin.js"}';
    const unbuilt = { [`${PROJECT}/strata/package.json`]: manifest };
    expect((await look("./strata", {})).fault?.what).toContain(`${PROJECT}/strata does not exist`);
    expect(await look("./strata", unbuilt)).toMatchObject({
      version: "0.2.0",
      fault: { level: "problem", what: expect.stringContaining("it was not built") },
    });
    const built = { ...unbuilt, [`${PROJECT}/strata/dist/plugin.js`]: "" };
    const found = { folder: `${PROJECT}/strata`, version: "0.2.0" };
    expect(await look("./strata", built)).toEqual(found);
  });

  it("doctor does not call the plugin unconfigured while a configuration file cannot be read", async () => {
    const { out } = await runStrata(createMemoryFiles({ [file]: '{"plugin": ["opencode-strata"' }), "doctor");
    expect(out.split("\n")[0]).toMatch(/^problem {2}\S+opencode\.json cannot be read/);
    expect(out).not.toContain("is not configured");
  });
});

describe("versions", () => {
  const configured = { spec: "opencode-strata", place: "x", isPackage: true };
  const compare = (own: string, onDisk: object, proved?: string) =>
    checkVersions({ configured, onDisk, own, proved });

  it("checkVersions is fine if command line, disk and loaded plugin have the same version", () => {
    expect(compare("1.0.0", { folder: "/a", version: "1.0.0" }, "1.0.0")).toMatchObject([{ level: "fine" }]);
    expect(compare("1.0.0", {})).toEqual([]);
  });

  it("checkVersions warns if OpenCode loads another version than the command line's, and says how to update it", () => {
    const [old] = compare("1.0.0", { folder: "/c/node_modules/x", version: "0.9.0", cached: "/c" }, "0.9.0");
    expect(old).toMatchObject({ level: "warning", todo: expect.stringContaining("delete /c") });
    expect(old?.what).toContain("OpenCode loads opencode-strata 0.9.0");
    expect(old?.what).toContain("this command line is 1.0.0");
  });

  it("checkVersions warns if the build is older than its package.json", () => {
    const [stale] = compare("1.1.0", { folder: "/a", version: "1.1.0" }, "1.0.0");
    expect(stale).toMatchObject({ level: "warning", todo: "run npm run build in /a" });
    expect(stale?.what).toContain("runs opencode-strata 1.0.0, but the package.json in /a says 1.1.0");
  });
});

describe("the last time that OpenCode loaded the plugin", () => {
  const calls = (version: string, startedMs: number, more: object = {}) =>
    JSON.stringify({
      ...{ v: 1, instance: "a", version, startedMs, writtenMs: startedMs, hasEnded: true },
      ...{ bound: [], hooks: {}, signs: {}, layers: {}, ...more },
    });
  const callRecords = `${PROJECT}/.opencode/strata/state/calls`;
  const when = (world: Record<string, string>, version?: string) =>
    checkLoaded(
      { clock: createFakeClock(), files: createMemoryFiles(world, () => MORNING) },
      planFolders(PROJECT),
      version,
    );

  it("checkLoaded says if OpenCode has never loaded the plugin, or not since the last log entry", async () => {
    expect(await when({}, "1.0.0")).toMatchObject({
      level: "note",
      what: `OpenCode has not loaded opencode-strata in ${PROJECT} yet`,
    });
    const log = { [`${PROJECT}/.opencode/strata/strata.log`]: "x", [`${callRecords}/torn.json`]: "{" };
    expect((await when(log, "1.0.0")).what).toMatch(/ since \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  });

  it("checkLoaded tells the configured version from another one that ran last or still runs", async () => {
    const earlier = { [`${callRecords}/a.json`]: calls("0.8.0", MORNING - 9_000_000) };
    const last = (more: object = {}) => ({
      ...earlier,
      [`${callRecords}/b.json`]: calls("0.9.0", MORNING - 60_000, more),
    });
    expect(await when(last(), "0.9.0")).toMatchObject({ level: "fine" });
    const ended = await when(last(), "1.0.0");
    expect(ended.level).toBe("note");
    expect(ended.what).toMatch(/last loaded opencode-strata 0\.9\.0 .*, but not yet 1\.0\.0/);
    expect(await when(last({ hasEnded: false }), "1.0.0")).toMatchObject({
      level: "warning",
      todo: expect.stringContaining("restart OpenCode"),
    });
  });
});

describe("the doctor's output", () => {
  it("the report lists problems first and what is fine last", () => {
    const sections = [
      { title: "One", findings: [fine("a"), note("b"), problem("c", "do it")] },
      { title: "Two", findings: [warning("d"), problem("e"), fine("f")] },
    ];
    expect(formatSections(sections, createStyle(false)).split("\n")).toEqual([
      ...[
        "problem  c",
        "         → do it",
        "problem  e",
        "warning  d",
        "note     b",
        "ok       a",
        "ok       f",
      ],
      ...["", "3 things need attention."],
    ]);
  });

  it("the steps of the proof are printed on a terminal only", () => {
    const said: string[] = [];
    const clock = createFakeClock();
    const world = { clock, style: createStyle(false), warn: (text: string) => void said.push(text) };
    createSteps(world)("OpenCode starts");
    expect(said).toEqual([]);
    const step = createSteps({ ...world, draw: () => {} });
    step("OpenCode starts");
    clock.advance(12_000);
    step("results are read");
    expect(said).toEqual(["   0 s  OpenCode starts …", "  12 s  results are read …"]);
  });
});

describe("what OpenCode 2 loads without an entry, removes, or passes over without a word", () => {
  const manifest = '{"name": "opencode-strata", "version": "0.1.0", "main": "./dist/plugin.js"}';
  const bin = mkdtempSync(join(tmpdir(), "strata-opencode-"));
  afterAll(() => removeFolder(bin));
  const doctor = async (world: Record<string, string>) => {
    writeFileSync(join(bin, "opencode"), "#!/bin/sh\necho 2.0.15\n", { mode: 0o755 });
    const files = createMemoryFiles({ [join(bin, "opencode")]: "", ...world });
    return (await runStrata(files, "doctor --no-proof", { env: { PATH: bin } })).out;
  };
  const folder = `${PROJECT}/.opencode/plugins/strata`;
  const built = { [`${folder}/package.json`]: manifest, [`${folder}/dist/plugin.js`]: "" };

  it("doctor counts a folder in .opencode/plugins, and says if it has no entry of its own", async () => {
    expect(await doctor(built)).toContain(`${folder} has neither server.js nor index.js`);
    const whole = { ...built, [`${folder}/server.js`]: "" };
    expect(await doctor(whole)).toContain(`opencode-strata is configured once: ${folder}`);
    const twice = { ...whole, [`${PROJECT}/opencode.json`]: '{"plugins": ["opencode-strata"]}' };
    expect(await doctor(twice)).toContain("opencode-strata is loaded 2 times");
  });

  it("doctor names a later entry that removes the plugin, and nothing is wrong with an earlier one", async () => {
    const whole = { ...built, [`${folder}/server.js`]: "" };
    const config = (path: string, ...plugins: string[]) => ({
      [`${PROJECT}/${path}`]: JSON.stringify({ plugins }),
    });
    const removed = [
      { ...whole, ...config("opencode.json", "-opencode-strata") },
      config("opencode.json", "opencode-strata", "-*"),
      {
        ...config("opencode.json", "opencode-strata"),
        ...config(".opencode/opencode.json", "-opencode-strata"),
      },
    ];
    for (const world of removed) {
      const out = await doctor(world);
      expect(out).toMatch(/^problem {2}"-\S+" in \S+ removes opencode-strata, so OpenCode 2 does not load /);
      expect(out).not.toMatch(/configured once|not installed yet/);
    }
    for (const first of ["-opencode-strata", "-opencode-pty"])
      expect(await doctor(config("opencode.json", first, "opencode-strata"))).toContain("configured once");
    expect(await doctor(config("opencode.json", "opencode-strata", "-opencode-pty"))).toContain(
      "configured once",
    );
  });

  it("doctor names an entry of cli.json that shows nothing", async () => {
    const out = await doctor({
      "/lib/opencode-strata/package.json": manifest,
      "/home/me/.config/opencode/cli.json": '{"plugins": ["/lib/opencode-strata"]}',
      [`${PROJECT}/opencode.json`]: '{"plugins": ["opencode-strata"]}',
    });
    expect(out).toContain('"/lib/opencode-strata" in /home/me/.config/opencode/cli.json has no tui.js');
  });
});
