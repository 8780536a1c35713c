/**
 * The hooks a layer can answer, and how the answers of several layers become one.
 *
 *   first   the cheapest answer wins, dearer layers are not asked
 *   chain   each layer sees the previous one's answer
 *   until   chain, but while the value is good enough a layer that is a last resort is not asked
 *
 * A hook is a row here and a row in `src/host/hooks.ts`, which binds it to the host's own.
 */

import type { Message, ModelName } from "../conversation/message.js";
import { isRecord } from "../records.js";
import type { DatedDecision } from "../view/decisions.js";
import type { ContextRequest } from "../view/request.js";
import type { ModelWindow } from "../view/windows.js";

export interface HookTypes {
  /** The messages of one request to the model, before it is sent. */
  context: { input: ContextRequest; value: readonly Message[] };
  /** The instruction with which the host is about to have a session summarised; `undefined` is its own. */
  compacting: { input: { sessionID: string }; value: string | undefined };
  /** A user's message has come; the host is about to take it up. It has no answer. */
  turn: { input: { sessionID: string }; value: undefined };
  /** A command is about to send these texts, of which the user wrote at most a part. It has no answer. */
  command: { input: { sessionID: string; texts: readonly string[] }; value: undefined };
  /** What fits into the window of the model that is about to be asked. It has no answer. */
  modelWindow: { input: { sessionID: string; model: ModelName; window: ModelWindow }; value: undefined };
  /** The host has compacted the session, and its summary is about to be sent for the first time. It has no answer. */
  compacted: { input: ContextRequest; value: undefined };
  /** What is to be said in other words in this session, because the user has taken back some that it was made of. */
  takenBack: { input: ContextRequest; value: Withdrawal | undefined };
  /** The arguments of one tool call, before it runs; `refuse` in their place keeps it from running. */
  toolArguments: { input: ToolCall; value: ToolArguments };
  /** Something the host reports. It has no answer, and the host does not wait. */
  event: { input: HostEvent; value: undefined };
}

/** What was taken back, and what the layers have said of it so far. */
export interface Withdrawal {
  /** May what was made at this time of what is known about the session have words in it that were taken back since? */
  isStale(madeMs: number): boolean;
  /** Memories that were put away for that reason. */
  memories: ReadonlySet<string>;
  /** What is to stand there from now on: decisions "revised". */
  revisions: readonly (DatedDecision & { layer: string })[];
  /** Version of what was taken back that the layers are asked about; it rises with each change. */
  version: number;
  /** A layer gave no answer: its own words are not looked through yet. */
  isIncomplete?: true;
}

export interface ToolCall {
  tool: string;
  sessionID: string;
  callID: string;
}

export type ToolArguments = Readonly<Record<PropertyKey, unknown>>;

const REFUSAL = Symbol("refusal");

/** An answer instead of arguments: the call must not run, and the model is told why. */
export function refuse(why: string): ToolArguments {
  return { [REFUSAL]: why };
}

/** Why the call is not to run, where the answer says so. */
export function findRefusal(args: ToolArguments): string | undefined {
  const why = args[REFUSAL];
  return typeof why === "string" ? why : undefined;
}

export interface HostEvent {
  type: string;
  properties: Readonly<Record<string, unknown>>;
}

/** What the layers hear of: the host reports a hundred things a second while a model answers. */
export const heardEvents: ReadonlySet<string> = new Set([
  "session.created",
  "session.updated",
  "session.deleted",
  "session.idle",
  "session.status",
  "session.error",
  "session.compacted",
  "message.updated",
  "message.removed",
  "message.part.removed",
]);

export type HookName = keyof HookTypes;
export type HookInput<H extends HookName> = HookTypes[H]["input"];
export type HookValue<H extends HookName> = HookTypes[H]["value"];
export type Handler<H extends HookName> = (
  input: HookInput<H>,
  value: HookValue<H>,
  signal: AbortSignal,
) => HookValue<H> | undefined | Promise<HookValue<H> | undefined>;

export interface HookRule<Input, Value> {
  combine: "first" | "chain" | "until";
  /** Milliseconds that the host waits for all layers together. */
  deadlineMs: number;
  /** It has no answer: layers for which no time is left are told all the same, and not waited for. */
  isNotice?: boolean;
  /** What holds when a layer has given no answer but may have decided something; without it the value as it was. */
  withoutAnswer?(input: Input, value: Value): Value;
  /** Is this the kind of thing the hook can take? What is not counts as no answer. */
  accepts(answer: unknown): answer is Value;
  /** Is this the last word? Then no further layer is asked. */
  isFinal?(value: Value): boolean;
  /** Only for `until`: is the value good enough to leave the last resorts in peace? */
  isEnough?(input: Input, value: Value): boolean;
}

/** The session that a hook is about, if any. */
export function findSession(input: HookInput<HookName>): string | undefined {
  const sessionID = "sessionID" in input ? input.sessionID : findEventSession(input.properties);
  return typeof sessionID === "string" ? sessionID : undefined;
}

/** Of the session, the message or the part that an event is about. */
export function findEventSession({ sessionID, info, part }: HostEvent["properties"]): string | undefined {
  const holder = isRecord(info) ? info : isRecord(part) ? part : {};
  const found = [sessionID, holder.sessionID, holder.id].find((id) => typeof id === "string");
  return found as string | undefined;
}

export type HookRules = { readonly [H in HookName]: HookRule<HookInput<H>, HookValue<H>> };

export const hookRules: HookRules = {
  context: {
    combine: "until",
    deadlineMs: 3_000,
    accepts: isMessageList,
    isEnough: (request, messages) =>
      !request.isCutWanted && request.estimateTokens(messages) <= request.budgetTokens,
    // What was recorded is shown from now on, so it has to be in this request too.
    withoutAnswer: (request, messages) => (request.isCompaction ? messages : request.show()),
  },
  compacting: { combine: "first", deadlineMs: 2_000, accepts: isText },
  compacted: { combine: "chain", deadlineMs: 3_000, accepts: isNothing },
  takenBack: {
    combine: "chain",
    deadlineMs: 3_000,
    accepts: isWithdrawal,
    withoutAnswer: (_request, withdrawal) => withdrawal && { ...withdrawal, isIncomplete: true },
  },
  turn: { combine: "chain", deadlineMs: 1_000, accepts: isNothing, isNotice: true },
  command: { combine: "chain", deadlineMs: 500, accepts: isNothing, isNotice: true },
  modelWindow: { combine: "chain", deadlineMs: 500, accepts: isNothing, isNotice: true },
  toolArguments: {
    combine: "chain",
    deadlineMs: 500,
    accepts: isRecord,
    isFinal: (args) => findRefusal(args) !== undefined,
  },
  event: { combine: "chain", deadlineMs: 10_000, accepts: isNothing, isNotice: true },
};

function isNothing(answer: unknown): answer is undefined {
  return answer === undefined;
}

function isWithdrawal(answer: unknown): answer is Withdrawal {
  return isRecord(answer) && Array.isArray(answer.revisions);
}

function isText(answer: unknown): answer is string {
  return typeof answer === "string" && answer !== "";
}

/** Messages as the host can send them: each with a role and parts, each part with a type, and not none at all. */
function isMessageList(answer: unknown): answer is readonly Message[] {
  if (!Array.isArray(answer) || answer.length === 0) return false;
  return answer.every(
    (message) =>
      isRecord(message) &&
      isRecord(message.info) &&
      typeof message.info.role === "string" &&
      Array.isArray(message.parts) &&
      message.parts.every((part: unknown) => isRecord(part) && typeof part.type === "string"),
  );
}
