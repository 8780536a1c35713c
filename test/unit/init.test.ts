import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { planAdd, planRemove } from "../../src/cli/init/edit-plugins.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { runStrata } from "../support/shell.js";

const PATH = "/project/opencode.json";
const open = (text?: string): MemoryFiles =>
  createMemoryFiles({ "/project/.git/HEAD": "x", ...(text !== undefined && { [PATH]: text }) });

/** The text after a command on a project with this one. */
async function after(text: string | undefined, line = "init"): Promise<string | undefined> {
  const files = open(text);
  expect((await runStrata(files, line)).code).toBe(0);
  return files.text(PATH);
}

describe("strata init", () => {
  it("init creates the file if there is none, and otherwise adds to it", async () => {
    const made = await after(undefined);
    expect(made).toBe(
      '{\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["opencode-strata"]\n}\n',
    );
    expect(await after("")).toBe(made);
    expect(await after('{ "plugin": ["other"] }')).toBe('{ "plugin": ["other", "opencode-strata"] }');
    expect(await after("{}")).toBe('{"plugin": ["opencode-strata"]}');
  });

  it("init keeps comments, order, tabs, line ends, trailing commas and other settings", async () => {
    const text =
      '{\r\n\t// mine\r\n\t"model": "a/b", // and why\r\n\t"plugin": [\r\n\t\t"first", // the first\r\n\t\t["second", { "x": 1 }], /* and last */\r\n\t],\r\n\t"z": 1,\r\n}\r\n';
    const added = await after(text);
    expect(added).toBe(text.replace("/* and last */", '/* and last */\r\n\t\t"opencode-strata",'));
    expect(await after(added, "init --remove")).toBe(text);
  });

  it("init recognises the plugin with a version, with options, as a folder, and in the global file", async () => {
    const { version: _, ...folder } = {
      version: 1,
      "/lib/strata/package.json": '{"name":"opencode-strata"}',
    };
    for (const entry of [
      '"opencode-strata@0.1.0"',
      '["opencode-strata", {"log": {}}]',
      '"/lib/strata"',
      '"file:///lib/strata"',
    ]) {
      const text = `{"plugin": [${entry}]}`;
      const files = createMemoryFiles({ ...folder, "/project/.git/HEAD": "x", [PATH]: text });
      expect((await runStrata(files, "init")).out).toContain("Already configured");
      expect(files.text(PATH)).toBe(text);
      expect((await runStrata(files, "init --remove")).out).toContain(`Removed from ${PATH}`);
      expect(files.text(PATH)).toBe("{}");
    }
    const files = open();
    await runStrata(files, "init --global");
    expect(files.text("/home/me/.config/opencode/opencode.json")).toContain("opencode-strata");
    expect((await runStrata(files, "init")).out).toContain("in /home/me/.config/opencode/opencode.json");
    expect(files.text(PATH)).toBeUndefined();
    await runStrata(files, "init --global --remove");
    expect(files.text("/home/me/.config/opencode/opencode.json")).toBeUndefined();
  });

  it("init prefers an existing file with a plugin list, also from a subfolder of the repository", async () => {
    const files = createMemoryFiles({
      "/project/.git/HEAD": "x",
      "/project/opencode.json": "{}",
      "/project/.opencode/opencode.jsonc": '{"plugin": ["a"]}',
    });
    await runStrata(files, "init", { folder: "/project/src/deep" });
    expect(files.text("/project/.opencode/opencode.jsonc")).toBe('{"plugin": ["a", "opencode-strata"]}');
    expect(files.text("/project/opencode.json")).toBe("{}");
  });

  it("init leaves an invalid file untouched, says where it is invalid, and exits with 3", async () => {
    for (const [text, what] of [
      ['{\n  "model": "a",\n  oops\n}', "line 3, column 3: invalid symbol"],
      ["[1]", "the top level must be an object"],
      ['{\n"plugin": "one"}', "line 2: plugin must be a list"],
      ['{"plugin": ["a"', "line 1, column 16: close bracket expected"],
    ] as const) {
      const files = open(text);
      const { code, err } = await runStrata(files, "init");
      expect([code, files.text(PATH)]).toEqual([3, text]);
      expect(err).toContain(`${PATH} was not changed: ${what}`);
    }
  });

  it("init adds the project's own installed copy by its path relative to the file", async () => {
    for (const [path, spec] of [
      [PATH, "./node_modules/opencode-strata"],
      ["/project/.opencode/opencode.json", "../node_modules/opencode-strata"],
    ] as const) {
      const manifest = "/project/node_modules/opencode-strata/package.json";
      const files = createMemoryFiles({
        "/project/.git/HEAD": "x",
        [manifest]: '{"name":"opencode-strata"}',
        [path]: "{}",
      });
      await runStrata(files, "init");
      expect(parse(files.text(path) ?? "").plugin).toEqual([spec]);
      expect((await runStrata(files, "init")).out).toContain("Already configured");
    }
  });

  it("init adds the folder that strata runs from if that is a checkout: OpenCode could not load the bare name", async () => {
    const packageFolder = "/home/me/strata";
    for (const flags of ["", " --global"]) {
      const files = open("{}");
      const { out } = await runStrata(files, `init${flags}`, { packageFolder });
      expect(out).toContain(`"plugin": ["${packageFolder}"]`);
    }
  });
});

describe("strata init on the screen's half", () => {
  const SCREEN = "/project/tui.json";
  const only = (spec: string, schema: string): string =>
    `{\n  "$schema": "https://opencode.ai/${schema}.json",\n  "plugin": ["${spec}"]\n}\n`;

  it("init adds the half that is missing, with the other's package or folder, whatever file that is in", async () => {
    for (const [path, spec, screenPath, screenSpec] of [
      [PATH, "opencode-strata@0.1.0", SCREEN, "opencode-strata@0.1.0"],
      [PATH, "./lib/strata", SCREEN, "./lib/strata"],
      ["/project/.opencode/opencode.json", "../lib/strata", "/project/.opencode/tui.json", "../lib/strata"],
      ["/home/me/.config/opencode/opencode.json", "/project/lib/strata", SCREEN, "/project/lib/strata"],
      [PATH, "./lib/strata/dist/plugin.js", SCREEN, "opencode-strata"],
      [PATH, "opencode-strata@file:/x/opencode-strata-0.1.0.tgz", SCREEN, "opencode-strata"],
    ] as const) {
      const files = createMemoryFiles({
        "/project/.git/HEAD": "x",
        "/project/lib/strata/package.json": '{"name":"opencode-strata"}',
        "/project/lib/strata/dist/plugin.js": "",
        [path]: `{"plugin": [["${spec}", {"log": {}}]]}`,
      });
      await runStrata(files, "init");
      expect(files.text(path)).toBe(`{"plugin": [["${spec}", {"log": {}}]]}`);
      expect(files.text(screenPath), spec).toBe(only(screenSpec, "tui"));
    }
  });

  it("init --remove takes out both entries, keeps everything else, and deletes a file that had nothing else in it", async () => {
    const text =
      '{\n  // my keys\n  "keybinds": { "leader": "ctrl+o" }, // and why\n  "plugin": ["other"],\n}\n';
    const files = createMemoryFiles({ "/project/.git/HEAD": "x", [SCREEN]: text });
    await runStrata(files, "init");
    expect(files.text(SCREEN)).toBe(text.replace('"other"', '"other", "opencode-strata"'));
    const { code, out } = await runStrata(files, "init --remove");
    expect([code, files.text(SCREEN), files.text(PATH)]).toEqual([0, text, undefined]);
    expect(out).toContain(`Removed from ${SCREEN}`);
    expect(out).toContain(`Removed ${PATH}, which had nothing else in it`);
  });

  it("init writes neither file if one of them is invalid, and says which", async () => {
    for (const line of ["init", "init --remove"]) {
      const plugins = '{"plugin": ["opencode-strata"]}';
      const files = createMemoryFiles({
        "/project/.git/HEAD": "x",
        ...(line === "init" ? {} : { [PATH]: plugins }),
        [SCREEN]: '{"plugin": ["opencode-strata"',
      });
      const { code, err } = await runStrata(files, line);
      expect([code, files.text(PATH)]).toEqual([3, line === "init" ? undefined : plugins]);
      expect(err).toContain(`${SCREEN} was not changed: line 1`);
    }
  });
});

describe("the edit, of any configuration with comments", () => {
  const gap = fc.constantFrom("", " ", "\n  ", " // said\n\t", " /* [,] */ ");
  const entry = fc.constantFrom('"a"', '"b@1"', '{"package": "c", "options": {"k": [1, "opencode-strata"]}}');
  const list = fc
    .tuple(fc.array(fc.tuple(gap, entry, gap), { maxLength: 3 }), fc.boolean(), gap)
    .map(([entries, trails, end]) => {
      const members = entries.map((parts) => parts.join("")).join(",");
      return `[${members}${trails && entries.length > 0 ? "," : ""}${end}]`;
    });
  const document = fc
    .tuple(
      fc.constantFrom("plugin" as const, "plugins" as const),
      gap,
      fc.option(list),
      gap,
      fc.boolean(),
      gap,
    )
    .map(([name, a, plugins, b, trails, c]) => {
      const members = ['"x": {"plugin": ["no"]}', ...(plugins === null ? [] : [`"${name}":${b}${plugins}`])];
      return { name, text: `${a}{${members.join(`,${c}`)}${trails ? "," : ""}${b}}${c}` };
    });

  it("planAdd adds one entry at the end, keeps every comment and other value, and can be reverted", () => {
    fc.assert(
      fc.property(document, ({ name, text }) => {
        const addition = {
          spec: "opencode-strata",
          list: name,
          schema: "https://opencode.ai/config.json",
        };
        const added = planAdd(text, addition);
        if (added.kind !== "edited") throw new Error(`${added.kind}: ${text}`);
        const before = parse(text, [], { allowTrailingComma: true });
        const now = parse(added.text, [], { allowTrailingComma: true });
        expect(now).toEqual({ ...before, [name]: [...(before[name] ?? []), "opencode-strata"] });
        expect(countComments(added.text)).toBe(countComments(text));
        expect(planAdd(added.text, addition).kind).toBe("unchanged");
        const removed = planRemove(added.text, (spec) => spec === "opencode-strata");
        if (removed.kind !== "edited") throw new Error(removed.kind);
        const after = parse(removed.text, [], { allowTrailingComma: true });
        const { [name]: list = [], ...rest } = before;
        expect({ [name]: [], ...after }).toEqual({ ...rest, [name]: list });
        expect(countComments(removed.text)).toBe(countComments(text));
      }),
    );
  });

  it("planRemove removes any entry and keeps the others with their comments", () => {
    fc.assert(
      fc.property(document, fc.constantFrom("a", "b@1", "c"), ({ name, text }, spec) => {
        const removed = planRemove(text, (one) => one === spec);
        const before = parse(text, [], { allowTrailingComma: true });
        const isIt = (one: unknown) =>
          (typeof one === "string" ? one : (one as { package: string }).package) === spec;
        if (!before[name]?.some(isIt)) {
          expect(removed.kind).toBe("unchanged");
          return;
        }
        if (removed.kind !== "edited") throw new Error(removed.kind);
        expect(parse(removed.text, [], { allowTrailingComma: true })[name] ?? []).toEqual(
          before[name].filter((one: unknown) => !isIt(one)),
        );
        expect(countComments(removed.text)).toBe(countComments(text));
      }),
    );
  });

  const countComments = (text: string) => text.match(/\/\/ said|\/\* \[,\] \*\//g)?.length ?? 0;
});
