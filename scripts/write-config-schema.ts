// Writes config.schema.json from src/config/schema.ts. A test fails when the committed one is not current.
import { writeFileSync } from "node:fs";
import { formatConfigSchema } from "../src/config/json-schema.js";

writeFileSync(new URL("../config.schema.json", import.meta.url), formatConfigSchema());
