import type { Config } from "../config/schema.js";
import { isSwitchedOn, listSwitches, type SettingsPart } from "../config/setting.js";
import type { Requests } from "../context/request.js";
import type { Memories } from "../memory/store/store.js";
import type { Checkpoints } from "../notes/checkpoints/checkpoints.js";
import type { Calls } from "./calls.js";
import type { FileKind } from "./file-kinds.js";
import type { Core, MemoryParts, RequestParts, SessionParts } from "./kernel.js";
import type { Layer, Tool } from "./layer.js";
import type { Proof } from "./proof.js";

/** Everything a layer is given to work with. */
export interface LayerContext
  extends Omit<Core, "locateRecord" | "reading" | "writes">,
    Omit<RequestParts, "prices" | "requests" | "windows">,
    Omit<MemoryParts, "exchange" | "memories">,
    SessionParts {
  requests: Pick<Requests, "thresholdOf" | "unwantCut" | "wantCut">;
  memories: Memories;
  /** Named states of sessions, and attachments. */
  checkpoints: Checkpoints;
  /** Every kind of file that the kernel and the layers write. */
  fileKinds: readonly FileKind[];
}

/** What the parts that are always on get in addition: the machinery itself. */
export interface KernelContext extends Core, RequestParts, MemoryParts, SessionParts {
  calls: Calls;
  checkpoints: Checkpoints;
  fileKinds: readonly FileKind[];
  /** Groups of settings with an on/off switch. */
  switches: readonly string[];
  /** Tools of the seven layers. */
  tools: readonly Tool[];
}

/**
 * A layer with everything that the rest of Strata needs to know about it. A new one is a folder under `layers/` and a
 * line in `layers/index.ts`: configuration, status, doctor, gc and the pages in docs/ read this.
 */
export interface LayerDefinition extends Pick<Layer, "name"> {
  /** Its groups of settings. The first has the switch of the layer, the others those of its parts. */
  readonly settings: SettingsPart;
  /** The settings group of another layer that it depends on. */
  readonly needs?: string;
  readonly files: readonly FileKind[];
  /** How `strata doctor` makes it act and checks that it did. */
  readonly proof: Proof;
  /** Called only if the layer is switched on. */
  create(context: LayerContext): LayerParts;
}

export type LayerParts = Omit<Layer, "name">;

export function findOffSwitch({ needs, settings }: LayerDefinition, config: Config): string | undefined {
  const [own] = listSwitches([settings]);
  const switches = [own, needs].filter((group) => group !== undefined);
  return switches.find((group) => !isSwitchedOn(config, group));
}

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
