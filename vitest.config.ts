import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { filesOf } from "./test/host/hosts.js";
import { asOnWindows } from "./test/run/as-on-windows.js";
import { LongestFirst } from "./test/run/longest-first.js";
import { openRunFolder } from "./test/run/run-folder.js";
import { measureSlowness } from "./test/run/slowness.js";

/** Played on the disks of other systems too: whatever fails, what is written stays whole. */
const ON_OTHER_DISKS = [
  "test/fault/{across-agents,import,memories,notes}.test.ts",
  "test/unit/{files,state-owner}.test.ts",
];
const LATER_ON_THEM = [
  "test/fault/{context,disk,dream,errors}.test.ts",
  "test/property/{memory-store,view}.test.ts",
];

/**
 * `npm test` plays what every change needs, long tests in a smaller form; `npm run test:long` is the mode in which all
 * are played, at full size. Both projects keep their modules from file to file (`isolate: false`): no module has a state.
 */
export default defineConfig(async ({ mode }): Promise<ViteUserConfig> => {
  openRunFolder();
  const isLong = mode === "long";
  if (isLong) process.env.STRATA_TEST_LONG = "1";
  const slowness = await measureSlowness();
  process.env.STRATA_TEST_SLOWNESS = String(slowness);
  const cores = availableParallelism();
  // A host waits for its disk and its model about a third of the time.
  const hostWorkers = slowness < 2 ? cores + 1 : cores;
  const timeouts = (ms: number) => ({ testTimeout: ms * slowness, hookTimeout: ms * slowness });
  /** The disk of another system, which test/support/disk-rules.ts plays. */
  const disk = (name: "windows" | "mac") => ({
    ...(name === "windows" && { plugins: [asOnWindows()] }),
    test: {
      name,
      include: [...ON_OTHER_DISKS, ...(isLong ? LATER_ON_THEM : [])],
      env: { STRATA_TEST_DISK: name },
      ...timeouts(60_000),
      pool: "forks" as const,
      isolate: false,
      maxWorkers: cores,
      sequence: { groupOrder: 0 },
      benchmark: { include: [] },
    },
  });
  const host = (which: 1 | 2) => ({
    test: {
      name: which === 1 ? "host" : "host-2",
      include: filesOf(which, { isLong }),
      ...(which === 2 && { env: { STRATA_HOST: "2" } }),
      globalSetup: "test/host/unpack-once.ts",
      ...timeouts(120_000),
      pool: "forks" as const,
      isolate: false,
      maxWorkers: hostWorkers,
      // A host that its machine holds up can miss a test's moment. The summary names the tests that needed this.
      retry: 1,
      // Both in one group, so that no core waits for the last files of one before the other begins.
      sequence: { groupOrder: 1 },
      benchmark: { include: [] },
    },
  });
  return {
    test: {
      sequence: { sequencer: LongestFirst },
      reporters: ["default", ["json", { outputFile: "test-report.json" }]],
      projects: [
        {
          test: {
            name: "unit",
            include: ["test/{unit,property,fault,host-v2}/**/*.test.ts", "test/*.test.ts"],
            ...timeouts(30_000),
            pool: "forks",
            isolate: false,
            maxWorkers: cores,
            sequence: { groupOrder: 0 },
            benchmark: { include: ["test/bench/**/*.bench.ts"] },
          },
        },
        disk("windows"),
        disk("mac"),
        host(1),
        host(2),
      ],
    },
  };
});
