import { createDispatcher } from "../../src/kernel/dispatcher.js";
import { type HookRules, hookRules } from "../../src/kernel/hooks.js";
import type { Layer } from "../../src/kernel/layer.js";
import { createFakeClock } from "./fake-clock.js";
import { createFakeLog } from "./fake-log.js";

/** A dispatcher of these layers, and every line that it has logged: "error dispatcher: layer …". */
export function openDispatcher(layers: Layer[], rules: HookRules = hookRules) {
  const log = createFakeLog();
  const clock = createFakeClock();
  return { dispatcher: createDispatcher({ layers, clock, log, rules }), clock, lines: log.lines };
}

export function layer(name: string, handlers: Layer["handlers"], more: Partial<Layer> = {}): Layer {
  return { name, handlers, ...more };
}
