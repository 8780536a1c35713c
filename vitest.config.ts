import { defineConfig } from "vitest/config";

// Real-host tests start a program of 180 MB each; with more of them side by side than cores they only wait.
export default defineConfig({
  test: {
    reporters: ["default", ["json", { outputFile: "test-report.json" }]],
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/{unit,property,fault}/**/*.test.ts", "test/*.test.ts"],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
          benchmark: { include: ["test/bench/**/*.bench.ts"] },
        },
      },
      {
        test: {
          name: "host",
          include: ["test/host/**/*.test.ts"],
          globalSetup: "test/host/unpack-once.ts",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          benchmark: { include: [] },
        },
      },
    ],
  },
});
