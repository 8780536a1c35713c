import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { formatSettingsPage } from "../../scripts/settings-page.js";
import { listFields } from "../../src/config/owners.js";
import { configSchema } from "../support/settings.js";

it("docs/settings.md is current: npm run schema", () => {
  expect(readFileSync("docs/settings.md", "utf8")).toBe(formatSettingsPage(configSchema));
});

it("the page of settings has a row for every setting", () => {
  const page = formatSettingsPage(configSchema);
  const missing = listFields(configSchema).filter(({ path }) => !page.includes(`| \`${path.join(".")}\` |`));
  expect(missing).toEqual([]);
});
