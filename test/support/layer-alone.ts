/** One layer alone, with only the replay of decisions beside it. */
import { layers, stack } from "../../layers/index.js";
import { listSwitches } from "../../src/config/setting.js";
import { type HookName, hookRules } from "../../src/kernel/hooks.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { LayerDefinition } from "../../src/kernel/layer-context.js";
import { DAY_OPTIONS } from "./host-day.js";
import { type TrappedFiles, trapFiles } from "./trapped-files.js";
import { openWorld, type World, type WorldOptions } from "./world.js";

export interface LayerUnderTest {
  name: string;
  /** Definition of a layer of the stack; the layers under `always` are found by name. */
  definition?: LayerDefinition;
}

export interface Alone {
  world: World;
  /** All files except the log. */
  disk: TrappedFiles;
  /** Maximum time that this host hook may wait for the replay of decisions. */
  replayMs(hostHook: string): number;
}

export interface AloneOptions extends Pick<WorldOptions, "clock" | "files" | "host"> {
  /** Name of the disabled setting. */
  off?: string;
}

/** One setting is invalid, so that a layer reports it. */
const OPTIONS = { ...DAY_OPTIONS, noSuchSetting: 1 };
/** Dispatcher hooks by host hook. The first one bounds the call. */
const HOOKS: Readonly<Record<string, readonly [HookName, ...HookName[]]>> = {
  "experimental.chat.messages.transform": ["context", "compacted", "takenBack"],
  "experimental.session.compacting": ["compacting"],
  "chat.message": ["turn"],
  "chat.params": ["modelWindow"],
  "command.execute.before": ["command"],
  "tool.execute.before": ["toolArguments"],
  event: ["event"],
};

/** Without a name only the indispensable layers run. */
export async function openAlone(
  { definition, name }: Partial<LayerUnderTest>,
  { clock, files, host, off }: AloneOptions = {},
): Promise<Alone> {
  let disk: TrappedFiles | undefined;
  let indispensable: readonly Layer[] = [];
  const world = await openWorld({
    ...(clock && { clock }),
    ...(files && { files }),
    ...(host && { host }),
    options: off === undefined ? OPTIONS : { ...OPTIONS, [off]: { enabled: false } },
    layers: definition ? [definition] : [],
    always(context) {
      const all = stack.always(context);
      indispensable = all.filter(({ isIndispensable }) => isIndispensable);
      return all.filter((layer) => layer.isIndispensable || layer.name === name);
    },
    wrap: (inner) => {
      disk = trapFiles(inner, (path) => path.endsWith("/strata.log"));
      return disk;
    },
  });
  if (!disk) throw new Error("the files were not wrapped");
  return {
    world,
    disk,
    replayMs: (hostHook) =>
      (HOOKS[hostHook] ?? [])
        .flatMap((hook) => indispensable.map(({ withinMs }) => withinMs?.[hook] ?? 0))
        .reduce((sum, ms) => sum + ms, 0),
  };
}

/** Maximum time that this host hook may wait for all other layers. */
export function deadlineOf(hostHook: string): number {
  const [hook] = HOOKS[hostHook] ?? [];
  return hook === undefined ? 0 : hookRules[hook].deadlineMs;
}

/** All layers: those of the stack and those under `always`. */
export async function listLayers(): Promise<LayerUnderTest[]> {
  let always: readonly Layer[] = [];
  await openWorld({
    options: OPTIONS,
    always(context) {
      always = stack.always(context);
      return always;
    },
  });
  const ofStack = layers.map((definition) => ({ name: definition.name, definition }));
  return [...ofStack, ...always.map(({ name }) => ({ name }))];
}

/** Groups of settings, each of which can disable the layer. */
export function listOffSwitches({ definition }: LayerUnderTest): string[] {
  if (!definition) return [];
  const [own] = listSwitches([definition.settings]);
  return [own, definition.needs].filter((group) => group !== undefined);
}
