import { describe, expect, it } from "vitest";
import type { ModelClaims } from "../../src/config/plugin-entries.js";
import type { Config } from "../../src/config/schema.js";
import type { Generated } from "../../src/io/host.js";
import { countMostTokens, planChoice } from "../../src/models/cost.js";
import { written } from "../support/fake-host.js";
import { notes, openGeneration } from "../support/generation-world.js";
import { NO_CLAIMS } from "../support/no-claims.js";
import { defaults } from "../support/settings.js";

/** A host that answers when it is let to. */
function hold({ host }: ReturnType<typeof openGeneration>) {
  const answers: ((generated: Generated) => void)[] = [];
  host.respond = () => new Promise((resolve) => answers.push(resolve));
  return answers;
}

const settled = () => new Promise(setImmediate);

describe("which calls are made", () => {
  it.each<[string | undefined, Partial<Config["background"]>, { main?: string; small?: string }]>([
    ["a/s", {}, { main: "a/m", small: "a/s" }],
    ["a/s", {}, { small: "a/s" }],
    ["a/x", { model: "a/x" }, { main: "a/m" }],
    ["refused", {}, { main: "a/m", small: "a/m" }],
    ["refused", {}, { main: "a/m" }],
    ["refused", {}, {}],
    ["a/x", { enabled: true, model: "a/x" }, { main: "a/m", small: "a/s" }],
    ["a/s", { enabled: true }, { main: "a/m", small: "a/s" }],
    ["a/m", { enabled: true }, { main: "a/m" }],
    [undefined, { enabled: true }, {}],
  ])(
    "the model of a call is %s, with the settings %j and the models %j",
    async (expected, settings, models) => {
      const { generation, host } = openGeneration(settings);
      Object.assign(host, { models: () => models });
      const { kind } = await generation.generate(notes);
      expect(kind === "refused" ? kind : host.generated[0]?.model).toBe(expected);
    },
  );
});

it("a model chosen by a project is never called, and one line and the status name the key and the file", async () => {
  const project = [{ key: "small_model", file: "/project/opencode.json" }];
  const { generation, host, log } = openGeneration({}, undefined, { ...NO_CLAIMS, project });
  for (let times = 0; times < 3; times++)
    expect(await generation.generate(notes)).toMatchObject({ kind: "refused" });
  expect(host.generated).toEqual([]);
  const sentence = "small_model in /project/opencode.json is set by the project";
  const status = await generation.status();
  expect(status).toMatchObject({ isAllowed: false, why: expect.stringContaining(sentence) });
  expect(status.model).toBeUndefined();
  expect(log.lines.filter((line) => line.startsWith("info") && line.includes(sentence))).toHaveLength(1);
});

describe("request and answer", () => {
  it("the host is given purpose, session, prompt, model and 60 seconds", async () => {
    const { generation, host } = openGeneration();
    expect(await generation.generate(notes)).toEqual(written("written"));
    expect(host.generated).toEqual([
      {
        parentID: "ses_1",
        title: "session notes",
        prompt: "write",
        model: "acme/small",
        maxAnswerTokens: 8_000,
        signal: expect.any(AbortSignal),
        deadlineMs: 60_000,
      },
    ]);
  });

  it("unknown spending counts as the maximum that is possible", async () => {
    const { generation, host, readSpent } = openGeneration();
    host.respond = () => ({ kind: "failed", reason: "no answer within 60 s" });
    expect(await generation.generate(notes)).toEqual({ kind: "failed", why: "no answer within 60 s" });
    expect(await readSpent()).toEqual({ calls: 1, tokens: countMostTokens(notes) });
  });
});

describe("waiting", () => {
  it("model calls wait eight at most; a newer one replaces a waiting one with the same purpose even then", async () => {
    const world = openGeneration();
    const answers = hold(world);
    const ask = (n: number, prompt = "other") =>
      world.generation.generate({ ...notes, sessionID: `ses_${n}`, prompt });
    void ask(0, "under way");
    await settled();
    const older = ask(1);
    for (let n = 2; n <= 8; n++) void ask(n);
    expect(await ask(9)).toEqual({ kind: "refused", why: "8 calls are waiting already" });
    const newer = ask(1, "newer");
    expect(await older).toEqual({ kind: "refused", why: "a newer request took its place" });
    answers[0]?.(written("done"));
    await settled();
    expect(world.host.generated.map(({ prompt }) => prompt)).toEqual(["under way", "newer"]);
    answers[1]?.(written("the newer"));
    expect(await newer).toMatchObject({ text: "the newer" });
  });

  it("a running model call is aborted when the plugin ends, and waiting ones are refused", async () => {
    const world = openGeneration();
    world.host.respond = ({ signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ kind: "failed", reason: "called off" })),
      );
    const [running, waiting] = ["a", "b"].map((sessionID) =>
      world.generation.generate({ ...notes, sessionID }),
    );
    await settled();
    world.generation.dispose();
    expect(await running).toEqual({ kind: "failed", why: "called off" });
    expect(await waiting).toEqual({ kind: "refused", why: "the plugin is ending" });
    expect(await world.generation.generate(notes)).toMatchObject({ kind: "refused" });
    await world.generation.onIdle();
    expect(world.host.generated).toHaveLength(1);
  });
});

describe("after a failure", () => {
  const failing = (status?: number): Generated => ({
    kind: "failed",
    reason: "no",
    tokens: { input: 0, output: 0, cacheRead: 0 },
    ...(status !== undefined && { status }),
  });

  it("model calls pause after a failure for 30 seconds, twice as long after each further one, half an hour at most, and an answer ends it", async () => {
    for (const status of [undefined, 429, 500, 503]) {
      const { generation, host, clock } = openGeneration();
      host.respond = () => failing(status);
      const pauses: number[] = [];
      for (let n = 0; n < 9; n++) {
        await generation.generate(notes);
        let seconds = 0;
        while (!(await generation.status()).isAllowed) {
          clock.advance(30_000);
          seconds += 30;
        }
        pauses.push(seconds);
      }
      expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800]);
      host.respond = undefined;
      await generation.generate(notes);
      host.respond = () => failing(status);
      await generation.generate(notes);
      clock.advance(30_000);
      expect((await generation.status()).isAllowed).toBe(true);
    }
  });
});

const users = { main: "acme/large", small: "acme/small" };
const project = (...keys: string[]): ModelClaims["project"] =>
  keys.map((key) => ({ key, file: "/project/opencode.json" }));

/** What comes of the host's models `users`, with these settings and claims. */
function choose(settings: Partial<Config["background"]>, claims: Partial<ModelClaims>, models = users) {
  return planChoice({ ...defaults.background, ...settings }, models, { ...NO_CLAIMS, ...claims });
}

describe("a model that a project chose", () => {
  const mine = { small: "acme/small" };
  const other = { model: "acme/x" };
  it.each<
    [what: string, keys: string[], Partial<Config["background"]>, Partial<typeof users>, chosen?: string]
  >([
    ["nothing", [], {}, {}, "acme/small"],
    ["the small model", ["small_model"], {}, {}],
    ["a small model other than the user's", ["small_model"], {}, { small: "acme/mine" }],
    ["the small model that the user has", ["small_model"], {}, users, "acme/small"],
    ["where the small model's provider is", ["provider.acme"], {}, users],
    ["where other providers are", ["provider.other", "provider.acme-2"], {}, users, "acme/small"],
    ["the model for titles, the small one of OpenCode 2", ["agents.title.model"], {}, {}],
    ["where the small model's provider is in OpenCode 2", ["providers.acme"], {}, users],
    ["the main model", ["model"], {}, mine, "acme/small"],
    [
      "a main model beside which the user's only one looks small",
      ["model"],
      {},
      { ...mine, main: "acme/small" },
    ],
    ["where the provider of background.model is", ["provider.acme"], other, users],
    [
      "the small model, where background.model is another",
      ["small_model"],
      { model: "mine/x" },
      {},
      "mine/x",
    ],
    ["the small model, where all calls are allowed", ["small_model"], { enabled: true }, {}],
  ])(
    "where a file of the project sets %s (%j, %j, the user's: %j), what may be asked is %s",
    (_, keys, settings, own, chosen) => {
      const choice = choose(settings, { project: project(...keys), users: own });
      expect(choice.kind === "allowed" ? choice.model : undefined).toBe(chosen);
    },
  );

  it("a main model chosen by the project is not called either, but the user's own is", () => {
    const main = { main: "acme/large" } as typeof users;
    const claims = { project: project("model") };
    expect(choose({ enabled: true }, claims, main)).toMatchObject({
      kind: "refused",
      claim: { key: "model" },
    });
    const own = choose({ enabled: true }, { ...claims, users: main }, main);
    expect(own).toEqual({ kind: "allowed", model: "acme/large" });
  });

  it("the refusal names key and file, and what to do", () => {
    expect(choose({}, { users, project: project("provider.acme") })).toMatchObject({
      why:
        "provider.acme in /project/opencode.json is set by the project, which must not decide where text is sent: " +
        "remove it there, or set background.model to another provider's model in your own configuration",
    });
  });
});
