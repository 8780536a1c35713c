/**
 * Builds `dist/`, the package as it is loaded: everything bundled, nothing left to install.
 *
 *     plugin.js             what the host loads, with start.js: all that a start needs, in one file
 *     tui.js                the screen half
 *     tokenizer-worker.js   a thread of its own, with the tokenizer's table
 *     recall.js             opencode-strata/recall
 *     strata.js             the command line
 *     plugin-*, strata-*    parts that are loaded when they are first needed
 *     types/                declarations of what a program can import
 *     licences.txt          of every package that is inside
 *
 * All lie in one folder: beside it are `prompts/` and `vectors/`, which are found from there.
 *
 *     node scripts/build.mjs [--to FOLDER] [--as VERSION]
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { formatLicences } from "./build/licences.mjs";
import { asBunRunsIt, groupStart, withVersion } from "./build/parts.mjs";
import { writeTypes } from "./build/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { to: { type: "string" }, as: { type: "string" } } });
const folder = values.to ?? join(root, "dist");

/** Apart from each other: a part that two of them shared would be loaded by the one for the other's sake. */
const bundles = [
  { name: "plugin", input: { plugin: "src/plugin.ts" } },
  { name: "tui", input: { tui: "src/tui.ts" } },
  { name: "worker", input: { "tokenizer-worker": "src/record/tokenizer-worker.ts" } },
  { name: "recall", input: { recall: "src/recall/recall.ts" } },
  { name: "strata", input: { strata: "src/cli/strata.ts" } },
];

const before = existsSync(folder) ? readdirSync(folder) : [];
if (before.length > 0 && !before.some((name) => name === "plugin.js" || name === "src"))
  throw new Error(
    `Expected an empty folder or an earlier build, got ${folder}. Nothing was changed; name another one.`,
  );
for (const name of before) rmSync(join(folder, name), { recursive: true });
const modules = (await Promise.all(bundles.map(bundle))).flat();
writeFileSync(join(folder, "licences.txt"), formatLicences(root, modules));
writeTypes(root, folder);

/** The modules that are in it. */
async function bundle({ input, name }) {
  const build = await rolldown({
    cwd: root,
    input,
    platform: "node",
    // A module that asks for others with a `require` of its own cannot be bundled; as ES modules they all can.
    resolve: { mainFields: ["module", "main"] },
    // write-file-atomic names its temporary files after it.
    transform: { define: { __filename: "import.meta.filename" } },
    checks: { pluginTimings: false, bundlerTimings: false },
    plugins: [withVersion(values.as)],
    onLog(level, log, handle) {
      if (level === "warn") throw new Error(`${log.code}: ${log.message}`);
      handle(level, log);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    minify: true,
    comments: false,
    // With the places alone: the sources are in the repository. Of the worker nearly all is a table.
    sourcemap: name !== "worker",
    sourcemapExcludeSources: true,
    plugins: [asBunRunsIt()],
    entryFileNames: "[name].js",
    chunkFileNames: `${name}-[name].js`,
    codeSplitting: input.plugin ? { groups: [groupStart(join(root, input.plugin))] } : true,
  });
  await build.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}
