import type { LayerFactory, Stack } from "../src/layer-context.js";
import { createToolResults } from "./1-tool-results/index.js";
import { createMicroCompact } from "./2-micro-compact/index.js";
import { createSessionMemory } from "./3-session-memory/index.js";
import { createFullCompact } from "./4-full-compact/index.js";
import { createAutoMemory } from "./5-auto-memory/index.js";
import { createDream } from "./6-dream/index.js";
import { createAcrossAgents } from "./7-across-agents/index.js";
import { createErrors } from "./always/errors/index.js";
import { createAlways } from "./always/index.js";

/** Every layer there is. Their order does not matter: they are asked by their cost. */
export const layers: readonly LayerFactory[] = [
  createToolResults,
  createMicroCompact,
  createSessionMemory,
  createFullCompact,
  createErrors,
  createAcrossAgents,
  createAutoMemory,
  createDream,
];

/** All that the dispatcher asks. */
export const stack: Stack = { layers, always: createAlways };
