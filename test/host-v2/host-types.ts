import type { StoredMessage, TheirTool } from "../../src/host/2/contract.js";
import type { ScriptedModel } from "./script.js";

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
  readonly model: ScriptedModel;
  readonly sessions: Map<string, HostSession>;
  readonly hooks: Map<string, Callback[]>;
  readonly tools: Map<string, TheirTool>;
  readonly listeners: Set<(event: unknown) => void>;
  /** Removes what a plugin has registered. */
  unload(): void;
  newSession(parentID?: string): HostSession;
  /** A user's message; resolves when the turn is over. */
  ask(session: HostSession, text: string): Promise<void>;
  /** Compacts as the user's /compact does. */
  compact(session: HostSession): Promise<void>;
  admit(session: HostSession, message: Partial<StoredMessage> & { type: string }): StoredMessage;
  emit(type: string, data: Record<string, unknown>, directory?: string): void;
}
