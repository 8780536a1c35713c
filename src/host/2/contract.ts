/**
 * OpenCode 2 as far as the plugin relies on it, seen in 2.0.15: the one file to correct if a later one differs. Every
 * field is `unknown` to the adapter until it has looked. What else was seen, and decides how the adapter works:
 *
 * - Messages of a request are instances of a class of the host's; plain objects and another list are taken as well. A
 *   part of a wrong shape fails the turn ("Schema validation failed"). Changes of a part are sent and not stored.
 * - `session.context` and `session.get` return their value, `model.*`, `command.list` and `agent.get` have it in `data`.
 * - `session.context` has the calls of the last answer when the next request's hook runs.
 * - A hook that throws fails the request or loses the prompt, one that hangs is waited for: none of ours may.
 * - A summary that the `compaction` hook sets is not checked, and no model is called.
 * - Warming runs the `generate` hook. The `context` hook is for the agent's own requests only.
 * - `session.execution.*` and `session.usage.updated` have no location.
 * - A cache hint on a part takes the place of the host's own on the last message, since Anthropic allows four and the
 *   host sets four: everything behind it would be written again with each request. So there are none of ours.
 * - A synthetic message with `resume: false` waits for the next turn in the inbox, and wakes no model.
 */

/**
 * What `setup` is given. Each call is bounded, and what a later OpenCode does not offer or refuses is off, as the log
 * says.
 */
export interface SetupContext {
  readonly app?: { readonly version?: unknown };
  readonly options?: Readonly<Record<string, unknown>>;
  readonly location: {
    readonly directory: string;
    readonly project?: { readonly directory?: unknown };
    readonly workspaceID?: unknown;
  };
  readonly session: {
    hook(name: string, callback: (event: never) => unknown): unknown;
    get(input: { sessionID: string }): unknown;
    /** The stored messages from the last checkpoint on. */
    context(input: { sessionID: string }): unknown;
    synthetic(input: SyntheticInput): unknown;
    interrupt(input: { sessionID: string }): unknown;
  };
  readonly mcp: { list(): unknown };
  readonly tool: {
    hook(name: string, callback: (event: never) => unknown): unknown;
    transform(edit: (editor: { add(tool: TheirTool): void }) => void): unknown;
  };
  readonly command: {
    list(): unknown;
    transform(edit: (editor: { add(command: TheirCommand): void }) => void): unknown;
  };
  readonly event: { subscribe(input: { signal: AbortSignal }): unknown };
  readonly generate: { text(input: { model: ModelRef; prompt: string }): unknown };
  readonly model: { list(): unknown; default(): unknown };
  readonly agent: { get(input: { agentID: string }): unknown };
  readonly rpc: { register(events: object, methods: object): unknown };
}

export interface SyntheticInput {
  sessionID: string;
  text: string;
  description?: string;
  metadata?: Readonly<Record<string, unknown>>;
  resume?: boolean;
}

/** A request to the model, before it is sent; changes are not stored. */
export interface ContextEvent {
  readonly sessionID: string;
  readonly agent?: string;
  readonly model: ModelRef;
  messages: TheirMessage[];
  readonly system?: unknown;
  /** By name, each with its description and `input`, a JSON Schema. */
  tools?: unknown;
}

/** `messages` is the transcript to summarise; the host adds its instruction afterwards. */
export interface CompactionEvent extends ContextEvent {
  /** Set: this is the summary, and no model is called. */
  result?: { summary: string };
}

export interface ModelRef {
  readonly providerID: string;
  readonly id: string;
  readonly variant?: string;
}

/** One result per tool message; these alone have no id. */
export interface TheirMessage {
  readonly id?: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: readonly TheirPart[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * text, media, tool-call, tool-result, reasoning, and whatever later releases add, which passes untouched. Fields by
 * type, so all are optional here.
 */
export interface TheirPart {
  readonly type: string;
  readonly text?: string;
  /** Of a call and its result. */
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly result?: TheirResult;
  /** Run by the provider: call and result are in the assistant's message. */
  readonly providerExecuted?: boolean;
}

/**
 * `content` is a list of texts and files; the value of `error` is `{ error: { type, message }, content }`; a call without
 * content, such as a silent shell command, is `json`.
 */
export interface TheirResult {
  readonly type: "text" | "json" | "error" | "content";
  readonly value: unknown;
}

/**
 * A stored message; `type` is user, synthetic, system, skill, shell, assistant, compaction, or one of several that no
 * model sees. Times are milliseconds since 1970.
 */
export interface StoredMessage {
  readonly id: string;
  readonly type: string;
  readonly time: { readonly created: number; readonly streamed?: number; readonly completed?: number };
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Of a user's, synthetic, system or skill message. */
  readonly text?: string;
  readonly files?: readonly unknown[];
  readonly skills?: readonly unknown[];
  /** Of an answer. */
  readonly agent?: string;
  readonly model?: ModelRef;
  readonly content?: readonly StoredPart[];
  readonly finish?: string;
  readonly tokens?: unknown;
  readonly error?: unknown;
  /** Of a checkpoint; `reason` is auto or manual. */
  readonly status?: string;
  readonly reason?: string;
  readonly summary?: string;
  readonly recent?: string;
  /** Of a synthetic message: what people see in its place. */
  readonly description?: string;
}

export interface StoredPart {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  /** Run by the provider. */
  readonly executed?: boolean;
  readonly state?: StoredState;
  readonly time?: { readonly created?: number; readonly completed?: number };
}

/**
 * status: streaming, running, completed, error. `metadata` has the `exit` code of a shell command and the `sessionID` of
 * a subagent.
 */
interface StoredState {
  readonly status: string;
  readonly input?: unknown;
  readonly content?: readonly unknown[];
  readonly error?: unknown;
  readonly metadata?: unknown;
}

/** A checkpoint replaces history; it is a user's message with this beginning. */
export const CHECKPOINT = "<conversation-checkpoint>";

/** Arguments are JSON Schema; `codemode: false` offers the tool to the model itself. */
export interface TheirTool {
  name: string;
  description: string;
  input: Readonly<Record<string, unknown>>;
  options: { codemode: boolean };
  execute(
    input: unknown,
    context: { sessionID: string; messageID: string; id: string; signal?: AbortSignal },
  ): Promise<{ content: string }>;
}

/** Throwing refuses the call and shows the message to the model. */
export interface BeforeToolEvent {
  readonly tool: string;
  readonly sessionID: string;
  readonly id: string;
  input: unknown;
}

/** The names of tools and of their path argument that differ from OpenCode 1. */
export const RENAMED_TOOLS: Readonly<Record<string, string>> = {
  shell: "bash",
  subagent: "task",
  patch: "apply_patch",
};

export interface TheirCommand {
  name: string;
  description: string;
  execute(invocation: { sessionID: string; prompt?: { text?: unknown } }): Promise<void>;
}

/** An error of this type can be a prompt that is too long: only its message tells. */
export const INVALID_REQUEST = "provider.invalid-request";

/** The stream has the events of every location on the server. */
export interface TheirEvent {
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly created?: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly location?: { readonly directory?: unknown; readonly workspaceID?: unknown };
}
