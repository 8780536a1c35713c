import { expect, it } from "vitest";
import { explainSettings } from "../../src/cli/doctor/settings-in-force.js";
import type { Source } from "../../src/config/plugin-entries.js";
import { configSchema } from "../support/settings.js";

const source = (file: string, origin: Source["origin"], settings: object): Source => ({
  file,
  origin,
  prefix: "memory",
  settings,
});

it("each field of a nested setting names the file that it comes from, and unset fields are left out", () => {
  const users = { recall: { embeddings: { url: "http://localhost:11434", model: "m" } } };
  const sources = [
    source("mine.json", "user", users),
    source("theirs.json", "project", { recall: { enabled: false, embeddings: { model: "m" } } }),
  ];
  const config = configSchema.parse({ recall: { ...users.recall, enabled: false } });
  const explained = explainSettings(configSchema, config, sources).filter(({ key }) =>
    key.startsWith("recall."),
  );
  expect(explained).toEqual([
    { key: "recall.enabled", value: false, from: "theirs.json" },
    { key: "recall.embeddings.url", value: "http://localhost:11434", from: "mine.json" },
    { key: "recall.embeddings.model", value: "m", from: "mine.json" },
    { key: "recall.embeddings.timeoutMs", value: 10_000, from: "default" },
    { key: "recall.embeddings.allowPrivate", value: false, from: "default" },
    { key: "recall.entities.background", value: false, from: "default" },
    { key: "recall.entities.hosts", value: [], from: "default" },
  ]);
});
