// Writes config.schema.json from the schemas of the kernel and of each layer. A test fails when the committed one is not current.
import { writeFileSync } from "node:fs";
import { layers } from "../layers/index.js";
import { formatConfigSchema } from "../src/config/json-schema.js";
import { loadSchema } from "../src/config/schema.js";

const schema = await loadSchema(layers.map(({ settings }) => settings));
writeFileSync(new URL("../config.schema.json", import.meta.url), formatConfigSchema(schema));
