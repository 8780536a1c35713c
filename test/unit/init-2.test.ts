/** `strata init` writes for the OpenCode that is there, and takes back every form. */
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { removeFolder } from "../support/remove-folder.js";
import { runStrata } from "../support/shell.js";

const PATH = "/project/opencode.json";
const GLOBAL = "/home/me/.config/opencode";

/** Folders with an `opencode` that tells its version and can do nothing else. */
const bin: Record<string, string> = {};
beforeAll(() => {
  for (const version of ["1.18.33", "2.0.15"]) {
    const folder = mkdtempSync(join(tmpdir(), "strata-opencode-"));
    writeFileSync(join(folder, "opencode"), `#!/bin/sh\necho "${version}"\n`);
    chmodSync(join(folder, "opencode"), 0o755);
    bin[version] = folder;
  }
});
afterAll(async () => {
  for (const folder of Object.values(bin)) await removeFolder(folder);
});

const open = (world: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({
    "/project/.git/HEAD": "x",
    ...Object.fromEntries(Object.values(bin).map((folder) => [join(folder, "opencode"), ""])),
    ...world,
  });
const init = (files: MemoryFiles, version?: string, flags = "") =>
  runStrata(files, `init ${flags}`, { env: { PATH: version === undefined ? "" : (bin[version] ?? "") } });

describe("strata init and the OpenCode that is there", () => {
  it("init with OpenCode 2 in the PATH writes one entry into plugins, says why, and --remove takes it back", async () => {
    for (const [flags, path] of [
      ["", PATH],
      ["--global", `${GLOBAL}/opencode.json`],
    ] as const) {
      const files = open();
      const { out } = await init(files, "2.0.15", flags);
      expect(out).toContain(
        `For OpenCode 2, which loads both halves by one entry: ${bin["2.0.15"]}/opencode in the PATH is OpenCode 2.0.15.`,
      );
      expect(out).toContain(
        `Created ${path}: "plugins": ["opencode-strata"], the plugin, its sidebar and dialogs`,
      );
      expect(JSON.parse(files.text(path) ?? "")).toEqual({
        $schema: "https://opencode.ai/config.json",
        plugins: ["opencode-strata"],
      });
      for (const name of ["tui.json", "cli.json"])
        for (const folder of ["/project", GLOBAL]) expect(files.text(`${folder}/${name}`)).toBeUndefined();
      expect((await init(files, "2.0.15", flags)).out).toContain("Already configured");
      await init(files, "2.0.15", `${flags} --remove`);
      expect(files.text(path)).toBeUndefined();
    }
  });

  it("init goes by the configuration where no opencode runs, and by the program where one does", async () => {
    for (const key of ["plugins", "providers", "permissions", "agents"]) {
      const text = JSON.stringify({ [key]: [] });
      const files = open({ [PATH]: text });
      const { out } = await init(files);
      expect(out).toContain(
        `For OpenCode 2, which loads both halves by one entry: no working opencode is in the PATH`,
      );
      expect(out).toContain(`${PATH} has OpenCode 2's "${key}"`);
      expect(JSON.parse(files.text(PATH) ?? "")).toEqual({ [key]: [], plugins: ["opencode-strata"] });
      const first = open({ [PATH]: text });
      expect((await init(first, "1.18.33")).out).toContain("For OpenCode 1: ");
      expect(JSON.parse(first.text(PATH) ?? "")).toEqual({ [key]: [], plugin: ["opencode-strata"] });
    }
    expect((await init(open())).out).toContain("no configuration is in OpenCode 2's form");
  });

  it("init never makes a second list: where there is one that OpenCode 2 reads, the entry joins it", async () => {
    for (const [before, after] of [
      ['{"plugin": ["a"]}', '{"plugin": ["a", "opencode-strata"]}'],
      ['{"plugins": ["a"]}', '{"plugins": ["a", "opencode-strata"]}'],
      [
        '{"plugins": [{"package": "a"}], "plugin": []}',
        '{"plugins": [{"package": "a"}, "opencode-strata"], "plugin": []}',
      ],
    ] as const) {
      const files = open({ [PATH]: before });
      await init(files, "2.0.15");
      expect(files.text(PATH)).toBe(after);
    }
  });

  it("init refuses to add what OpenCode 2 would load by another list, and says how OpenCode 1 gets it", async () => {
    const text = '{"plugins": ["opencode-strata"]}';
    const files = open({ [PATH]: text });
    const { code, err } = await init(files, "1.18.33");
    expect([code, files.text(PATH)]).toEqual([3, text]);
    expect(err).toContain('stands in its "plugins" list, which OpenCode 1 does not read');
    expect(err).toContain("Run strata init --remove, then strata init");
    await init(files, "1.18.33", "--remove");
    await init(files, "1.18.33");
    expect(files.text(PATH)).toBe('{"plugin": ["opencode-strata"]}');
  });

  it("init --remove takes the entry from both lists and in every form, whichever OpenCode is there", async () => {
    const options = '{"package": "opencode-strata@0.1.0", "options": {"log": {}}}';
    for (const version of ["1.18.33", "2.0.15"]) {
      const files = open({
        [PATH]: `{"plugin": ["b", ["opencode-strata", {}]], "plugins": [${options}, {"package": "a"}]}`,
        "/project/tui.json": '{"plugin": ["opencode-strata"]}',
        [`${GLOBAL}/cli.json`]: '{"theme": {}, "plugins": ["x", "opencode-strata"]}',
      });
      await init(files, version, "--remove");
      expect(JSON.parse(files.text(PATH) ?? "")).toEqual({ plugin: ["b"], plugins: [{ package: "a" }] });
      expect(files.text("/project/tui.json")).toBe("{}");
      const { out } = await init(files, version, "--global --remove");
      expect(out).toContain(`Removed from ${GLOBAL}/cli.json`);
      expect(files.text(`${GLOBAL}/cli.json`)).toBe('{"theme": {}, "plugins": ["x"]}');
    }
  });
});
