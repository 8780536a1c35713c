/** The package as people get it: packed, installed into an empty project, set up by its own command, loaded by OpenCode. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sources } from "./repository.js";
import { runOpenCode } from "./stage/opencode.js";
import { createProject, type Project } from "./stage/project.js";
import { startScriptedModel } from "./stage/scripted-model.js";
import { call, say } from "./stage/steps.js";

/** Of all but the table; 530,000 of them are SQLite for Node, 290,000 pictures of the documents. */
const MOST_PACKED_BYTES = 2_600_000;
/** Bytes that stand for meaning can hardly be packed: 20,000 words of 100 bytes. */
const MOST_TABLE_BYTES = 2_100_000;
const MOST_INSTALLED_BYTES = 12_000_000;

/** Of these much has to be in it, or they are not used any more; the licence of each is. */
const BUNDLED = [
  ...["@hono/node-server", "@modelcontextprotocol/sdk", "hono", "p-queue", "preact", "prom-client"],
  ...["write-file-atomic", "zod"],
];
/** Imported only by code that never runs; see `scripts/build.mjs`. */
const LEFT_OUT = ["ajv", "ajv-formats", "@opentelemetry/api", "tdigest"];

/** What a program can say about the plugin; the settings are those of the schema, in both directions. */
const OPTIONS_USER = `
import plugin, { type StrataOptions } from "opencode-strata";
import screen from "opencode-strata/tui";
import type { StrataOptions as Schema } from "SOURCES/src/config/schema.ts";
const options: StrataOptions = { toolResults: { threshold: 20_000, perTool: { read: false } }, log: { level: "debug" } };
const given: Schema = options;
const taken: StrataOptions = given;
// @ts-expect-error
const wrong: StrataOptions = { toolResults: { threshold: "30kb" } };
export const all: [string, string, StrataOptions, StrataOptions] = [plugin.id, screen.id, taken, wrong];
`;

/** What somebody writes who uses recall on its own. */
const RECALL_USER = `
import { createRecall, type Recall, type RecallEntry, type RecallHit } from "opencode-strata/recall";
const recall: Recall = createRecall();
const entry: RecallEntry = { id: "d1", title: "Port of the dev server", text: "We moved it to 8080, see !12." };
recall.add(entry);
recall.add({ id: "d2", text: "The importer reads one file at a time.", date: "2026-03-01", group: "s1", order: 1 });
const hits: RecallHit[] = recall.search("which port do we use", { limit: 5 });
recall.remove("d2");
console.log(JSON.stringify([hits[0]?.id, recall.search("importer").length, recall.search("!12")[0]?.why]));
`;

test("the tarball in an empty project, strata init, opencode run: the layers fire; recall works on its own; it is small and brings no other package", async () => {
  const model = await startScriptedModel();
  const project = await createProject({ "big.txt": "a line of a large file\n".repeat(3_000) });
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], {
      cwd: project.path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    // Without its scripts: they would build dist/ anew under the other tests.
    const [packed] = JSON.parse(npm("pack", sources, "--json", "--pack-destination", project.root));
    await project.write("package.json", '{"private": true}');
    npm("install", join(project.root, packed.filename));
    const lock = JSON.parse(project.read("package-lock.json")) as {
      packages: Record<string, { peer?: boolean }>;
    };
    const installed = Object.keys(lock.packages).filter((path) => path !== "");
    const strataFolder = project.file("node_modules/opencode-strata");
    const zippedBytes = (path: string) => gzipSync(readFileSync(join(strataFolder, path))).byteLength;
    const tableBytes = zippedBytes("vectors/words.json");
    const installedBytes = countBytes(project.file("node_modules"));
    process.stderr.write(
      `packed ${packed.size} bytes, ${tableBytes} of them a table of words; ` +
        `${installedBytes} installed, ${installed.length} packages\n`,
    );
    expect(tableBytes).toBeLessThan(MOST_TABLE_BYTES);
    expect(packed.size - tableBytes).toBeLessThan(MOST_PACKED_BYTES);
    expect(installedBytes).toBeLessThan(MOST_INSTALLED_BYTES);
    expect(installed).toEqual(["node_modules/opencode-strata"]);
    const licences = readFileSync(join(strataFolder, "dist/licences.txt"), "utf8");
    const isListed = (name: string) => new RegExp(`^${name} \\d[^\n]*\\([\\w.-]+\\)$`, "m").test(licences);
    expect(BUNDLED.filter((name) => !isListed(name))).toEqual([]);
    expect(LEFT_OUT.filter(isListed)).toEqual([]);
    await project.write("recall.mts", RECALL_USER);
    expect(compile(project, "--types", "", "recall.mts")).toBe("");
    const asked = execFileSync(process.execPath, ["recall.mjs"], { cwd: project.path, encoding: "utf8" });
    expect(JSON.parse(asked)).toEqual(["d1", 0, "!12"]);

    // The types of the host are at hand where somebody has them.
    await mkdir(project.file("node_modules/@opencode-ai"), { recursive: true });
    await symlink(
      join(sources, "node_modules/@opencode-ai/plugin"),
      project.file("node_modules/@opencode-ai/plugin"),
    );
    await project.write("options.mts", OPTIONS_USER.replace("SOURCES", sources));
    const lenient = [
      "--skipLibCheck",
      "--noEmit",
      "--allowImportingTsExtensions",
      "--exactOptionalPropertyTypes",
    ];
    expect(
      compile(
        project,
        ...lenient,
        "--types",
        "node",
        "--typeRoots",
        join(sources, "node_modules/@types"),
        "options.mts",
      ),
    ).toBe("");

    const config = {
      share: "disabled",
      permission: { "*": "allow" },
      model: "mock/m1",
      small_model: "mock/m1",
    };
    const models = { m1: { name: "m1", limit: { context: 200_000, output: 8_000 }, tool_call: true } };
    const options = { baseURL: model.url, apiKey: "none" };
    const provider = { mock: { npm: "@ai-sdk/openai-compatible", options, models } };
    await project.write("opencode.json", JSON.stringify({ ...config, provider }, null, 2));
    const strata = (...args: string[]) =>
      execFileSync(join(project.path, "node_modules/.bin/strata"), args, {
        cwd: project.path,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: project.folders.home },
      });
    expect(strata("init")).toContain("./node_modules/opencode-strata");

    model.script(call("read", { filePath: project.file("big.txt") }, { id: "big" }), say("done"));
    const { code, log, out } = await runOpenCode(project, ["run", "look at it"]);
    expect([code, out], log).toEqual([0, expect.stringContaining("done")]);
    expect(model.lastRequest().toolResult("big")).toContain("[Strata]");
    const status = JSON.parse(strata("status", "--json"));
    expect(status).toMatchObject({ savings: { spilled: 1 }, problems: [] });
    expect(readFileSync(status.folders.log, "utf8")).toContain("layers: tool-results, micro-compact");
  } finally {
    await model.close();
    await project.remove();
  }
});

/** What the compiler says; nothing where all fits. */
function compile({ path }: Project, ...args: string[]): string {
  const tsc = join(sources, "node_modules/.bin/tsc");
  const options = ["--module", "nodenext", "--target", "es2023", "--strict", ...args];
  const { stdout } = spawnSync(tsc, options, { cwd: path, encoding: "utf8" });
  return stdout;
}

function countBytes(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
  return paths
    .map((path) => statSync(path))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
}
