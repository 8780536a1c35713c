/** Reads from a tool call that has ended whether it failed, and how. */

import {
  findTouchedPaths,
  formatInput,
  mayShowSecrets,
  readInput,
  readText,
} from "../../src/conversation/call.js";
import { readResultKey } from "../../src/conversation/keys.js";
import type { ToolPart } from "../../src/conversation/message.js";
import { hashText, readExit } from "../../src/conversation/outcome.js";
import { findTellingLine } from "../../src/conversation/telling-line.js";
import { isRecord } from "../../src/records.js";
import { toLine } from "../../src/text.js";
import { isFailedCommand } from "./failed-command.js";
import { hashCall, hashMessage, normalizeCommand } from "./fingerprint.js";

/** A call that has ended by itself, with its failure if it is worth remembering. */
export interface EndedCall {
  /** Equal in forks, after a restart and in other instances. */
  readonly key: string;
  readonly at: number;
  readonly tool: string;
  readonly part: ToolPart;
  readonly failure?: Failure;
}

export interface Failure {
  /** The call on one line. */
  readonly call: string;
  readonly message: string;
  /** Hash of tool and arguments. */
  readonly callHash: string;
  /** Hash of the message without its variable parts. */
  readonly messageHash: string;
}

export interface ReadingOptions {
  project: string;
  /** Removes secrets from a text. */
  redact(text: string): string;
}

/** Maximum lengths in the log. */
const LONGEST_CALL = 200;
const LONGEST_MESSAGE = 300;
const KEY_CHARACTERS = 10;
/** Half a secret is not recognised, so texts are shortened to their final length after secrets are removed. */
const LOOKED_AT = 5_000;

/** The host's words for a call that the user has refused or aborted, which is not a failure. */
const REFUSALS =
  /^(The user (rejected permission|dismissed this question|has specified a rule)|Tool execution aborted)|User aborted the command/;
/** First words of the errors layer's own refusal, which does not count as a failure either. */
export const REFUSED = "[Strata] This call was not run:";
/** What OpenCode 1 and 2 say after the output of a command that timed out. */
const TIMED_OUT = /terminated command after exceeding timeout|Command exceeded timeout of \d+ ms/;

/** Identifies an ended call; `undefined` if the call has not ended or cannot be told from others. */
export function readCallKey(part: ToolPart): string | undefined {
  if (!isRecord(part.state) || typeof part.tool !== "string") return undefined;
  return isTime(part.state.time?.start) ? readResultKey(part)?.key : undefined;
}

/** `undefined` for a call without a key, and for one that the user refused or aborted. */
export function readEndedCall(part: ToolPart, options: ReadingOptions): EndedCall | undefined {
  const key = readCallKey(part);
  const at = part.state?.time?.start;
  if (key === undefined || at === undefined) return undefined;
  const text = readRawText(part);
  if (part.state.metadata?.interrupted === true || REFUSALS.test(text) || isRefused(text)) return undefined;
  const ended = { key: hashText(key).slice(0, KEY_CHARACTERS), at, tool: part.tool, part };
  return isFailure(part, text) ? { ...ended, failure: readFailure(part, text, options) } : ended;
}

/** The host may prefix the error's name. */
const isRefused = (text: string): boolean => text.slice(0, REFUSED.length + 40).includes(REFUSED);

/** Is it a time with a four-digit year, which the log's format requires? */
const isTime = (at: unknown): boolean => typeof at === "number" && at >= 0 && at < 253_402_300_800_000;

function readRawText({ state }: ToolPart): string {
  const text = state.status === "error" ? state.error : state.output;
  return typeof text === "string" ? text : "";
}

/** The host gives calls that it cannot parse the tool name `invalid`. */
function isFailure(part: ToolPart, output: string): boolean {
  if (part.state.status === "error" || part.tool === "invalid") return true;
  const command = readCommand(part);
  if (command === undefined || part.state.metadata?.exit === undefined) return false;
  return isFailedCommand({ command, exit: readExit(part), output });
}

/** The command of a shell call. */
export function readCommand(part: ToolPart): string | undefined {
  return part.tool === "bash" ? readText(readInput(part), "command") : undefined;
}

function readFailure(part: ToolPart, text: string, { project, redact }: ReadingOptions): Failure {
  const shown = mayShowSecrets(part) ? "" : findTellingLine(text, { limit: LOOKED_AT });
  const exit = readExit(part);
  const end = part.tool !== "bash" || part.state.status === "error" ? "" : formatEnd(exit, text);
  return {
    call: formatCall(part, { project, redact }),
    message: toField(redact([end, shown].filter((one) => one !== "").join(": ")), LONGEST_MESSAGE),
    callHash: hashCall(part, project, redact),
    messageHash: hashMessage(`${end} ${redact(text.slice(-LOOKED_AT))}`),
  };
}

function formatEnd(exit: number | null, output: string): string {
  if (exit !== null) return `exit ${exit}`;
  return TIMED_OUT.test(output) ? "timed out" : "ended from outside";
}

/** The call on one line: the command, the path, or the arguments. */
export function formatCall(part: ToolPart, { project, redact }: ReadingOptions): string {
  const command = readCommand(part);
  const [path] = findTouchedPaths(part, project);
  const asked =
    command === undefined ? (path ?? formatInput(part, LOOKED_AT)) : normalizeCommand(command, project);
  return toField(redact(asked), LONGEST_CALL);
}

/** One line without double spaces, which separate the fields of the log; never empty. */
export function toField(text: string, limit: number): string {
  return toLine(text, limit).replace(/\s+/g, " ").trim() || "-";
}
