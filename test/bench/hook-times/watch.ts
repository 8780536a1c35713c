/** Watches the plugin in this process: how long each layer takes at each hook, and what it does on disk. */

import type { Files } from "../../../src/io/files.js";
import type { Layer } from "../../../src/kernel/layer.js";
import type { LayerDefinition, Stack } from "../../../src/kernel/layer-context.js";

export interface HookWatch {
  /** The same layers, timed. */
  readonly stack: Stack;
  /** The same files, counted. */
  readonly files: Files;
  /** The host waits for this. */
  hook<T>(run: () => Promise<T>): Promise<T>;
  /** Milliseconds by layer and hook. */
  readonly layerMs: ReadonlyMap<string, number>;
  /** Number of file operations by name and kind of path: while the host waited for a hook, and at other times. */
  readonly waited: ReadonlyMap<string, number>;
  readonly behind: ReadonlyMap<string, number>;
}

export function createHookWatch(stack: Stack, files: Files): HookWatch {
  const layerMs = new Map<string, number>();
  const waited = new Map<string, number>();
  const behind = new Map<string, number>();
  let hooks = 0;

  const time = <T extends Pick<Layer, "handlers">>(name: string, layer: T): T => ({
    ...layer,
    handlers: Object.fromEntries(
      Object.entries(layer.handlers).map(([hook, handler]) => [
        hook,
        async (...given: unknown[]) => {
          const begunMs = performance.now();
          try {
            return await (handler as (...given: unknown[]) => unknown)(...given);
          } finally {
            add(layerMs, `${name} at ${hook}`, performance.now() - begunMs);
          }
        },
      ]),
    ),
  });

  const timeDefinition = (definition: LayerDefinition): LayerDefinition => ({
    ...definition,
    create: (context) => time(definition.name, definition.create(context)),
  });

  return {
    stack: {
      layers: stack.layers.map(timeDefinition),
      always: (context) => stack.always(context).map((layer) => time(layer.name, layer)),
    },
    files: Object.fromEntries(
      Object.entries(files).map(([name, run]) => [
        name,
        (path: string, ...rest: unknown[]) => {
          add(hooks > 0 ? waited : behind, `${name} ${describePath(path)}`, 1);
          return (run as (...given: unknown[]) => unknown)(path, ...rest);
        },
      ]),
    ) as unknown as Files,
    async hook(run) {
      hooks++;
      try {
        return await run();
      } finally {
        hooks--;
      }
    },
    layerMs,
    waited,
    behind,
  };
}

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}

/** The path of one of the plugin's files, without names of sessions, days and instances. */
function describePath(path: string): string {
  const own = /\.opencode[\\/](.+)$/.exec(path)?.[1];
  if (own === undefined) return path.includes("opencode-strata") ? "in the user's state folder" : "elsewhere";
  return own.replace(/ses_\w+|\d{4}-\d\d-\d\d|[0-9a-f]{8}(?:-[0-9a-f-]+)?/g, "*");
}
