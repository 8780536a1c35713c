import type PQueue from "p-queue";
import type { ConfigReading } from "../config/config.js";
import type { Config } from "../config/schema.js";
import { isSwitchedOn, listSwitches, type SettingsPart } from "../config/setting.js";
import type { ContextSizes } from "../context/context-size.js";
import type { Decisions } from "../context/decisions.js";
import type { ModelWindows, Requests } from "../context/request.js";
import type { ResultFiles } from "../context/result-files.js";
import type { KnownPrices } from "../costs/prices.js";
import type { Savings } from "../costs/savings.js";
import type { Clock } from "../io/clock.js";
import type { Deferred } from "../io/deferred.js";
import type { Files } from "../io/files.js";
import type { Host } from "../io/host.js";
import type { Locks } from "../io/locks.js";
import type { Log } from "../io/log.js";
import type { Prompts } from "../io/prompts.js";
import type { Toasts } from "../io/toasts.js";
import type { Candidates } from "../memory/candidates/candidates.js";
import type { MemorySearch } from "../memory/search/search.js";
import type { Exchange, Memories, OpenMemories } from "../memory/store/store.js";
import type { Trust } from "../memory/trust/trust.js";
import type { Generation } from "../models/generation.js";
import type { Checkpoints } from "../notes/checkpoints/checkpoints.js";
import type { Notes } from "../notes/notes.js";
import type { Family } from "../project/family.js";
import type { Folders } from "../project/folders.js";
import type { Instances } from "../project/instances.js";
import type { Own, Seal, SeenSessions } from "../project/own.js";
import type { Entities } from "../sources/entities/entities.js";
import type { Calls } from "./calls.js";
import type { FileKind } from "./file-kinds.js";
import type { Layer, Tool } from "./layer.js";
import type { Proof } from "./proof.js";

/** What all other parts need: configuration, files and where work waits. */
export interface Core {
  /** ID of this running plugin in this project. */
  instance: string;
  /** The configuration as read, with its problems. */
  reading: ConfigReading;
  config: Config;
  clock: Clock;
  files: Files;
  host: Host;
  folders: Folders;
  log: Log;
  /** Short messages on the screen; never waited for. */
  toasts: Toasts;
  /** Queue for longer work that no turn waits for; a few tasks run at a time. A task must not throw. */
  background: PQueue;
  /** Work behind the turn that is done once for several requests. */
  deferred: Deferred;
  /** Queue of writes, one after the other, in the background. */
  writes: PQueue;
  /** The sessions that ran on this machine. */
  sessions: SeenSessions;
  /** Marks lines that this user's machine wrote. */
  seal: Seal;
  /** Paths of this machine's record of the project. Rejects with the system's error. */
  locateRecord: Own["locateRecord"];
}

/** What a request to the model is made of, and what it costs. */
export interface RequestParts {
  savings: Savings;
  decisions: Decisions;
  resultFiles: ResultFiles;
  sizes: ContextSizes;
  requests: Requests;
  windows: ModelWindows;
  prices: KnownPrices;
}

/** What is remembered. */
export interface MemoryParts {
  /** Locks that hold across processes. A hook waits for one no longer than its own bound. */
  locks: Locks;
  /** A hook may call `known`; everything else reads the disk. */
  memories: OpenMemories;
  /** Sentences that may become memories. Never shown to a model. */
  candidates: Candidates;
  /** Tells the user's own memories from those that came with the repository. */
  trust: Trust;
  /** Searches memories and notes. */
  search: MemorySearch;
  /** Facts from GitLab and GitHub about merge requests, issues and epics. */
  entities: Entities;
  /** For a sync with other machines. */
  exchange: Exchange;
}

/** Sessions, other instances, and models that Strata asks itself. */
export interface SessionParts {
  notes: Notes;
  /** Named states of sessions, and attachments. */
  checkpoints: Checkpoints;
  /** Parents of sessions. */
  family: Family;
  /** Other instances in this project. Layer 7 makes this one known to them. */
  instances: Instances;
  /** Strata's own model calls. A hook never waits for them. */
  generation: Generation;
  prompts: Prompts;
}

/** Everything a layer is given to work with. */
export interface LayerContext
  extends Omit<Core, "locateRecord" | "reading" | "writes">,
    Omit<RequestParts, "prices" | "requests" | "windows">,
    Omit<MemoryParts, "exchange" | "memories">,
    SessionParts {
  requests: Pick<Requests, "unwantCut" | "wantCut">;
  memories: Memories;
}

/** What the parts that are always on get in addition: the machinery itself. */
export interface KernelContext extends Core, RequestParts, MemoryParts, SessionParts {
  calls: Calls;
  /** Every kind of file that the kernel and the layers write. */
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
  /** Kinds of file that it writes in a project. */
  readonly files: readonly FileKind[];
  /** How `strata doctor` makes it act and checks that it did. */
  readonly proof: Proof;
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
