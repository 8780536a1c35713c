import type { z } from "zod";
import { CHARACTERS_PER_TOKEN } from "../context/context-size.js";
import type { Handler, HookInput, HookName, ToolCall } from "./hooks.js";

type Phase = "before" | "after";

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
  /** It is asked only while the value is not good enough, because what it does is expensive. */
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
  /** Types of the host's events that it hears, besides those that every layer does: `commonEvents` in `hooks.ts`. */
  readonly events?: readonly string[];
  /** What the agent can call of it. */
  readonly tools?: readonly Tool[];
  readonly commands?: readonly SlashCommand[];
  /** Resolves when the layer has no background work left. Never rejects. */
  onIdle?(): Promise<void>;
  /** Releases what the layer holds. The host may exit without calling it. */
  dispose?(): Promise<void>;
}

/**
 * A tool for the agent. Its definition costs tokens in every request, so names and descriptions are short.
 *
 * Contract: `execute` gets valid arguments: `src/host/tools.ts` checks them, since the host does not (measured). It
 * returns the text for the model. A call that cannot be carried out changes nothing and throws a `StrataError` that says
 * why and what to do.
 */
export interface Tool<Parameters extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /**
   * The usual arguments for the model; part of every request. A rare one is only named in the description, which takes a
   * third of the tokens. The host passes it on (measured), and it is checked like the others.
   */
  readonly parameters: ToolParameters;
  /** Schema that checks the arguments; loaded when the tool is first called. A test compares it with the definition. */
  loadCheck(): Promise<Parameters>;
  /** Time limit; default 10 s. */
  readonly deadlineMs?: number;
  execute(
    args: z.output<Parameters>,
    call: ToolCall & { messageID: string },
    signal: AbortSignal,
  ): Promise<string>;
}

/** JSON Schema of the arguments, an object. Limits of values are checked but not sent. */
export interface ToolParameters {
  /** Sent in this order, as are the fields of each. Descriptions are a few words. */
  readonly properties: Readonly<Record<string, ToolProperty>>;
  /** Required arguments. Absent if all are optional. */
  readonly required?: readonly string[];
}

interface ToolProperty {
  readonly description?: string;
  readonly type: "array" | "boolean" | "number" | "string";
  readonly enum?: readonly string[];
  readonly items?: ToolProperty;
}

/** Types the arguments of `execute` by the tool's own schema, and returns a plain `Tool`. */
export function defineTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}

/** The parameters exactly as the host sends them. Pure. */
export function formatParameters({ properties, required }: ToolParameters): Record<string, unknown> {
  return {
    type: "object",
    properties,
    ...(required && { required }),
  };
}

/** Tokens that a tool's definition takes in a request, as the host sends it. Pure. */
export function estimateDefinition(tool: { name: string; description: string; parameters: unknown }): number {
  const { description, name, parameters } = tool;
  const sent = JSON.stringify({ type: "function", function: { name, description, parameters } });
  return Math.ceil(sent.length / CHARACTERS_PER_TOKEN);
}

/**
 * A command for people in a session: `/name words…`.
 *
 * Contract: the answer is shown to the person and never sent to a model, and no model is called. A command that cannot
 * be carried out throws a `StrataError` that says why and what to do.
 */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** A few words, for the host's list of commands. It costs no tokens. */
  readonly description: string;
  /** Time limit; default 5 s. */
  readonly deadlineMs?: number;
  /** Returns the answer as plain text. `words` is everything after the name, as typed. */
  execute(call: { sessionID: string; words: string }, signal: AbortSignal): Promise<string>;
}
