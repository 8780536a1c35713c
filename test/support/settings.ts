import { layers } from "../../layers/index.js";
import { type Config, composeSettings } from "../../src/config/schema.js";
import { composeDefaults } from "../../src/config/setting.js";

/** Settings of the layers. */
export const parts = layers.map((layer) => layer.settings);
/** All settings. */
export const settings = composeSettings(parts);
/** Their defaults. */
export const defaults = composeDefaults(settings) as unknown as Config;
