import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatSettingsPage } from "../../scripts/settings-page.js";
import { readConfig } from "../../src/config/config.js";
import type { Source } from "../../src/config/plugin-entries.js";
import { formatConfigSchema } from "../../src/config/schema.js";
import { listFields, readPath } from "../../src/config/setting.js";
import type { ConfigFile } from "../../src/io/host.js";
import { explainSettings } from "../../src/operations/doctor/configuration.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { defaults, parts, settings } from "../support/settings.js";

const GLOBAL = "/home/me/.config/opencode/opencode.json";
const PROJECT = "/project/opencode.json";
const CONFIG_FILES: ConfigFile[] = [
  { path: GLOBAL, origin: "user" },
  { path: PROJECT, origin: "project" },
];

function read(world: Record<string, string>, options?: Record<string, unknown>) {
  return readConfig({ files: createMemoryFiles(world), configFiles: CONFIG_FILES, options, parts });
}

const inProject = (memory: unknown) => ({ [PROJECT]: JSON.stringify({ memory }) });

describe("settings are merged field by field", () => {
  it("settings that are not set have their defaults, without a message", async () => {
    const { config, problems } = await read({});
    expect(problems).toEqual([]);
    expect(config.toolResults).toEqual({
      enabled: true,
      threshold: 30_000,
      perTool: {},
      turnBudget: 200_000,
      maxAgeDays: 30,
      maxTotalMegabytes: 1_000,
      shrink: true,
    });
  });

  it("options override the project's file, that overrides the global file, and that the defaults", async () => {
    const world = {
      [GLOBAL]: '{"memory":{"toolResults":{"threshold":11111,"turnBudget":50000,"maxAgeDays":3}}}',
      [PROJECT]: '{"memory":{"toolResults":{"threshold":22222,"turnBudget":60000}}}',
    };
    const { config, problems } = await read(world, { toolResults: { threshold: 33_333 } });
    expect(problems).toEqual([]);
    expect(config.toolResults).toMatchObject({
      threshold: 33_333,
      turnBudget: 60_000,
      maxAgeDays: 3,
      enabled: true,
    });
  });

  it("comments and trailing commas are allowed", async () => {
    const { config, problems } = await read({
      [PROJECT]: '{ // mine\n "memory": {"crossAgent": {"onConflict": "block",},}, }',
    });
    expect(problems).toEqual([]);
    expect(config.crossAgent.onConflict).toBe("block");
  });

  it("all names of the seed are accepted", async () => {
    const seed = {
      sessionMemory: { enabled: true, updateThreshold: 4096, toolCallThreshold: 10 },
      autoCompact: { enabled: true, threshold: 140000, retryLimit: 3, summaryTimeout: 180000 },
      autoMemory: { enabled: true, maxLines: 200, maxSize: 25000 },
      dream: { enabled: true, interval: 3600000, maxRuntime: 600000 },
    };
    const { config, problems } = await read({ [GLOBAL]: JSON.stringify({ memory: seed }) });
    expect(problems).toEqual([]);
    expect(config).toMatchObject(seed);
    // The defaults are the seed's but for the threshold: docs/bench.md says how it was chosen.
    const autoCompact = { ...seed.autoCompact, threshold: 50_000 };
    expect((await read({})).config).toMatchObject({ ...seed, autoCompact });
  });
});

describe("wrong input is one clear sentence, and the field gets the next weaker value", () => {
  const cases: [what: string, memory: unknown, message: string][] = [
    [
      "a text for a number",
      { toolResults: { threshold: "30kb" } },
      `memory.toolResults.threshold is "30kb", expected a whole number from 4096 to 10000000 (Bytes. A larger result is moved to a file). Using 30000. (${PROJECT})`,
    ],
    [
      "a number too small",
      { toolResults: { threshold: 5 } },
      "memory.toolResults.threshold is 5, expected a whole number from 4096",
    ],
    [
      "a number too large",
      { toolResults: { maxAgeDays: 99_999 } },
      "maxAgeDays is 99999, expected a whole number from 1 to 3650",
    ],
    ["a fraction", { autoCompact: { retryLimit: 1.5 } }, "retryLimit is 1.5, expected a whole number"],
    ["null", { dream: { enabled: null } }, "memory.dream.enabled is null, expected true or false"],
    [
      "a text for a switch",
      { dream: { enabled: "yes" } },
      'memory.dream.enabled is "yes", expected true or false',
    ],
    [
      "an unknown choice",
      { log: { level: "loud" } },
      'memory.log.level is "loud", expected one of "off", "error", "warn", "info", "debug"',
    ],
    [
      "an unknown name",
      { toolresults: {} },
      "memory.toolresults is not a setting; did you mean toolResults?",
    ],
    ["a name like no other", { frobnicate: 1 }, "memory.frobnicate is not a setting. It is ignored."],
    [
      "a list for a group",
      { toolResults: [1] },
      "memory.toolResults is [1], expected an object with any of enabled, threshold",
    ],
    [
      "a wrong threshold of a tool",
      { toolResults: { perTool: { read: true } } },
      "memory.toolResults.perTool.read is true, expected a whole number from 4096 to 10000000 or false",
    ],
    [
      "a model without provider",
      { background: { model: "gpt" } },
      'memory.background.model is "gpt", expected text like "provider/model"',
    ],
    [
      "a slip in an item of a list",
      { recall: { entities: { hosts: [{ kind: "gitlab", url: "https://git.acme.com", token: "x" }] } } },
      "memory.recall.entities.hosts is [{",
    ],
    [
      "an instance whose token would travel in clear",
      { recall: { entities: { hosts: [{ kind: "gitlab", url: "http://git.acme.com" }] } } },
      "a list, each item an object with any of kind, url, tokenEnv",
    ],
    ["a text for everything", "on", `memory is "on", expected an object with any of toolResults`],
  ];
  it.each(cases)("%s", async (_what, memory, message) => {
    const { config, problems } = await read(inProject(memory));
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(config).toEqual(defaults);
  });

  it("a wrong value in the project leaves the global one in force, and says so", async () => {
    const world = { ...inProject({ log: { level: 3 } }), [GLOBAL]: '{"memory":{"log":{"level":"error"}}}' };
    const { config, problems } = await read(world);
    expect(config.log.level).toBe("error");
    expect(problems[0]).toContain('Using "error".');
  });

  it("wrong options are reported with the file whose plugin list has them", async () => {
    const options = { log: { level: "loud" } };
    const world = { [GLOBAL]: JSON.stringify({ plugin: [["opencode-strata", options]] }) };
    expect((await read(world, options)).problems[0]).toMatch(/^log\.level is "loud".*\(\S+opencode\.json\)$/);
    expect((await read({}, options)).problems[0]).toMatch(/^log\.level is "loud".*\(plugin options\)$/);
  });

  it("a file that is not JSON is reported with the line, and its settings are ignored", async () => {
    const { config, problems } = await read({ [PROJECT]: '{\n  "memory": {\n    "log": oops\n' });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${PROJECT} cannot be read: line 3, column `);
    expect(config).toEqual(defaults);
  });

  it("a file without an object, and one that cannot be opened, are reported and skipped", async () => {
    expect((await read({ [PROJECT]: "[]" })).problems[0]).toContain("an object is expected at the top");
    expect((await read({ [`${PROJECT}/x`]: "a folder" })).problems[0]).toContain("EISDIR");
    expect((await read({ [PROJECT]: "" })).problems).toEqual([]);
  });

  it("an object that names itself as its prototype changes nothing", async () => {
    const { config } = await read({ [PROJECT]: '{"memory":{"__proto__":{"log":{"level":"off"}}}}' });
    expect(config).toEqual(defaults);
    expect(({} as { log?: unknown }).log).toBeUndefined();
  });
});

it("a plugin entry that is a malformed URL stands in nobody's way: the settings beside Strata's name count", async () => {
  const plugin = ["file://./x", "file:///a%2Fb", ["opencode-strata", { toolResults: { threshold: 9_000 } }]];
  const { config, problems } = await read({
    "/home/me/.config/opencode/opencode.json": JSON.stringify({ plugin }),
  });
  expect(config.toolResults.threshold).toBe(9_000);
  expect(problems).toEqual([]);
});

it("the published schema and docs/settings.md are current, and describe every setting: npm run schema", () => {
  const schema = formatConfigSchema(settings);
  const page = formatSettingsPage(settings);
  expect(readFileSync("config.schema.json", "utf8")).toBe(schema);
  expect(readFileSync("docs/settings.md", "utf8")).toBe(page);
  for (const { path } of listFields(settings)) {
    const place = path.flatMap((step) => ["properties", step]);
    expect(readPath(JSON.parse(schema), [...place, "description"]), path.join(".")).toMatch(/\w/);
    expect(page).toContain(`| \`${path.join(".")}\` |`);
  }
});

it("doctor names for each field of a nested setting the file that it comes from, and leaves out unset ones", async () => {
  const users = { recall: { embeddings: { url: "http://localhost:11434", model: "m" } } };
  const theirs = { recall: { enabled: false, embeddings: { model: "m" } } };
  const { config } = await read({
    [GLOBAL]: JSON.stringify({ memory: users }),
    ...inProject({ recall: { enabled: false } }),
  });
  const source = (file: string, origin: Source["origin"], given: object): Source => ({
    ...{ file, origin, prefix: "memory", settings: given },
  });
  const sources = [source("mine.json", "user", users), source("theirs.json", "project", theirs)];
  const explained = explainSettings(settings, config, sources);
  expect(explained.filter(({ key }) => key.startsWith("recall."))).toEqual([
    { key: "recall.enabled", value: false, from: "theirs.json" },
    { key: "recall.embeddings.url", value: "http://localhost:11434", from: "mine.json" },
    { key: "recall.embeddings.model", value: "m", from: "mine.json" },
    { key: "recall.embeddings.timeoutMs", value: 10_000, from: "default" },
    { key: "recall.embeddings.allowPrivate", value: false, from: "default" },
    { key: "recall.entities.hosts", value: [], from: "default" },
  ]);
});

describe("the master switch", () => {
  it("memory.enabled: false switches off every layer and the plugin's own model calls", async () => {
    const { config, problems } = await read(inProject({ enabled: false, toolResults: { threshold: 5_000 } }));
    expect(problems).toEqual([]);
    const groups = Object.values(config).filter(
      (group): group is { enabled: unknown } =>
        typeof group === "object" && group !== null && "enabled" in group,
    );
    expect(groups.length).toBeGreaterThan(8);
    expect(groups.filter(({ enabled }) => enabled !== false)).toEqual([]);
    expect(config.toolResults.threshold).toBe(5_000);
  });
});
