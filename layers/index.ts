import type { LayerFactory } from "../src/layer-context.js";
import { createToolResults } from "./tool-results/index.js";

/** Every layer there is. Their order does not matter: they are asked by their cost. */
export const layers: readonly LayerFactory[] = [createToolResults];
