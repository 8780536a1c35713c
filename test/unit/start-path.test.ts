/**
 * What a start loads, counted in files and bytes and not in time. OpenCode waits for it before the first request to a
 * project is answered, in one thread with everything else. What is needed later is loaded when it is needed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { removeFolder } from "../support/remove-folder.js";
import { code, findSource } from "../support/sources.js";

/** Entry, start and the bundler's own few lines. */
const MOST_FILES = 3;
const MOST_BYTES = 480_000;
/** It is read by the thread that draws. */
const MOST_SCREEN_BYTES = 50_000;

const folder = mkdtempSync(join(tmpdir(), "strata-start-"));
afterAll(() => removeFolder(folder));

/** Files that `strata list` runs before it has read a memory, without the layers, whose settings it reads. */
const MOST_LIST_FILES = 40;

/** Names every module that is loaded, on a line of its own. */
const WATCH = `
import { writeSync } from "node:fs";
export async function load(url, context, next) {
  writeSync(1, "loaded " + url + "\\n");
  return next(url, context);
}
`;

/** Imports the built file and does what \`then\` says with it. Files of the package that were loaded. */
function listLoaded(built: string, then = ""): string[] {
  const watch = `data:text/javascript,${encodeURIComponent(WATCH)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(watch)});`;
  const script = join(folder, "script.mjs");
  writeFileSync(
    script,
    `const entry = await import(${JSON.stringify(pathToFileURL(built).href)});\n${then}\nprocess.exit(0);`,
  );
  const args = ["--import", `data:text/javascript,${encodeURIComponent(register)}`, script];
  const out = execFileSync(process.execPath, args, { encoding: "utf8" });
  const urls = [...out.matchAll(/^loaded (file:.*)$/gm)].map(([, url = ""]) => fileURLToPath(url));
  return [...new Set(urls)].filter((path) => path !== script);
}

const sumBytes = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + statSync(path).size, 0);

describe("a start of the plugin", () => {
  const project = join(folder, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  const given = JSON.stringify({
    directory: project,
    worktree: project,
    project: { id: "p", worktree: project },
  });

  it("loads few files and few bytes, all of them built, up to the end of server()", () => {
    const server = `await entry.default.server({ ...${given}, client: {}, serverUrl: new URL("http://localhost:1") });`;
    const loaded = listLoaded(resolve("dist/plugin.js"), server);
    process.stdout.write(`a start loads ${loaded.length} files, ${sumBytes(loaded)} bytes\n`);
    expect(loaded.filter((path) => !path.startsWith(resolve("dist")))).toEqual([]);
    expect(loaded.length).toBeLessThanOrEqual(MOST_FILES);
    expect(sumBytes(loaded)).toBeLessThan(MOST_BYTES);
  });

  it("of the screen half loads its start and nothing of the store, also in a host that gives it nothing to draw with", () => {
    const loaded = listLoaded(resolve("dist/tui.js"), "await entry.default.tui({});");
    process.stdout.write(`the screen half loads ${loaded.length} files, ${sumBytes(loaded)} bytes\n`);
    expect(loaded.map((path) => basename(path)).sort()).toEqual([
      "tui-rolldown-runtime.js",
      "tui-start.js",
      "tui.js",
    ]);
    expect(sumBytes(loaded)).toBeLessThan(MOST_SCREEN_BYTES);
  });

  it("of recall loads one file", () => {
    expect(listLoaded(resolve("dist/recall.js")).map((path) => basename(path))).toEqual(["recall.js"]);
  });
});

describe("strata list", () => {
  /** What a file imports at once, without what is only a type. */
  const importsOf = (path: string): string[] =>
    [...code(path).matchAll(/^import (?!type )([^"]*) from "(\.[^"]+)";/gm)].flatMap(
      ([, names = "", from = ""]) =>
        /^\{(\s*type \w+,?)+\s*\}$/.test(names) ? [] : [findSource(join(dirname(path), from))],
    );

  it("loads what reads memories, and nothing that changes them", () => {
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const imported of importsOf(path)) load(imported);
    };
    load("src/cli/strata.ts");
    for (const lazy of ["operation", "open-memories", "list"]) load(`src/operations/${lazy}.ts`);
    process.stdout.write(`strata list loads ${loaded.size} files\n`);
    expect(loaded.size, [...loaded].join("\n")).toBeLessThanOrEqual(MOST_LIST_FILES);
    expect([...loaded].filter((path) => /\/(changes|candidates|gate|secrets)\/|undo/.test(path))).toEqual([]);
  });
});
