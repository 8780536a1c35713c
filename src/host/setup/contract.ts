/**
 * What OpenCode 2 publishes about itself, as far as the plugin relies on it: the one file to correct if the real host
 * differs. The plugin has not yet run in OpenCode 2. Each statement names its source:
 *
 *     [plugins]     opencode.ai/v2/docs/build/plugins, as of 2026-09-12
 *     [migrate]     the same, /build/plugins/migrate-v1          [rpc] /build/plugins/rpc       [cli] /build/plugins/cli
 *     [compaction]  opencode.ai/v2/docs/compaction, 2026-09-11   [warming] /warming             [tools] /tools
 *     [config]      /config                                      [api] /api, 2026-09-04         [v1] /migrate-v1
 *     [source]      single files of github.com/anomalyco/opencode (MIT), August to October 2026
 *     [issue N]     a thread of github.com/anomalyco/opencode
 *
 * DOUBT marks what the sources leave open or contradict. For each, the adapter does what is right either way, and
 * test/host-v2/doubts.test.ts plays both ways. Every field is `unknown` to the adapter until it has looked.
 *
 *     DOUBT 1   [plugins] shows edits in place, [source] hands on the event: is a replaced `messages` list honoured?
 *     DOUBT 2   [source] messages are instances of a class of the host's; is a plain object accepted?
 *     DOUBT 3   [source] a user's and an assistant's message carry the id of the stored one, a tool's none; do all releases?
 *     DOUBT 4   [plugins] types a list, [api] wraps it in `data`: what do `session.context` and `model.list` return?
 *     DOUBT 5   [plugins] has `ctx.catalog.model`, later [source] has `ctx.model`
 *     DOUBT 6   [source] the value of an error result is an object around `error.message`; [api] allows anything
 *     DOUBT 7   [issue 44788] no event arrives at all, in a beta
 *     DOUBT 8   [source] an event may lack its location
 *     DOUBT 9   [compaction] context hooks run for summaries too; [plugins] summaries have a hook of their own
 *     DOUBT 10  is a summary that a plugin sets checked for the headings of the host's template, as a model's is?
 *     DOUBT 11  [source] a cache hint is an instance of a class of the host's; is a plain object accepted?
 *     DOUBT 12  [source] a tool that throws may end the turn as a defect
 *     DOUBT 13  [issue 43731] what a hook changes inside an existing part is stored, in a beta
 *     DOUBT 14  does a hook that throws fail the request?
 *     DOUBT 15  [api] a synthetic message with `resume: false` wakes no model; does every release know the field?
 *     DOUBT 16  [warming] a warming request shows the same context; does it run the context hook?
 *     DOUBT 17  does a host call `server` and a complete `setup`? 1.18.33 calls both, but offers `setup` no hooks (measured)
 *     DOUBT 18  does `session.context` have the calls of the last answer already when the hook of the next request runs?
 */

/** The argument of `setup`. [plugins, Context; promise/plugin.ts] */
export interface SetupContext {
  app?: { version?: unknown };
  options?: unknown;
  /** Where this instance is loaded; not where every session or event belongs. [plugins, Context] */
  location?: { directory?: unknown; workspaceID?: unknown; project?: { directory?: unknown } };
  session?: SessionDomain;
  tool?: ToolDomain;
  command?: CommandDomain;
  event?: EventDomain;
  generate?: GenerateDomain;
  /** DOUBT 5 */
  catalog?: { model?: ModelDomain };
  model?: ModelDomain;
  rpc?: { register?(definition: RpcDefinition, handlers: object): Promise<unknown> };
}

/** [plugins, Agent; promise/registration.ts] */
export interface Registration {
  dispose?(): unknown;
}

/** [plugins, Sessions; promise/session.ts]. Hooks run in plugin order; each gets one event, which it changes. */
export interface SessionDomain {
  hook?(name: string, callback: (event: never) => unknown): Promise<Registration>;
  get?(input: { sessionID: string }): Promise<unknown>;
  /** Stored messages from the last checkpoint on; there are no others for plugins. [api, v2.session.context] DOUBT 18 */
  context?(input: { sessionID: string }): Promise<unknown>;
  /** DOUBT 15 */
  synthetic?(input: SyntheticInput): Promise<unknown>;
  interrupt?(input: { sessionID: string; continue?: boolean }): Promise<unknown>;
}

/** [api, v2.session.synthetic] */
export interface SyntheticInput {
  sessionID: string;
  text: string;
  description?: string;
  metadata?: Readonly<Record<string, unknown>>;
  resume?: boolean;
}

/** A user's prompt before it is admitted; what changes is stored. Once per admission. [plugins, Prompt admission] */
export interface PromptEvent {
  readonly sessionID: string;
  readonly messageID: string;
  prompt: { text: string };
  delivery: "steer" | "queue";
}

/**
 * A request to the model, before it is sent; changes are not stored. [plugins, Model requests; promise/session.ts]
 * DOUBT 1, 9, 13, 14, 16
 */
export interface ContextEvent {
  readonly sessionID: string;
  readonly agent?: string;
  readonly model: ModelRef;
  /** In later sources only: why the request is made. */
  readonly kind?: string;
  system: unknown[];
  messages: TheirMessage[];
  tools?: Record<string, unknown>;
  options?: Record<string, unknown>;
}

/** `messages` is the transcript to summarise; the host adds its instruction afterwards. [plugins, Model requests] */
export interface CompactionEvent extends ContextEvent {
  /** Set: this is the summary, and no model is called. DOUBT 10 */
  result?: { summary: string };
}

/** [api, Model.Ref] */
export interface ModelRef {
  readonly providerID: string;
  readonly id: string;
  readonly variant?: string;
}

/** [ai/src/schema/messages.ts, Message]. DOUBT 2, 3 */
export interface TheirMessage {
  readonly id?: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: readonly TheirPart[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * text, media, tool-call, tool-result, reasoning [ai/src/schema/messages.ts, ContentPart], and whatever later releases
 * add, which passes untouched. Fields by type, so all are optional here.
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
  readonly cache?: CacheHint;
}

/** `content` is a list of texts and files. [ai/src/schema/messages.ts, ToolResultValue]. DOUBT 6 */
export interface TheirResult {
  readonly type: "text" | "json" | "error" | "content";
  readonly value: unknown;
}

/** [ai/src/schema/options.ts, CacheHint]. DOUBT 11 */
export interface CacheHint {
  readonly type: "ephemeral" | "persistent";
  readonly ttlSeconds?: number;
}

/** Cache points that providers accept in a request; the host drops later ones. [ai/src/schema/options.ts] */
export const MOST_CACHE_HINTS = 4;

/**
 * A stored message; `type` is user, synthetic, system, skill, shell, assistant, compaction, or one of several that no
 * model sees. Times are milliseconds since 1970. [api, Session.Message.Info; schema/session-message.ts]
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
}

/** [schema/session-message.ts, AssistantContent] */
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
 * status: streaming, running, completed, error. [schema/session-message.ts, ToolState] `metadata` has the `exit` code
 * of a shell command [tool/plugin/shell.ts] and the `sessionID` of a subagent [tool/plugin/subagent.ts].
 */
export interface StoredState {
  readonly status: string;
  readonly input?: unknown;
  readonly content?: readonly unknown[];
  readonly error?: unknown;
  readonly metadata?: unknown;
}

/** A checkpoint replaces history; it is a user's message with this beginning. [runner/to-llm-message.ts] */
export const CHECKPOINT = "<conversation-checkpoint>";

/** [plugins, Tools; promise/tool.ts]. Arguments are JSON Schema; `codemode: false` advertises the tool itself. */
export interface ToolDomain {
  transform?(edit: (editor: { add(tool: TheirTool): void }) => void): Promise<Registration>;
  hook?(name: string, callback: (event: never) => unknown): Promise<Registration>;
}

/** [plugins, Tools; schema/tool.ts, Info] */
export interface TheirTool {
  name: string;
  description: string;
  input: Readonly<Record<string, unknown>>;
  options: { codemode: boolean };
  /** DOUBT 12 */
  execute(input: unknown, context: TheirToolContext): Promise<{ content: string }>;
}

/** [promise/tool.ts, ToolContext] */
export interface TheirToolContext {
  readonly sessionID: string;
  readonly messageID: string;
  readonly id: string;
  readonly signal?: AbortSignal;
}

/** Throwing refuses the call and shows the message to the model. [migrate, Register hooks; promise/tool.ts] */
export interface BeforeToolEvent {
  readonly tool: string;
  readonly sessionID: string;
  readonly id: string;
  input: unknown;
}

/** The names of tools and of their path argument that differ from OpenCode 1. [tools; v1, Permissions and tools] */
export const RENAMED_TOOLS: Readonly<Record<string, string>> = {
  shell: "bash",
  subagent: "task",
  patch: "apply_patch",
};

/** [plugins, Commands] */
export interface CommandDomain {
  list?(): Promise<unknown>;
  transform?(edit: (editor: { add(command: TheirCommand): void }) => void): Promise<Registration>;
}

/** [plugins, Commands, CommandDefinition] */
export interface TheirCommand {
  name: string;
  description: string;
  execute(invocation: { sessionID: string; prompt?: { text?: unknown } }): Promise<void>;
}

/** An error of this type can be a prompt that is too long: only its message tells. [source, to-session-error.ts] */
export const INVALID_REQUEST = "provider.invalid-request";

/**
 * The events of every location on the server; the payload is under `data`. [plugins, Events; schema/event.ts] DOUBT 7
 */
export interface EventDomain {
  subscribe?(options: { signal: AbortSignal }): AsyncIterable<unknown>;
}

/** [schema/event.ts] */
export interface TheirEvent {
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly created?: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** DOUBT 8 */
  readonly location?: { readonly directory?: unknown; readonly workspaceID?: unknown };
}

/** Text from a model, without a session, tools or history. [plugins, Generate; api, GenerateTextResponse] */
export interface GenerateDomain {
  text?(input: { model: ModelRef; prompt: string }): Promise<unknown>;
}

/** Sizes and prices of models; prices in dollars per million tokens. [api, Model.Info; schema/model.ts] DOUBT 4 */
export interface ModelDomain {
  list?(): Promise<unknown>;
  default?(): Promise<unknown>;
}

/** [rpc]. The screen half receives the events. */
export interface RpcDefinition {
  id: string;
  methods: Readonly<Record<string, unknown>>;
  events: Readonly<Record<string, { schema: unknown }>>;
}
