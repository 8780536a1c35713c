import { layers } from "../../layers/index.js";
import { composeDefaults } from "../../src/config/defaults.js";
import { loadSchema } from "../../src/config/schema.js";

/** What the layers add to the settings. */
export const parts = layers.map(({ settings }) => settings);
/** The settings of someone who sets nothing. */
export const defaults = composeDefaults(parts);
export const configSchema = await loadSchema(parts);
