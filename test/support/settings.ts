import { layers } from "../../layers/index.js";
import { composeDefaults } from "../../src/config/config.js";
import { loadSchema } from "../../src/config/schema.js";

/** Settings of the layers. */
export const parts = layers.map(({ settings }) => settings);
/** Default settings. */
export const defaults = composeDefaults(parts);
export const configSchema = await loadSchema(parts);
