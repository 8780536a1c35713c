/** A tool call that has ended, as far as failures are concerned. */

import {
  findTouchedPaths,
  formatInput,
  mayShowSecrets,
  readInput,
  readText,
} from "../../../src/conversation/call.js";
import { readResultKey } from "../../../src/conversation/keys.js";
import type { ToolPart } from "../../../src/conversation/message.js";
import { hashText, readExit } from "../../../src/conversation/outcome.js";
import { findTellingLine } from "../../../src/conversation/telling-line.js";
import { isRecord } from "../../../src/records.js";
import { toLine } from "../../../src/text.js";
import { isFailedCommand } from "./failed-command.js";
import { hashCall, hashMessage, normalizeCommand } from "./fingerprint.js";

/** What a call came to: a mistake to be remembered, or anything else that ended by itself. */
export interface EndedCall {
  /** The same in a fork, after a restart, and whoever reads it. */
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
  /** Stands for tool and arguments. */
  readonly callHash: string;
  /** Stands for the message, whatever differs in it each time. */
  readonly messageHash: string;
}

export interface ReadingOptions {
  project: string;
  /** Takes secrets out of a text. */
  redact(text: string): string;
}

/** The lengths to which the log shortens them. */
const LONGEST_CALL = 200;
const LONGEST_MESSAGE = 300;
const KEY_CHARACTERS = 10;
/** Half a secret is not known as one: a text is shortened after they were taken out. */
const LOOKED_AT = 5_000;

/** The user has said no, or broken it off, in the host's words: nobody has made a mistake. */
const REFUSALS =
  /^(The user (rejected permission|dismissed this question|has specified a rule)|Tool execution aborted)|User aborted the command/;
/** OpenCode's own remark behind what a command had put out when its time was over. */
const TIMED_OUT = /terminated command after exceeding timeout/;

/** What an ended call is known by; `undefined` for one that has not ended, or that nobody can tell from others. */
export function readCallKey(part: ToolPart): string | undefined {
  if (!isRecord(part.state) || typeof part.tool !== "string") return undefined;
  return isTime(part.state.time?.start) ? readResultKey(part)?.key : undefined;
}

/** `undefined` for a call without such a key, and for one that the user did not let happen. */
export function readEndedCall(part: ToolPart, options: ReadingOptions): EndedCall | undefined {
  const key = readCallKey(part);
  const at = part.state?.time?.start;
  if (key === undefined || at === undefined) return undefined;
  const text = readRawText(part);
  if (part.state.metadata?.interrupted === true || REFUSALS.test(text)) return undefined;
  const ended = { key: hashText(key).slice(0, KEY_CHARACTERS), at, tool: part.tool, part };
  return isFailure(part, text) ? { ...ended, failure: readFailure(part, text, options) } : ended;
}

/** In years of four digits, as the log has them. */
const isTime = (at: unknown): boolean => typeof at === "number" && at >= 0 && at < 253_402_300_800_000;

function readRawText({ state }: ToolPart): string {
  const text = state.status === "error" ? state.error : state.output;
  return typeof text === "string" ? text : "";
}

/** A name that the host calls `invalid` stands for a call that it could not make out. */
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

/** The call on one line: the command, or what it was mostly about. */
export function formatCall(part: ToolPart, { project, redact }: ReadingOptions): string {
  const command = readCommand(part);
  const [path] = findTouchedPaths(part, project);
  const asked =
    command === undefined ? (path ?? formatInput(part, LOOKED_AT)) : normalizeCommand(command, project);
  return toField(redact(asked), LONGEST_CALL);
}

/** One line without two spaces in a row, which is what stands between the fields of the log; never empty. */
export function toField(text: string, limit: number): string {
  return toLine(text, limit).replace(/\s+/g, " ").trim() || "-";
}
