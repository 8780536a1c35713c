import type { LayerFactory } from "../src/layer-context.js";
import { createAcrossAgents } from "./across-agents/index.js";
import { createAutoMemory } from "./auto-memory/index.js";
import { createDream } from "./dream/index.js";
import { createErrors } from "./errors/index.js";
import { createFullCompact } from "./full-compact/index.js";
import { createMicroCompact } from "./micro-compact/index.js";
import { createSessionMemory } from "./session-memory/index.js";
import { createToolResults } from "./tool-results/index.js";

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
