import { isSwitchedOn, listSwitches, type SettingsPart } from "../config/part.js";
import type { Config } from "../config/schema.js";
import type { FileKind } from "./file-kinds.js";
import type { Layer } from "./layer.js";
import type { KernelContext, LayerContext } from "./layer-context.js";
import type { Proof } from "./proof.js";

/**
 * A layer with everything that the rest of Strata needs to know about it. A new one is a folder under `layers/` and a
 * line in `layers/index.ts`: configuration, status, doctor, gc and the pages in docs/ read this.
 */
export interface LayerDefinition extends Pick<Layer, "name"> {
  /** Its groups of settings. The first has the switch of the layer, the others those of its parts. */
  readonly settings: SettingsPart;
  /** The settings group of another layer that it depends on. */
  readonly needs?: string;
  /** Kinds of file that it writes in a project. */
  readonly files: readonly FileKind[];
  /** How `strata doctor` makes it act and checks that it did. Loaded by doctor only. */
  loadProof(): Promise<{ proof: Proof }>;
  /** Called only if the layer is switched on. */
  create(context: LayerContext): LayerParts;
}

/** Parts of a layer that its definition does not have. */
export type LayerParts = Omit<Layer, "name">;

/** The group whose switch turns the layer off, if any. */
export function findOffSwitch({ needs, settings }: LayerDefinition, config: Config): string | undefined {
  const [own] = listSwitches([settings]);
  const switches = [own, needs].filter((group) => group !== undefined);
  return switches.find((group) => !isSwitchedOn(config, group));
}

/** The layers that are switched on. */
export function createLayers(definitions: readonly LayerDefinition[], context: LayerContext): Layer[] {
  return definitions
    .filter((definition) => findOffSwitch(definition, context.config) === undefined)
    .map((definition) => ({ name: definition.name, ...definition.create(context) }));
}

/** The layers, and the parts that are always on. */
export interface Stack {
  /** Cheapest first: the dispatcher asks them in this order. */
  layers: readonly LayerDefinition[];
  /** They name their phase. */
  always(context: KernelContext): readonly Layer[];
}
