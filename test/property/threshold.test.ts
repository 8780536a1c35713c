/** Whatever the user and a project set, for whatever agent, model and window: whose threshold counts, and what it is. */
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config/config.js";
import {
  NEVER,
  resolveThreshold,
  type ThresholdSettings,
  USUAL_COLD_TOKENS,
  USUAL_TOKENS,
} from "../../src/context/threshold.js";
import type { ConfigFile } from "../../src/io/host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";
import { parts } from "../support/settings.js";

const tokens = fc.integer({ min: 10_000, max: 400_000 });
const percent = fc.integer({ min: 1, max: 100 }).map((share) => `${share}%` as const);
const amount = fc.oneof(tokens, percent);
const models = fc.constantFrom("acme/large", "acme/small", "acme/*", "other/*", "*");
const agents = fc.constantFrom("build", "explore", "ex*", "*");
const settings = fc.record<ThresholdSettings>(
  {
    threshold: fc.oneof(amount, fc.dictionary(models, amount, { maxKeys: 3 })),
    agents: fc.dictionary(agents, fc.oneof(amount, fc.constant(false as const)), { maxKeys: 3 }),
    coldThreshold: fc.oneof(tokens, fc.constant(false as const)),
  },
  { requiredKeys: [] },
);
const asking = fc.record({
  agent: fc.constantFrom("build", "explore", undefined),
  model: fc.constantFrom({ providerID: "acme", modelID: "large" }, undefined),
  contextTokens: fc.constantFrom(undefined, 0, 32_000, 200_000, 1_000_000),
});

const GLOBAL = "/home/me/.config/opencode/opencode.json";
const PROJECT = "/project/opencode.json";
const CONFIG_FILES: ConfigFile[] = [
  { path: GLOBAL, origin: "user" },
  { path: PROJECT, origin: "project" },
];

/** What is in force when the user's and the project's file have these. */
async function read(users: unknown, projects: unknown = {}) {
  const file = (autoCompact: unknown): string => JSON.stringify({ memory: { autoCompact } });
  const files = createMemoryFiles({ [GLOBAL]: file(users), [PROJECT]: file(projects) });
  const { limits, problems } = await readConfig({ files, configFiles: CONFIG_FILES, parts });
  return {
    problems,
    limits: { users: limits.users.autoCompact ?? {}, projects: limits.projects.autoCompact ?? {} },
  };
}

describe("the threshold of a session", () => {
  it("a project's files only ever lower the threshold, and the cold one", async () => {
    await fc.assert(
      fc.asyncProperty(settings, settings, asking, async (users, projects, one) => {
        const own = resolveThreshold((await read(users)).limits, one);
        const both = resolveThreshold((await read(users, projects)).limits, one);
        expect(both.tokens).toBeLessThanOrEqual(own.tokens);
        expect(both.coldTokens).toBeLessThanOrEqual(own.coldTokens);
      }),
    );
  });

  it("after a pause history is never cut below a threshold that the user has set for this agent or model", () => {
    fc.assert(
      fc.property(settings, asking, (users, one) => {
        const { coldTokens, tokens } = resolveThreshold({ users, projects: {} }, one);
        const { coldThreshold: _, ...chosen } = users;
        const without = resolveThreshold({ users: { ...chosen, coldThreshold: false }, projects: {} }, one);
        expect(without.tokens).toBe(tokens);
        expect(coldTokens).toBeLessThanOrEqual(tokens);
        if (tokens !== USUAL_TOKENS) expect(coldTokens).toBe(tokens);
      }),
    );
  });

  it("a threshold is in tokens, a share of the window, by model and by agent; the most exact name counts, and an agent's before a model's", () => {
    const users: ThresholdSettings = {
      threshold: { "acme/*": "30%", "acme/small": 20_000, "*": 60_000 },
      agents: { "ex*": 90_000, explore: false, plan: "10%" },
    };
    const of = (agent: string | undefined, model: string, contextTokens?: number) => {
      const [providerID = "", modelID = ""] = model.split("/");
      const given = { agent, model: { providerID, modelID }, contextTokens };
      return resolveThreshold({ users, projects: {} }, given).tokens;
    };
    expect(of("build", "acme/large", 200_000)).toBe(60_000);
    expect(of("build", "acme/small", 200_000)).toBe(20_000);
    expect(of("build", "other/m", 200_000)).toBe(60_000);
    expect(of("explore", "acme/small", 200_000)).toBe(NEVER);
    expect(of("extract", "acme/small", 200_000)).toBe(90_000);
    expect(of("plan", "acme/large", 1_000_000)).toBe(100_000);
    // A share of a small window is at least what a number may be; of an unknown one it is not told.
    expect(of("plan", "acme/large", 32_000)).toBe(10_000);
    expect(of("plan", "acme/large")).toBe(NEVER);
    expect(of("plan", "acme/large", 0)).toBe(USUAL_TOKENS);
    expect(of("plan", "other/m", 0)).toBe(60_000);
  });

  it("without settings a threshold is the usual one, and lower after a pause unless that is switched off", () => {
    const of = (users: ThresholdSettings) => resolveThreshold({ users, projects: {} }, {});
    expect(of({})).toEqual({ tokens: USUAL_TOKENS, coldTokens: USUAL_COLD_TOKENS });
    expect(of({ coldThreshold: false })).toEqual({ tokens: USUAL_TOKENS, coldTokens: USUAL_TOKENS });
    expect(of({ coldThreshold: 20_000 }).coldTokens).toBe(20_000);
  });
});

describe("a threshold in a project's file", () => {
  it("what cannot be lower than the user's is named in a sentence, and a map still counts as it is written", async () => {
    const users = { threshold: 60_000, agents: { build: "40%", explore: false }, coldThreshold: false };
    const projects = {
      threshold: { "acme/*": "30%", "other/*": 70_000 },
      agents: { build: "50%", explore: 30_000, plan: false },
      coldThreshold: 20_000,
    };
    const { limits, problems } = await read(users, projects);
    expect(limits).toEqual({ users, projects });
    expect((await read(users, { threshold: 60_001 })).limits.projects).toEqual({});
    expect(problems.map((one) => one.slice(0, one.indexOf(":")))).toEqual(
      ["threshold.other/*", "agents.build", "agents.plan"].map(
        (name) => `memory.autoCompact.${name} in ${PROJECT} is not used`,
      ),
    );
  });

  it.each([
    [{ threshold: "130%" }, 'memory.autoCompact.threshold is "130%", expected a whole number from 10000 to'],
    [{ threshold: "130%" }, `or text like "30%" or an object by name, each a whole number from 10000 to`],
    [{ threshold: "130%" }, `. Using ${USUAL_TOKENS}.`],
    [{ threshold: { "acme/*": false } }, "memory.autoCompact.threshold.acme/* is false, expected a whole"],
    [{ agents: { explore: 5 } }, "memory.autoCompact.agents.explore is 5, expected a whole number from"],
    [{ agents: { explore: 5 } }, 'or text like "30%" or false'],
  ])("a wrong threshold, such as %j, is one sentence that says what is expected", async (given, sentence) => {
    const { problems } = await read(given);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(sentence);
  });
});
