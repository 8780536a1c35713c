// Writes docs/settings.md. A test fails if the committed file is stale.
import { writeFileSync } from "node:fs";
import { layers } from "../layers/index.js";
import { loadSchema } from "../src/config/schema.js";
import { formatSettingsPage } from "./settings-page.js";

const schema = await loadSchema(layers.map(({ settings }) => settings));
writeFileSync(new URL("../docs/settings.md", import.meta.url), formatSettingsPage(schema));
