/** The package as people get it: packed, installed into an empty project, set up by its own command, loaded by OpenCode. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { repository } from "./repository.js";
import { runOpenCode } from "./stage/opencode.js";
import { createProject } from "./stage/project.js";
import { startScriptedModel } from "./stage/scripted-model.js";
import { call, say } from "./stage/steps.js";

/** Of all but the table of words. */
const MOST_PACKED_BYTES = 850_000;
/** Bytes that stand for meaning can hardly be packed: 20,000 words of 100 bytes. */
const MOST_TABLE_BYTES = 2_100_000;
/** Itself, eight that it names and three that these need. */
const MOST_INSTALLED_PACKAGES = 12;

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

test("the tarball in an empty project, strata init, opencode run: the layers fire; recall works on its own; it is small and brings few packages", async () => {
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
    const [packed] = JSON.parse(npm("pack", repository, "--json", "--pack-destination", project.root));
    await project.write("package.json", '{"private": true}');
    npm("install", join(project.root, packed.filename));
    const lock = JSON.parse(project.read("package-lock.json")) as {
      packages: Record<string, { peer?: boolean }>;
    };
    const installed = Object.keys(lock.packages).filter((path) => path !== "");
    const tableBytes = gzipSync(readFileSync(join(repository, "vectors/words.json"))).byteLength;
    process.stderr.write(
      `packed ${packed.size} bytes, ${tableBytes} of them a table of words; ` +
        `${packed.unpackedSize} unpacked, ${installed.length} packages\n`,
    );
    expect(tableBytes).toBeLessThan(MOST_TABLE_BYTES);
    expect(packed.size - tableBytes).toBeLessThan(MOST_PACKED_BYTES);
    expect(installed.length).toBeLessThanOrEqual(MOST_INSTALLED_PACKAGES);
    await project.write("recall.mts", RECALL_USER);
    const typescript = [
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--strict",
      "--types",
      "",
      "recall.mts",
    ];
    const tsc = join(repository, "node_modules/.bin/tsc");
    expect(execFileSync(tsc, typescript, { cwd: project.path, encoding: "utf8" })).toBe("");
    const asked = execFileSync(process.execPath, ["recall.mjs"], { cwd: project.path, encoding: "utf8" });
    expect(JSON.parse(asked)).toEqual(["d1", 0, "!12"]);

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
