import { isSwitchedOn, listSwitches, type SettingsPart } from "./config/part.js";
import type { Config } from "./config/schema.js";
import type { Layer } from "./dispatcher/layer.js";
import type { FileKind } from "./file-kinds.js";
import type { KernelContext, LayerContext } from "./layer-context.js";
import type { Proof } from "./proof.js";

/**
 * A layer with everything that the rest of Strata must know of it. A new one is a folder under `layers/` and a line in
 * `layers/index.ts`: configuration, status, doctor, gc and the pages in docs/ read what stands here.
 */
export interface LayerDefinition extends Pick<Layer, "cost" | "name"> {
  /** Its groups of settings. The first one switches the layer, the others parts of it. */
  readonly settings: SettingsPart;
  /** The group of another layer's settings without which it has nothing to work on. */
  readonly needs?: string;
  /** What it leaves on disk in a project. */
  readonly files: readonly FileKind[];
  /** How `strata doctor` makes it act, and sees that it has. Loaded only for that. */
  loadProof(): Promise<{ proof: Proof }>;
  /** Called only where it is switched on. */
  create(context: LayerContext): LayerParts;
}

/** A layer, but for what its definition says already. */
export type LayerParts = Omit<Layer, "cost" | "name">;

/** The group that is off and keeps the layer from working; `undefined` where none does. */
export function findOffSwitch({ needs, settings }: LayerDefinition, config: Config): string | undefined {
  const [own] = listSwitches([settings]);
  const switches = [own, needs].filter((group) => group !== undefined);
  return switches.find((group) => !isSwitchedOn(config, group));
}

/** The layers that are switched on. */
export function createLayers(definitions: readonly LayerDefinition[], context: LayerContext): Layer[] {
  return definitions
    .filter((definition) => findOffSwitch(definition, context.config) === undefined)
    .map((definition) => ({
      name: definition.name,
      cost: definition.cost,
      ...definition.create(context),
    }));
}

/** The stack: the layers, and what is always done beside them. */
export interface Stack {
  layers: readonly LayerDefinition[];
  always(context: KernelContext): readonly Layer[];
}
