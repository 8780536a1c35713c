// Writes config.schema.json from the schemas of the kernel and the layers. A test fails if the committed file is stale.
import { writeFileSync } from "node:fs";
import { layers } from "../layers/index.js";
import { formatConfigSchema, loadSchema } from "../src/config/schema.js";

const schema = await loadSchema(layers.map(({ settings }) => settings));
writeFileSync(new URL("../config.schema.json", import.meta.url), formatConfigSchema(schema));
