/** What a project's file may change of the user's settings: in the direction that costs or shows less. */
import { describe, expect, it } from "vitest";
import type { PlainRecord } from "../../src/base/shape.js";
import { readConfig } from "../../src/config/config.js";
import { listFields, readPath } from "../../src/config/owners.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { configSchema, parts } from "../support/settings.js";

const GLOBAL = "/home/me/.config/opencode/opencode.json";
const PROJECT = "/project/opencode.json";
const fields = listFields(configSchema).map(({ owner, path }) => ({ owner, name: path.join(".") }));

function read(world: Record<string, object>) {
  const texts = Object.entries(world).map(([path, contents]) => [path, JSON.stringify(contents)] as const);
  return readConfig({
    files: createMemoryFiles(Object.fromEntries(texts)),
    configFiles: [
      { path: GLOBAL, origin: "user" },
      { path: PROJECT, origin: "project" },
    ],
    options: undefined,
    parts,
  });
}

function nest(name: string, value: unknown): PlainRecord {
  return name.split(".").reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as PlainRecord;
}

describe("a user's setting in a file of the project", () => {
  /** A value of the user's, one that costs or shows less, and one that costs or shows more. */
  const directions: Readonly<Record<string, readonly [own: unknown, less: unknown, more: unknown]>> = {
    "autoCompact.retryLimit": [3, 1, 4],
    "autoMemory.keepOutOfGit": [["preference"], ["preference", "decision"], ["decision", "idea"]],
    "background.dailyCalls": [100, 0, 101],
    "background.dailyTokens": [100, 0, 101],
    "background.enabled": ["auto", false, true],
    "boot.activeSessions": [false, false, true],
    "boot.maxItems": [100, 0, 101],
    "boot.recentDecisions": [true, false, true],
    "dream.interval": [70_000, 70_001, 60_000],
    "dream.maxRuntime": [5_000, 1_000, 5_001],
    "recall.embeddings.allowPrivate": [true, false, true],
    "recall.embeddings.timeoutMs": [5_000, 100, 5_001],
    "recall.entities.background": [true, false, true],
    "sessionMemory.toolCallThreshold": [10, 11, 9],
    "sessionMemory.updateThreshold": [4_096, 4_097, 4_095],
    "sync.pullOnStart": [true, false, true],
    "sync.worktrees": ["auto", false, true],
  };

  it("a user's setting in a file of the project has a direction here if its owner says so", () => {
    const directed = fields.filter(({ owner }) => owner === "user or lower" || owner === "user or higher");
    expect(Object.keys(directions).sort()).toEqual(directed.map(({ name }) => name).sort());
  });

  it.each(Object.entries(directions))(
    "a user's setting in a file of the project may cost or show less, never more: %s",
    async (name, [own, less, more]) => {
      const inForce = async (value: unknown) => {
        const world = { [GLOBAL]: { memory: nest(name, own) }, [PROJECT]: { memory: nest(name, value) } };
        const { config, problems } = await read(world);
        return [readPath(config, name.split(".")), problems.length];
      };
      expect(await inForce(less)).toEqual([less, 0]);
      expect(await inForce(more)).toEqual([own, JSON.stringify(own) === JSON.stringify(more) ? 0 : 1]);
    },
  );

  it("a user's setting in a file of the project counts for each of the seed's settings, if it costs less", async () => {
    const cheaper = {
      sessionMemory: { enabled: false, updateThreshold: 8_192, toolCallThreshold: 20 },
      autoCompact: { enabled: false, threshold: 40_000, retryLimit: 1 },
      autoMemory: { enabled: false, maxLines: 100, maxSize: 10_000 },
      dream: { enabled: false, interval: 7_200_000, maxRuntime: 60_000 },
    };
    const { config, problems } = await read({ [PROJECT]: { memory: cheaper } });
    expect(config).toMatchObject(cheaper);
    expect(problems).toEqual([]);
  });
});
