// Writes config.schema.json from the settings of the kernel and the layers. A test fails if the committed file is stale.
import { writeFileSync } from "node:fs";
import { layers } from "../layers/index.js";
import { composeSettings, formatConfigSchema } from "../src/config/schema.js";

const settings = composeSettings(layers.map((layer) => layer.settings));
writeFileSync(new URL("../config.schema.json", import.meta.url), formatConfigSchema(settings));
