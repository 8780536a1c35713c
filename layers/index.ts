import type { LayerDefinition, Stack } from "../src/kernel/layer-context.js";
import { toolResults } from "./1-tool-results/index.js";
import { microCompact } from "./2-micro-compact/index.js";
import { sessionMemory } from "./3-session-memory/index.js";
import { fullCompact } from "./4-full-compact/index.js";
import { autoMemory } from "./5-auto-memory/index.js";
import { dream } from "./6-dream/index.js";
import { acrossAgents } from "./7-across-agents/index.js";
import { createAlways } from "./always/index.js";
import { errors } from "./errors/index.js";

/** All layers, cheapest first. */
export const layers: readonly LayerDefinition[] = [
  toolResults,
  microCompact,
  sessionMemory,
  fullCompact,
  errors,
  autoMemory,
  dream,
  acrossAgents,
];

/** Everything the dispatcher calls. */
export const stack: Stack = { layers, always: createAlways };
