import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type PluginEntry, readPluginEntries } from "../../src/config/plugin-entries.js";
import { plainStyle } from "../../src/operations/command.js";
import {
  checkLoaded,
  checkVersions,
  findConfigured,
  readOnDisk,
} from "../../src/operations/doctor/installed.js";
import { fine, formatSections, note, problem, warning } from "../../src/operations/doctor/machine.js";
import { planFolders } from "../../src/project/folders.js";
import { MORNING } from "../support/fake-clock.js";
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
    expect(findConfigured([entry("opencode-strata@1.0.0")], ["/x/mine.js"])?.isPackage).toBe(true);
    expect(findConfigured([other], ["/x/mine.js"])).toMatchObject({ spec: "/x/mine.js", isPackage: false });
    expect(findConfigured([other], [])).toBeUndefined();
  });

  it("an archive is installed if its spec begins with `file:/`, and a path that cannot be loaded with `file://`", async () => {
    const archive = "/x/opencode-strata-0.1.0.tgz";
    const specs = [archive, `file://${archive}`, `file:${archive}`, `opencode-strata@file:${archive}`];
    const files = createMemoryFiles({ [file]: JSON.stringify({ plugin: specs }) });
    const entries = await readPluginEntries(files, [{ path: file, origin: "project" }]);
    expect(entries.map(({ name }) => name)).toEqual(specs.map(() => "opencode-strata"));
    expect(entries.map((one) => findConfigured([one], [])?.isPackage)).toEqual([false, false, true, true]);
    const todo = `write it as "opencode-strata@file:${archive}"`;
    for (const [n, spec] of specs.entries())
      expect((await look(spec, { [archive]: "" })).fault?.todo).toBe(n < 2 ? todo : undefined);
  });

  const manifest = '{"name": "opencode-strata", "version": "0.0.7", "main": "./dist/plugin.js"}';
  const caches = (top: string) => `${top}/opencode/packages/opencode-strata@latest`;
  const cached = caches(`${HOME}/.cache`);
  const inside = "node_modules/opencode-strata";
  const installed = (top: string) => ({
    [`${caches(top)}/package-lock.json`]: "{}",
    [`${caches(top)}/${inside}/package.json`]: manifest,
  });
  const npm = `${HOME}/.cache/opencode/npm/opencode-strata@latest`;
  const folder = `${PROJECT}/strata`;
  const unbuilt = { [`${folder}/package.json`]: manifest };
  const built = { ...unbuilt, [`${folder}/dist/plugin.js`]: "" };

  it.each<[what: string, spec: string, world: Record<string, string>, isSecond: boolean, expected: object]>([
    [
      "what OpenCode 2 has installed: the newest folder of the spec",
      "opencode-strata",
      {
        [`${npm}/999/${inside}/package.json`]: '{"version": "0.0.6"}',
        [`${npm}/1795646215858/${inside}/package.json`]: manifest,
        [`${npm}/.staging-1795646215859-x/${inside}/package.json`]: '{"version": "0.0.8"}',
      },
      true,
      { cached: npm, folder: `${npm}/1795646215858/${inside}`, version: "0.0.7" },
    ],
    [
      "what OpenCode 1 has installed for this spec",
      "opencode-strata@latest",
      installed(`${HOME}/.cache`),
      false,
      { cached, folder: `${cached}/${inside}`, version: "0.0.7" },
    ],
    ["nothing for another spec", "opencode-strata@0.0.7", installed(`${HOME}/.cache`), false, {}],
    [
      "that an installed package is gone",
      "opencode-strata",
      { [`${cached}/package-lock.json`]: "{}" },
      false,
      { fault: { level: "problem", todo: expect.stringContaining(`delete ${cached}`) } },
    ],
    [
      "a missing folder",
      "./strata",
      {},
      false,
      { fault: { what: expect.stringContaining("does not exist") } },
    ],
    [
      "a folder that was not built",
      "./strata",
      unbuilt,
      false,
      { version: "0.0.7", fault: { what: expect.stringContaining("it was not built") } },
    ],
    ["a folder", "./strata", built, false, { folder, version: "0.0.7" }],
    [
      "a folder without an entry for OpenCode 2",
      "./strata",
      built,
      true,
      { fault: { what: expect.stringContaining("neither server.js nor index.js") } },
    ],
    ["one with an entry", "./strata", { ...built, [`${folder}/index.mts`]: "" }, true, { folder }],
    [
      "a file in OpenCode 2",
      "./strata/dist/plugin.js",
      built,
      true,
      { fault: { what: expect.stringContaining("loads folders only") } },
    ],
  ])("readOnDisk finds %s", async (_, spec, world, isSecond, expected) => {
    const found = await look(spec, world, {}, isSecond);
    expect(found).toMatchObject(expected);
    if (!("fault" in expected)) expect(found.fault).toBeUndefined();
  });
});

describe("versions", () => {
  const configured = { spec: "opencode-strata", place: "x", isPackage: true };

  it.each<[own: string, onDisk: object, proved: string | undefined, expected: object[]]>([
    ["1.0.0", { folder: "/a", version: "1.0.0" }, "1.0.0", [{ level: "fine" }]],
    ["1.0.0", {}, undefined, []],
    [
      "1.0.0",
      { folder: "/c/node_modules/x", version: "0.9.0", cached: "/c" },
      "0.9.0",
      [
        {
          level: "warning",
          what: expect.stringMatching(/loads opencode-strata 0\.9\.0 .*this command line is 1\.0\.0/),
          todo: expect.stringContaining("delete /c"),
        },
      ],
    ],
    [
      "1.1.0",
      { folder: "/a", version: "1.1.0" },
      "1.0.0",
      [{ level: "warning", what: expect.stringContaining("says 1.1.0"), todo: "run npm run build in /a" }],
    ],
  ])("checkVersions compares %s, %j and %s", (own, onDisk, proved, expected) => {
    expect(checkVersions(configured, onDisk, { own, proved })).toMatchObject(expected);
  });
});

describe("the last time that OpenCode loaded the plugin", () => {
  const calls = (version: string, startedMs: number) =>
    JSON.stringify({
      ...{ v: 1, instance: "a", version, startedMs, writtenMs: startedMs, hasEnded: true },
      ...{ bound: [], hooks: {}, signs: {}, layers: {} },
    });
  const callRecords = `${PROJECT}/.opencode/strata/state/calls`;
  const when = (world: Record<string, string>, version?: string) =>
    checkLoaded(createMemoryFiles(world), planFolders(PROJECT), version);

  it("checkLoaded says if OpenCode has not loaded the plugin, and tells the configured version from the last one", async () => {
    expect(await when({ [`${callRecords}/torn.json`]: "{" }, "1.0.0")).toMatchObject({
      level: "note",
      what: `OpenCode has not loaded opencode-strata in ${PROJECT} within a week`,
    });
    const last = {
      [`${callRecords}/a.json`]: calls("0.8.0", MORNING - 9_000_000),
      [`${callRecords}/b.json`]: calls("0.9.0", MORNING - 60_000),
    };
    expect(await when(last, "0.9.0")).toMatchObject({ level: "fine" });
    expect(await when(last, "1.0.0")).toMatchObject({
      level: "note",
      what: expect.stringMatching(/last loaded opencode-strata 0\.9\.0 .*, but not yet 1\.0\.0/),
    });
  });
});

describe("the doctor's output", () => {
  it("the report lists problems first and what is fine last", () => {
    const sections = [
      { title: "One", findings: [fine("a"), note("b"), problem("c", "do it")] },
      { title: "Two", findings: [warning("d"), problem("e"), fine("f")] },
    ];
    expect(formatSections(sections, plainStyle).split("\n")).toEqual([
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
});
