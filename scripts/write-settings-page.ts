// Writes docs/settings.md. A test fails if the committed file is stale.
import { writeFileSync } from "node:fs";
import { layers } from "../layers/index.js";
import { composeSettings } from "../src/config/schema.js";
import { formatSettingsPage } from "./settings-page.js";

const settings = composeSettings(layers.map((layer) => layer.settings));
writeFileSync(new URL("../docs/settings.md", import.meta.url), formatSettingsPage(settings));
