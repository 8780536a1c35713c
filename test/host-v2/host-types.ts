import type { StoredMessage, TheirTool } from "../../src/host/setup/contract.js";
import type { ScriptedModel } from "./script.js";

/** What the sources leave open, one way each; see contract.ts. */
export interface Doubts {
  /** 1: what counts is the event's list, the list handed out, or either. */
  counts: "event" | "list";
  /** 1: the list that is handed out cannot be changed in place. */
  frozenList: boolean;
  /** 3 */
  withIDs: boolean;
  /** 4: lists and objects of the API are wrapped in `data`. */
  wrapped: boolean;
  /** 6 */
  plainErrors: boolean;
  /** 7 */
  withEvents: boolean;
  /** 8 */
  withLocations: boolean;
  /** 9: the context hook runs for summaries too, before their own. */
  contextForSummaries: boolean;
  /** 11: requests show a cache hint of the host's. */
  showsHints: boolean;
  /** The kind of a request is in the event. */
  withKind: boolean;
}

export const USUAL: Doubts = {
  counts: "event",
  frozenList: false,
  withIDs: true,
  wrapped: false,
  plainErrors: false,
  withEvents: true,
  withLocations: true,
  contextForSummaries: false,
  showsHints: false,
  withKind: false,
};

export interface HostSession {
  id: string;
  parentID?: string;
  directory: string;
  title: string;
  stored: StoredMessage[];
  updated: number;
}

export type Callback = (event: never) => unknown;

export interface ContractHost {
  readonly doubts: Doubts;
  readonly model: ScriptedModel;
  readonly sessions: Map<string, HostSession>;
  readonly hooks: Map<string, Callback[]>;
  readonly tools: Map<string, TheirTool>;
  readonly listeners: Set<(event: unknown) => void>;
  /** What the TUI would show. */
  readonly shown: unknown[];
  /** Sessions that the plugin has interrupted. */
  readonly interrupted: string[];
  /** Removes what a plugin has registered. */
  unload(): void;
  newSession(parentID?: string): HostSession;
  /** A user's message; resolves when the turn is over. */
  ask(session: HostSession, text: string): Promise<void>;
  /** Compacts as the user's /compact does, or as the host does by itself. */
  compact(session: HostSession, reason?: "auto" | "manual"): Promise<void>;
  /** Is the window full? Then the host compacts before its next request. */
  isFull?(session: HostSession): boolean;
  /** A request of no consequence, as warming sends them. */
  warm(session: HostSession): Promise<void>;
  admit(session: HostSession, message: Partial<StoredMessage> & { type: string }): StoredMessage;
  emit(type: string, data: Record<string, unknown>, directory?: string): void;
}
