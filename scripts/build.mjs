/**
 * Builds `dist/`, the published package: fully bundled, with no dependencies to install.
 *
 *     plugin.js             loaded by the host, with plugin-start.js: everything a start needs, in one file
 *     tui.js                loaded by the host's TUI, with tui-start.js
 *     screen-actions.js     the store for the TUI's pages, which shares its parts with the command line
 *     recall.js             opencode-strata/recall
 *     inspector-page.*      the inspector's page, which a browser loads
 *     strata.js             the command line
 *     plugin-*, strata-*, tui-*   parts loaded on first use
 *     node-sqlite3-wasm.wasm      SQLite, where Node runs
 *     types/                declarations of the importable entries
 *     licences.txt          licences of all bundled packages
 *
 * All files are in one folder; they find `prompts/` and `vectors/` next to it.
 *
 *     node scripts/build.mjs [--to FOLDER] [--if-changed]
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { formatLicences } from "./build/licences.mjs";
import { asBunRunsIt, fromElsewhere, groupStart, leaveOut } from "./build/parts.mjs";
import { hashSources, STAMP } from "./build/stamp.mjs";
import { writeTypes } from "./build/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: { to: { type: "string" }, "if-changed": { type: "boolean" } },
});
const folder = values.to ?? join(root, "dist");
const stamp = hashSources(root);
const stampPath = join(folder, STAMP);
if (values["if-changed"] && existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp)
  process.exit();

/** Built separately: one entry would otherwise load shared parts that only another needs. */
const bundles = [
  { name: "plugin", input: { plugin: "src/plugin.ts" }, groups: ["src/plugin.ts"] },
  { name: "tui", input: { tui: "src/tui.ts" }, groups: ["src/tui.ts"] },
  { name: "recall", input: { recall: "src/recall/recall.ts" } },
  // The screen's pages use the store as the command line does.
  { name: "strata", input: { strata: "src/cli/strata.ts", "screen-actions": "src/tui/actions.ts" } },
];

/**
 * Used only to check a client's answers to questions, which `strata mcp` never asks, and for prom-client's default metrics
 * and summaries, which `strata serve` does not have.
 */
const UNUSED = ["ajv", "ajv-formats", "@opentelemetry/api", "tdigest"];

/** SQLite for Node, which its part looks for in its own folder. */
const WASM = "node-sqlite3-wasm.wasm";

/** OpenCode's TUI gives these at run time; it looks for them in the text, which therefore keeps its spaces and quotes. */
const GIVEN = ["solid-js", "@opentui/solid/jsx-runtime"];
const AS_WRITTEN = { compress: true, mangle: true, codegen: { removeWhitespace: false } };

const before = existsSync(folder) ? readdirSync(folder) : [];
if (values.to && before.length > 0 && !before.some((name) => name === "plugin.js" || name === "src"))
  throw new Error(
    `Expected an empty folder or an earlier build, got ${folder}. Nothing was changed; name another one.`,
  );
for (const name of before) rmSync(join(folder, name), { recursive: true });
mkdirSync(folder, { recursive: true });
const modules = (await Promise.all([...bundles.map(bundle), bundlePage()])).flat();
const sqlite = createRequire(import.meta.url).resolve("node-sqlite3-wasm");
copyFileSync(join(dirname(sqlite), WASM), join(folder, WASM));
writeFileSync(join(folder, "licences.txt"), formatLicences(root, modules));
writeTypes(root, folder);
writeFileSync(stampPath, stamp);

/** Writes the inspector's page, one script and its other files, and returns the ids of the script's modules. */
async function bundlePage() {
  const page = join(root, "src/inspector/page");
  for (const name of ["page.html", "page.css", "icon.svg"])
    copyFileSync(join(page, name), join(folder, `inspector-${name}`));
  const build = await rolldown({
    cwd: root,
    input: join(page, "page.tsx"),
    platform: "browser",
    tsconfig: join(page, "tsconfig.json"),
    onLog: failOnWarning,
  });
  const { output } = await build.write({
    file: join(folder, "inspector-page.js"),
    format: "esm",
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await build.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

/** Writes one bundle and returns the ids of its modules. */
async function bundle({ groups = [], input, name }) {
  const build = await rolldown({
    cwd: root,
    input,
    external: name === "tui" ? GIVEN : ["bun:sqlite"],
    platform: "node",
    // Prefers ES modules: a CommonJS module that wraps `require` cannot be bundled.
    resolve: { mainFields: ["module", "main"] },
    // write-file-atomic uses __filename in the names of its temporary files, node-sqlite3-wasm finds its other file.
    transform: { define: { __filename: "import.meta.filename", __dirname: "import.meta.dirname" } },
    checks: { pluginTimings: false, bundlerTimings: false },
    plugins: [
      leaveOut(UNUSED),
      ...(name === "tui" ? [fromElsewhere("./actions.js", "./screen-actions.js")] : []),
    ],
    onLog: failOnWarning,
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    minify: name === "tui" ? AS_WRITTEN : true,
    comments: false,
    // Bun would read a source map as soon as anything asks for a stack, which OpenCode does at its start.
    sourcemap: false,
    plugins: [asBunRunsIt()],
    entryFileNames: "[name].js",
    chunkFileNames: `${name}-[name].js`,
    codeSplitting: groups.length > 0 ? { groups: groups.map((one) => groupStart(join(root, one))) } : true,
  });
  await build.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

function failOnWarning(level, log, handle) {
  if (level === "warn") throw new Error(`${log.code}: ${log.message}`);
  handle(level, log);
}
