import type { Handler, HookInput, HookName } from "./hooks.js";
import type { SlashCommand } from "./slash-command.js";
import type { Tool } from "./tool.js";

export type Phase = "before" | "after";

/**
 * One policy of the stack.
 *
 * Contract: a handler receives the hook's input, the value after the cheaper layers, and a signal that is aborted at the
 * deadline. It returns a new value, or `undefined` to pass. It never mutates its arguments: an answer that comes too
 * late is dropped, and the next request must not show it.
 */
export interface Layer {
  /** Name in the log and in events. */
  readonly name: string;
  /** Asked before the layers or after them; absent for a layer. Within a phase the order is that of the list. */
  readonly phase?: Phase;
  /** At an `until` hook it is asked only while the value is not good enough, because what it does is expensive. */
  readonly isLastResort?: boolean;
  readonly handlers: { readonly [H in HookName]?: Handler<H> };
  /** Time limit of each handler in milliseconds; the hook's limit applies as well. */
  readonly withinMs?: { readonly [H in HookName]?: number };
  /**
   * Called if the handler failed, overran or was not asked, so that the layer can record what it did not do and later
   * requests show the same. Not waited for.
   */
  readonly passedOver?: { readonly [H in HookName]?: (input: HookInput<H>) => void };
  /**
   * Every request needs this layer, such as the replay of decisions: it is asked even if the hook's time is used up or an
   * earlier call hangs, and its time does not count towards the hook's. It has its own limits.
   */
  readonly isIndispensable?: boolean;
  /**
   * Hooks at which it is also asked about forks made by Strata. A fork lives for minutes and shares its parent's prompt
   * cache: the parent's decisions hold in it, and no new ones may be made about what it inherited. Notes, reminders,
   * memories and messages belong to the parent.
   */
  readonly servesForks?: readonly HookName[];
  /** Types of the host's events that it hears, besides those that every layer does: `heardEvents` in `hooks.ts`. */
  readonly events?: readonly string[];
  /** What the agent can call of it. */
  readonly tools?: readonly Tool[];
  /** Slash commands for people. */
  readonly commands?: readonly SlashCommand[];
  /** Resolves when the layer has no background work left. Never rejects. */
  onIdle?(): Promise<void>;
  /** Releases what the layer holds. The host may exit without calling it. */
  dispose?(): Promise<void>;
}
