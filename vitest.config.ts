import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { LongestFirst } from "./test/run/longest-first.js";
import { openRunFolder } from "./test/run/run-folder.js";
import { measureSlowness } from "./test/run/slowness.js";

/** Stories that are played in OpenCode 1 and 2, from one text; what ends in -2 in OpenCode 2 alone. */
const BOTH_HOSTS = [
  "breaks",
  "candidates",
  "clear-inputs",
  "commands",
  "crash",
  "embeddings",
  "entities",
  "errors",
  "figures",
  "files-page",
  "findings",
  "foreign",
  "handover",
  "hostile-memory",
  "in-order",
  "judged-by-agent",
  "install-2",
  "kept-out",
  "links",
  "memory",
  "notes-secrets",
  "prices",
  "retention",
  "said",
  "same-bytes",
  "spill",
  "subagents",
  "sweep",
  "taken-back",
  "two-instances",
  "undone-files",
];

/**
 * `npm test` runs every test, the long ones in a smaller form; `npm run test:long` is the mode in which they have
 * their full size. Both projects keep their modules from file to file (`isolate: false`): no module has a state.
 */
export default defineConfig(async ({ mode }): Promise<ViteUserConfig> => {
  openRunFolder();
  if (mode === "long") process.env.STRATA_TEST_LONG = "1";
  const slowness = await measureSlowness();
  process.env.STRATA_TEST_SLOWNESS = String(slowness);
  const cores = availableParallelism();
  return {
    test: {
      sequence: { sequencer: LongestFirst },
      reporters: ["default", ["json", { outputFile: "test-report.json" }]],
      projects: [
        {
          test: {
            name: "unit",
            include: ["test/{unit,property,fault,host-v2}/**/*.test.ts", "test/*.test.ts"],
            testTimeout: 30_000 * slowness,
            hookTimeout: 30_000 * slowness,
            pool: "forks",
            isolate: false,
            maxWorkers: cores,
            sequence: { groupOrder: 0 },
            benchmark: { include: ["test/bench/**/*.bench.ts"] },
          },
        },
        {
          test: {
            name: "host",
            include: ["test/host/**/*.test.ts"],
            exclude: ["test/host/install-2.test.ts"],
            globalSetup: "test/host/unpack-once.ts",
            testTimeout: 120_000 * slowness,
            hookTimeout: 120_000 * slowness,
            pool: "forks",
            isolate: false,
            // A host waits for its disk and its model about a third of the time.
            maxWorkers: slowness < 2 ? cores + 1 : cores,
            sequence: { groupOrder: 1 },
            benchmark: { include: [] },
          },
        },
        {
          test: {
            name: "host-2",
            // What one host shows as well as two, such as the command line or the TUI of OpenCode 1, is not here.
            include: BOTH_HOSTS.map((name) => `test/host/${name}.test.ts`),
            env: { STRATA_HOST: "2" },
            globalSetup: "test/host/unpack-once.ts",
            testTimeout: 120_000 * slowness,
            hookTimeout: 120_000 * slowness,
            pool: "forks",
            isolate: false,
            maxWorkers: slowness < 2 ? cores + 1 : cores,
            sequence: { groupOrder: 2 },
            benchmark: { include: [] },
          },
        },
      ],
    },
  };
});
