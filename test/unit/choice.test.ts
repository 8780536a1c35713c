import { describe, expect, it } from "vitest";
import type { ModelClaims } from "../../src/config/plugin-entries.js";
import type { Config } from "../../src/config/schema.js";
import { planChoice } from "../../src/models/cost.js";
import { NO_CLAIMS } from "../support/no-claims.js";
import { defaults } from "../support/settings.js";

const users = { main: "acme/large", small: "acme/small" };
const project = (...keys: string[]): ModelClaims["project"] =>
  keys.map((key) => ({ key, file: "/project/opencode.json" }));

/** What comes of the host's models `users`, with these settings and claims. */
function choose(settings: Partial<Config["background"]>, claims: Partial<ModelClaims>, models = users) {
  return planChoice({ ...defaults.background, ...settings }, models, { ...NO_CLAIMS, ...claims });
}

describe("a model that a project chose", () => {
  const cases: [
    what: string,
    settings: Partial<Config["background"]>,
    claims: Partial<ModelClaims>,
    chosen?: string,
  ][] = [
    ["sets nothing", {}, {}, "acme/small"],
    ["sets the small model", {}, { project: project("small_model") }],
    [
      "sets a small model other than the user's",
      {},
      { users: { small: "acme/mine" }, project: project("small_model") },
    ],
    ["sets the small model that the user has", {}, { users, project: project("small_model") }, "acme/small"],
    ["sets where the small model's provider is", {}, { users, project: project("provider.acme") }],
    [
      "sets where other providers are",
      {},
      { users, project: project("provider.other", "provider.acme-2") },
      "acme/small",
    ],
    [
      "sets the model for titles, the small one of OpenCode 2",
      {},
      { project: project("agents.title.model") },
    ],
    [
      "sets where the small model's provider is in OpenCode 2",
      {},
      { users, project: project("providers.acme") },
    ],
    ["sets the main model", {}, { users: { small: "acme/small" }, project: project("model") }, "acme/small"],
    [
      "sets a main model beside which the user's only one looks small",
      {},
      { users: { main: "acme/small", small: "acme/small" }, project: project("model") },
    ],
    [
      "sets where the provider of background.model is",
      { model: "acme/x" },
      { users, project: project("provider.acme") },
    ],
    [
      "sets the small model, where background.model is another",
      { model: "mine/x" },
      { project: project("small_model") },
      "mine/x",
    ],
    [
      "sets the small model, where all calls are allowed",
      { enabled: true },
      { project: project("small_model") },
    ],
  ];
  for (const [what, settings, claims, chosen] of cases) {
    it(`where a file of the project ${what}, ${chosen ? `${chosen} may be asked` : "none is"}`, () => {
      const choice = choose(settings, claims);
      if (chosen) expect(choice).toEqual({ kind: "allowed", model: chosen });
      else expect(choice.kind).toBe("refused");
    });
  }

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
