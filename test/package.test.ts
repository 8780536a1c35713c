/** The package as it is published. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findTested } from "../src/base/tested.js";
import { code, read, readImports, sources, tracked } from "./support/sources.js";

const BEGAN_WITH = [
  "@opencode-ai/plugin",
  "@opencode-ai/sdk",
  "gpt-tokenizer",
  "p-queue",
  "vitest",
  "write-file-atomic",
  "zod",
];

/** OpenCode's TUI gives these to its plugins at run time. */
const GIVEN_BY_HOST = new Set(["solid-js", "@opentui/solid"]);

describe("the package", () => {
  const manifest = JSON.parse(read("package.json"));

  it("has the version that it says it has", () => {
    expect(read("src/base/version.ts")).toContain(`VERSION = "${manifest.version}"`);
  });

  it("has a file with contents for each script that it names", () => {
    const named = Object.values<string>(manifest.scripts).flatMap(
      (script) => script.match(/\b(?:scripts|test)\/[\w/-]+\.(?:mjs|ts)\b/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => read(path).trim() === "")).toEqual([]);
  });

  it("runs nothing on a user's machine when it is installed, and has no native part", () => {
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
    const lock = JSON.parse(read("package-lock.json")).packages as Record<
      string,
      { dev?: boolean; peer?: boolean }
    >;
    expect(Object.entries(lock).filter(([path, { dev, peer }]) => path !== "" && !dev && !peer)).toEqual([]);
  });

  it("leaves nothing to be installed: what it imports is bundled, and declared for the build", () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(manifest.peerDependenciesMeta).toEqual({ "@opencode-ai/plugin": { optional: true } });
    const imported = sources.flatMap(readImports).filter((name) => !/^(src|layers)\/|^node:/.test(name));
    const names = new Set(imported.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ""));
    const missing = [...names].filter((name) => !GIVEN_BY_HOST.has(name));
    expect(missing.filter((name) => !(name in manifest.devDependencies))).toEqual([]);
  });

  it("is made with the packages that the project began with", () => {
    const imported = new Set(tracked.filter((path) => path.endsWith(".ts")).flatMap(readImports));
    for (const name of BEGAN_WITH) {
      expect(Object.keys(manifest.devDependencies)).toContain(name);
      expect(
        [...imported].some((one) => one === name || one.startsWith(`${name}/`)),
        name,
      ).toBe(true);
    }
  });

  it("ships every prompt that is read, reads every prompt that it ships, and knows in one place where they lie", () => {
    expect(manifest.files).toContain("prompts");
    expect(sources.filter((path) => /prompts\/["$]/.test(code(path)))).toEqual(["src/io/prompts.ts"]);
    const names = sources.flatMap((path) => [...code(path).matchAll(/prompts\.read\("([^"]+)"\)/g)]);
    const shipped = tracked.filter((path) => path.startsWith("prompts/"));
    expect(new Set(names.map(([, name]) => `prompts/${name}.md`))).toEqual(new Set(shipped));
  });

  it("ships every table that it reads, where dist/ looks for it", () => {
    expect(manifest.files).toContain("vectors");
    const read = sources.flatMap((path) => [...code(path).matchAll(/"\.\.\/(vectors\/[\w-]+\.json)"/g)]);
    const shipped = tracked.filter((path) => /^vectors\/.*\.json$/.test(path));
    expect(new Set(read.map(([, name]) => name))).toEqual(new Set(shipped));
  });

  it("exports one object and nothing else: the host calls every exported function as a plugin", async () => {
    const entry = await import(join(process.cwd(), "dist/plugin.js"));
    expect(Object.keys(entry)).toEqual(["default"]);
    expect(entry.default).toEqual({
      id: "opencode-strata",
      server: expect.any(Function),
      setup: expect.any(Function),
    });
  });

  it("has a screen half that both hosts can load, apart from the other: one object must not have both", async () => {
    expect(manifest.exports["./tui"].default).toBe("./dist/tui.js");
    const entry = await import(join(process.cwd(), "dist/tui.js"));
    expect(Object.keys(entry)).toEqual(["default"]);
    expect(entry.default).toEqual({
      id: "opencode-strata",
      tui: expect.any(Function),
      setup: expect.any(Function),
    });
  });

  it("names what the host gives as the host looks for it: OpenCode 1.18.33 rewrites these texts", () => {
    const folder = join(process.cwd(), "dist");
    const parts = readdirSync(folder).filter((name) => /^tui.*\.js$/.test(name));
    const text = parts.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    // Its own expression for dynamic imports.
    const found = [...text.matchAll(/(import\s*\(\s*["'])([^"']+)(["']\s*\))/g)].map(([, , name]) => name);
    expect(found).toEqual(expect.arrayContaining(["solid-js", "@opentui/solid/jsx-runtime"]));
    expect(text.match(/\bsolid-js\b/g)).toHaveLength(1);
  });

  it("names in the README and in docs/opencode-2.md the versions of OpenCode that the tests run", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as {
      devDependencies: Record<string, string>;
    };
    const second = devDependencies["@opencode/cli-linux-x64-baseline"];
    expect(read("README.md")).toContain(`OpenCode ${devDependencies["opencode-ai"]} and`);
    expect([findTested("1.0.0"), findTested("2.0.0")]).toEqual([devDependencies["opencode-ai"], second]);
    for (const page of ["README.md", "docs/opencode-2.md"]) expect(read(page), page).toContain(second);
  });
});
