import type { Handler, HookName } from "./hooks.js";
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
  /** Layers are asked from the smallest to the largest. */
  readonly cost: number;
  /** Asked at an `until` hook only while the value is not good enough: what it does is dear, to the user or the model. */
  readonly isLastResort?: boolean;
  readonly handlers: { readonly [H in HookName]?: Handler<H> };
  /**
   * Hooks at which it is asked about forks of ours too. These live for minutes and share their parent's prompt cache:
   * what was decided in the parent holds in them, and nothing more may be decided about what they have from it. Notes,
   * reminders, memories and messages are the parent's.
   */
  readonly servesForks?: readonly HookName[];
  /** What the agent can call of it. */
  readonly tools?: readonly Tool[];
  /** What a person can call of it in a session. */
  readonly commands?: readonly SlashCommand[];
  /** Resolves when nothing of it is left to be done behind the turn. Never rejects. */
  onIdle?(): Promise<void>;
  /** Lets go of what the layer holds. The host may end without calling it. */
  dispose?(): Promise<void>;
}
