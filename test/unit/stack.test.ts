import { expect, it } from "vitest";
import { stack } from "../../layers/index.js";
import { hookRules } from "../../src/kernel/hooks.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { LayerDefinition, Stack } from "../../src/kernel/layer-context.js";
import { createStrata } from "../../src/strata.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeHost } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";

/** Everything that the dispatcher asks, as the machine makes it. */
async function listLayers(): Promise<Layer[]> {
  const made: Layer[] = [];
  const keep = (definition: LayerDefinition): LayerDefinition => ({
    ...definition,
    create(context) {
      const parts = definition.create(context);
      made.push({ name: definition.name, ...parts });
      return parts;
    },
  });
  const watched: Stack = {
    layers: stack.layers.map(keep),
    always(context) {
      const always = stack.always(context);
      made.push(...always);
      return always;
    },
  };
  await createStrata(
    { clock: createFakeClock(), files: createMemoryFiles(), host: createFakeHost() },
    watched,
  );
  return made;
}

it("no two layers have the same name, and all that are always on name their phase", async () => {
  const layers = await listLayers();
  const names = layers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const ofStack = new Set(stack.layers.map(({ name }) => name));
  expect(layers.filter(({ name, phase }) => ofStack.has(name) === (phase !== undefined))).toEqual([]);
  expect(layers.length).toBeGreaterThan(stack.layers.length);
});

it("a layer's time limit is within that of the hook, unless every request needs the layer", async () => {
  for (const { isIndispensable, name, withinMs = {} } of await listLayers())
    for (const [hook, ms] of Object.entries(withinMs))
      if (!isIndispensable)
        expect(ms, `${name} at ${hook}`).toBeLessThan(hookRules[hook as keyof typeof hookRules].deadlineMs);
});

it("the seven layers are asked in the order of their folders", () => {
  const seven = stack.layers.filter(({ name }) => name !== "errors");
  expect(seven.map(({ name }) => name)).toEqual([
    "tool-results",
    "micro-compact",
    "session-memory",
    "full-compact",
    "auto-memory",
    "dream",
    "across-agents",
  ]);
});
