/**
 * The hooks a layer can answer, and how the answers of several layers become one: each layer sees the previous one's
 * answer, until that is final.
 *
 * A hook is a row here and a row in `src/host/1/hooks.ts`, which binds it to the host's own.
 */

import { isRecord, list, object, string } from "../base/shape.js";
import type { DatedDecision } from "../context/decisions.js";
import type { ContextRequest } from "../context/request.js";
import { findEventSession, type HostEvent, type ModelPrices, type ModelWindow } from "../io/host.js";
import type { Message, ModelName } from "../io/message.js";

/** `Value`: what its layers answer; `void` if they only hear of it. */
interface Hook<Input, Value> {
  input: Input;
  value: Value;
}

interface HookTypes {
  /** The messages of one request to the model, before it is sent. */
  context: Hook<ContextRequest, readonly Message[]>;
  /** Instruction with which the host is about to summarise a session; `undefined` is the host's own. */
  compacting: Hook<{ sessionID: string }, string | undefined>;
  /** The host is about to summarise these messages, and takes a text of ours instead; `undefined`: a model writes it. */
  summary: Hook<{ sessionID: string; messages: readonly Message[] }, string | undefined>;
  /** A user's message has arrived and the host is about to process it. No answer. */
  turn: Hook<{ sessionID: string }, void>;
  /** A command is about to send these texts, of which the user wrote at most a part. No answer. */
  command: Hook<{ sessionID: string; texts: readonly string[] }, void>;
  /** Context window and prices, if known, of the model that is about to be called. No answer. */
  modelWindow: Hook<{ sessionID: string; model: ModelName; window: ModelWindow; prices?: ModelPrices }, void>;
  /** The host has compacted the session, and its summary is about to be sent for the first time. No answer. */
  compacted: Hook<ContextRequest, void>;
  /** Texts of this session to be revised, because the user has taken back messages that they were made from. */
  takenBack: Hook<ContextRequest, Withdrawal | undefined>;
  /** Arguments of a tool call, before it runs; answering with `refuse` prevents the call. */
  toolArguments: Hook<ToolCall, ToolArguments>;
  /** An event of the host. No answer; the host does not wait. */
  event: Hook<HostEvent, void>;
}

/** What was taken back, and the answers of the layers so far. */
export interface Withdrawal {
  /** May text made from the session at this time contain words that were taken back since? */
  isStale(madeMs: number): boolean;
  /** Memories that were archived for that reason. */
  memories: ReadonlySet<string>;
  /** The new texts, as decisions "revised". */
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

/** Answer in place of arguments: the call must not run, and the model is told why. */
export function refuse(why: string): ToolArguments {
  return { [REFUSAL]: why };
}

/** Why the call must not run; `undefined` if it may. */
export function findRefusal(args: ToolArguments): string | undefined {
  const why = args[REFUSAL];
  return typeof why === "string" ? why : undefined;
}

/** What all layers hear of; a layer may name others. The host reports a hundred events a second while a model answers. */
export const commonEvents: ReadonlySet<string> = new Set([
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
  /** Time limit in milliseconds for all layers together. */
  deadlineMs: number;
  /** The hook has no answer: layers are called even if no time is left, but not waited for. */
  isNotice?: boolean;
  /** Value to use if a layer gave no answer but may have recorded decisions. Absent: the value is unchanged. */
  withoutAnswer?(input: Input, value: Value): Value;
  /** Is the answer valid for this hook? An invalid one counts as no answer. */
  accepts(answer: unknown): answer is Value;
  /** Is the value final? Then no further layer is asked. */
  isFinal?(value: Value): boolean;
  /** Is the value good enough not to need the last resorts? Absent: they are asked like others. */
  isEnough?(input: Input, value: Value): boolean;
}

export function findSession(input: HookInput<HookName>): string | undefined {
  const sessionID = "sessionID" in input ? input.sessionID : findEventSession(input.properties);
  return typeof sessionID === "string" ? sessionID : undefined;
}

export type HookRules = { readonly [H in HookName]: HookRule<HookInput<H>, HookValue<H>> };

export const hookRules: HookRules = {
  context: {
    deadlineMs: 3_000,
    accepts: isMessageList,
    isEnough: (request, messages) =>
      !request.isCutWanted && request.estimateTokens(messages) <= request.budgetTokens,
    // Recorded decisions are shown from now on, so this request must show them, too.
    withoutAnswer: (request, messages) => (request.isCompaction ? messages : request.show()),
  },
  compacting: { deadlineMs: 2_000, accepts: isText, isFinal: () => true },
  summary: { deadlineMs: 3_000, accepts: isText, isFinal: () => true },
  compacted: { deadlineMs: 3_000, accepts: isNothing },
  takenBack: {
    deadlineMs: 3_000,
    accepts: (answer): answer is Withdrawal => isRecord(answer) && Array.isArray(answer.revisions),
    withoutAnswer: (_request, withdrawal) => withdrawal && { ...withdrawal, isIncomplete: true },
  },
  turn: { deadlineMs: 1_000, accepts: isNothing, isNotice: true },
  command: { deadlineMs: 500, accepts: isNothing, isNotice: true },
  modelWindow: { deadlineMs: 500, accepts: isNothing, isNotice: true },
  toolArguments: {
    deadlineMs: 500,
    accepts: isRecord,
    isFinal: (args) => findRefusal(args) !== undefined,
  },
  event: { deadlineMs: 10_000, accepts: isNothing, isNotice: true },
};

function isNothing(answer: unknown): answer is undefined {
  return answer === undefined;
}

function isText(answer: unknown): answer is string {
  return typeof answer === "string" && answer !== "";
}

const hasRole = object<{ role: string }>({ role: string });
const isPart = object<{ type: string }>({ type: string });
const isMessage = object<{ info: unknown; parts: unknown }>({ info: hasRole, parts: list(isPart) });

/** A non-empty list of messages that the host can send: each with a role and parts, each part with a type. */
function isMessageList(answer: unknown): answer is readonly Message[] {
  return list(isMessage)(answer) && answer.length > 0;
}
