import type { Log } from "../../src/io/log.js";
import { createDispatcher } from "../../src/kernel/dispatcher.js";
import { type HookRules, hookRules } from "../../src/kernel/hooks.js";
import type { Layer } from "../../src/kernel/layer.js";
import { createFakeClock } from "./fake-clock.js";

/** A dispatcher of these layers, and every line that it has logged: "error layer …". */
export function openDispatcher(layers: Layer[], rules: HookRules = hookRules) {
  const lines: string[] = [];
  const write = (level: string) => (_source: string, message: string) =>
    void lines.push(`${level} ${message}`);
  const log: Log = { error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
  const clock = createFakeClock();
  return { dispatcher: createDispatcher({ layers, clock, log, rules }), clock, lines };
}

export function layer(name: string, handlers: Layer["handlers"], more: Partial<Layer> = {}): Layer {
  return { name, handlers, ...more };
}
