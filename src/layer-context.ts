import type PQueue from "p-queue";
import type { Generation } from "./background/generation.js";
import type { ConfigReading } from "./config/config.js";
import type { Config } from "./config/schema.js";
import type { Pulse } from "./dispatcher/pulse.js";
import type { Tool } from "./dispatcher/tool.js";
import type { Family } from "./family.js";
import type { FileKind } from "./file-kinds.js";
import type { Folders } from "./folders.js";
import type { Instances } from "./instances/instances.js";
import type { Locks } from "./lock/locks.js";
import type { MemorySearch } from "./memory/search/search.js";
import type { Memories } from "./memory/store.js";
import type { Notes } from "./notes/notes.js";
import type { Seal } from "./owner/seal.js";
import type { Prompts } from "./prompts.js";
import type { Log } from "./record/log.js";
import type { Savings } from "./record/savings.js";
import type { TokenCounter } from "./record/tokens.js";
import type { Clock } from "./seams/clock.js";
import type { Files } from "./seams/files.js";
import type { Host } from "./seams/host.js";
import type { Toasts } from "./toasts.js";
import type { Trust } from "./trust/trust.js";
import type { ContextSizes } from "./view/context-size.js";
import type { Decisions } from "./view/decisions.js";
import type { Requests } from "./view/request.js";
import type { ResultFiles } from "./view/result-files.js";
import type { ModelWindows } from "./view/windows.js";

/** All that a layer has to work with. */
export interface LayerContext {
  /** The name of this run of the plugin in this project. */
  instance: string;
  config: Config;
  clock: Clock;
  files: Files;
  host: Host;
  folders: Folders;
  log: Log;
  /** For the few moments that a person should know of; never waited for. */
  toasts: Toasts;
  savings: Savings;
  tokens: TokenCounter;
  decisions: Decisions;
  resultFiles: ResultFiles;
  sizes: ContextSizes;
  notes: Notes;
  requests: Pick<Requests, "unwantCut" | "wantCut">;
  prompts: Prompts;
  /** Whose subagent a session is. */
  family: Family;
  /** Who else is at work in this project. Known to the others once layer 7 has made it so. */
  instances: Instances;
  /** Model calls of our own. Never waited for in a hook. */
  generation: Generation;
  /** Count in all processes. Never waited for in a hook for longer than it may take. */
  locks: Locks;
  /** Marks lines that this user's machine has written. */
  seal: Seal;
  /** `known` may be asked in a hook; the rest reads the disk. */
  memories: Memories;
  /** Tells what the user said here from what came with the repository. */
  trust: Trust;
  /** Finds them. */
  search: MemorySearch;
  /** Work that no turn waits for and that may take a while, a few pieces at a time. It must not throw. */
  background: PQueue;
}

/** What is always done has more to work with than a layer: the machine itself. */
export interface KernelContext extends LayerContext {
  requests: Requests;
  windows: ModelWindows;
  pulse: Pulse;
  /** The configuration as it was read, with what is wrong in it. */
  reading: ConfigReading;
  /** Every kind of file that the kernel and the layers leave. */
  fileKinds: readonly FileKind[];
  /** The groups of settings that switch something on and off. */
  switches: readonly string[];
  /** What the agent can call of the seven layers. */
  tools: readonly Tool[];
  /** To be written one after the other, behind the turn. */
  writes: PQueue;
}
