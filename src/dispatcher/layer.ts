import type { Handler, HookInput, HookName } from "./hooks.js";
import type { SlashCommand } from "./slash-command.js";
import type { Tool } from "./tool.js";

/**
 * One policy of the stack.
 *
 * Contract: a handler is given what the hook is about, the value as the cheaper layers left it, and a signal
 * that is aborted at the deadline. It returns a value of its own, or `undefined` to pass. It never changes what
 * it was given: an answer that comes too late is dropped, and the next request must not show it.
 */
export interface Layer {
  /** As in the log and the events. */
  readonly name: string;
  /** Layers are asked from the smallest to the largest; no two have the same. */
  readonly cost: number;
  /** Asked at an `until` hook only while the value is not good enough: what it does is dear, to the user or the model. */
  readonly isLastResort?: boolean;
  readonly handlers: { readonly [H in HookName]?: Handler<H> };
  /** How long each handler may keep a turn waiting, in milliseconds; at most as long as the hook allows. */
  readonly withinMs?: { readonly [H in HookName]?: number };
  /**
   * Notes what was not done because the handler failed, overran or was left out, so that a later request does not show
   * something else in its place. Nothing is waited for.
   */
  readonly passedOver?: { readonly [H in HookName]?: (input: HookInput<H>) => void };
  /**
   * Every request needs it, as the replay of what was decided: it is asked when the hook's time is over and while an
   * earlier call of it hangs, and its time does not count as the hook's. It names its own bounds.
   */
  readonly isIndispensable?: boolean;
  /**
   * Hooks at which it is also asked about our forks. These live for minutes and share their parent's prompt cache:
   * what was decided in the parent holds in them, and nothing more may be decided about what they have from it. Notes,
   * reminders, memories and messages are the parent's.
   */
  readonly servesForks?: readonly HookName[];
  /** Types of the host's events that it hears, besides those that every layer does: `heardEvents` in `hooks.ts`. */
  readonly events?: readonly string[];
  /** What the agent can call of it. */
  readonly tools?: readonly Tool[];
  /** What a person can call of it in a session. */
  readonly commands?: readonly SlashCommand[];
  /** Resolves when nothing of it is left to be done behind the turn. Never rejects. */
  onIdle?(): Promise<void>;
  /** Lets go of what the layer holds. The host may end without calling it. */
  dispose?(): Promise<void>;
}
