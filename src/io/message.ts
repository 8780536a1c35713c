/**
 * The messages of a request, reduced to the fields that layers read. OpenCode's objects have this shape and more; other
 * fields are carried along untouched. Never change a message in place: make a new one.
 */
export interface Message {
  readonly info: MessageInfo;
  readonly parts: readonly Part[];
}

export interface MessageInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: string;
  /** Milliseconds since 1970; they survive a fork, ids do not. */
  readonly time?: { readonly created: number; readonly completed?: number };
  readonly agent?: string;
  /** On a user message, or a summary that stands for one: the model that is to answer it. */
  readonly model?: ModelName;
  /** On an answer: the model that gave it. */
  readonly providerID?: string;
  readonly modelID?: string;
  /** `true` on an answer that is the summary of a compaction; other values mean other things. */
  readonly summary?: unknown;
  /** How an answer failed. */
  readonly error?: unknown;
  /** Why the model ended an answer; absent if it was interrupted. */
  readonly finish?: string;
  /** Usage as the provider reported it, on an answer that has ended. */
  readonly tokens?: ReportedTokens;
}

export interface ModelName {
  readonly providerID: string;
  readonly modelID: string;
}

export interface ReportedTokens {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache: { readonly read: number; readonly write: number };
}

export interface Part {
  readonly type: string;
  readonly text?: string;
  /** Added by the host or a plugin, not by the user. */
  readonly synthetic?: boolean;
  /** Not sent to the model. */
  readonly ignored?: boolean;
  /** On a compaction: whether the host began it by itself. */
  readonly auto?: boolean;
}

/** True if it is shown to the person and not sent to the model, like the answers to our own commands. */
export function isForPeopleOnly({ info, parts }: Message): boolean {
  return info.role === "user" && parts.length > 0 && parts.every(({ ignored }) => ignored === true);
}

/** A tool call and, once it has ended, its result. */
export interface ToolPart extends Part {
  readonly type: "tool";
  readonly tool: string;
  readonly callID: string;
  readonly state: ToolState;
}

export interface ToolState {
  readonly status: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** The text of a result; absent on a call that failed or still runs. */
  readonly output?: string;
  /** The text of a failure. */
  readonly error?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly time?: { readonly start: number; readonly end?: number; readonly compacted?: number };
  readonly attachments?: readonly unknown[];
}

export function isToolPart(part: Part): part is ToolPart {
  return part.type === "tool";
}

/**
 * The text of a finished call as the model sees it: its output, its failure, or, if the user interrupted it, its output
 * so far. `undefined` while it runs, and if the host has pruned the result.
 */
export function readResultText({ state }: ToolPart): string | undefined {
  if (state.time?.compacted !== undefined) return undefined;
  const text = isBrokenOff(state)
    ? state.metadata?.output
    : state[state.status === "error" ? "error" : "output"];
  const hasEnded = state.status === "completed" || state.status === "error";
  return hasEnded && typeof text === "string" ? text : undefined;
}

/** The call with another result text for the model; attachments and all else stay. */
export function withResultText(part: ToolPart, text: string): ToolPart {
  const { state } = part;
  if (isBrokenOff(state))
    return { ...part, state: { ...state, metadata: { ...state.metadata, output: text } } };
  return { ...part, state: { ...state, [state.status === "error" ? "error" : "output"]: text } };
}

/** For an interrupted call, OpenCode sends the output in its metadata, not the error. */
function isBrokenOff({ status, metadata }: ToolState): boolean {
  return status === "error" && metadata?.interrupted === true && typeof metadata.output === "string";
}

/** The messages with some parts replaced. Shares everything that does not change, and is the list itself if nothing does. */
export function withParts(
  messages: readonly Message[],
  replaced: ReadonlyMap<Part, Part>,
): readonly Message[] {
  if (replaced.size === 0) return messages;
  return messages.map((message) => {
    if (!message.parts.some((part) => replaced.has(part))) return message;
    return { ...message, parts: message.parts.map((part) => replaced.get(part) ?? part) };
  });
}

/** A summary by the host from which history continues. One that failed or was aborted is skipped, as in the host. */
export function isSummary({ info }: Message): boolean {
  return info.summary === true && info.finish !== undefined && !info.error;
}
