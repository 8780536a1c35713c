/**
 * Reads from a tool call that has ended whether it failed, and how. Failures that are part of the work do not count: a
 * failing test, a search without a hit, a call that the user refused.
 */
import { sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isRecord } from "../../src/base/shape.js";
import { toLine } from "../../src/base/text.js";
import { isToolPart, type Message, type ToolPart } from "../../src/io/message.js";
import {
  findTouchedPaths,
  formatInput,
  hashText,
  isChangingTool,
  mayShowSecrets,
  readExit,
  readInput,
  readText,
} from "../../src/messages/call.js";
import { findErrorLine } from "../../src/messages/error-line.js";
import { readResultKey } from "../../src/messages/history.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";

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
  readonly call: string;
  readonly message: string;
  readonly callHash: string;
  /** Hash of the message without its variable parts. */
  readonly messageHash: string;
}

const LONGEST_CALL = 200;
const LONGEST_MESSAGE = 300;
const KEY_CHARACTERS = 10;
const HASH_CHARACTERS = 8;
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
function readCallKey(part: ToolPart): string | undefined {
  if (!isRecord(part.state) || typeof part.tool !== "string") return undefined;
  return isTime(part.state.time?.start) ? readResultKey(part)?.key : undefined;
}

/** `undefined` for a call without a key, and for one that the user refused or aborted. */
export function readEndedCall(part: ToolPart, project: string): EndedCall | undefined {
  const key = readCallKey(part);
  const at = part.state?.time?.start;
  if (key === undefined || at === undefined) return undefined;
  const text = readRawText(part);
  if (part.state.metadata?.interrupted === true || REFUSALS.test(text) || isRefused(text)) return undefined;
  const ended = { key: hashText(key).slice(0, KEY_CHARACTERS), at, tool: part.tool, part };
  return isFailure(part, text) ? { ...ended, failure: readFailure(part, text, project) } : ended;
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

function readCommand(part: ToolPart): string | undefined {
  return part.tool === "bash" ? readText(readInput(part), "command") : undefined;
}

function readFailure(part: ToolPart, text: string, project: string): Failure {
  const shown = mayShowSecrets(part) ? "" : findErrorLine(text, { limit: LOOKED_AT });
  const exit = readExit(part);
  const end = part.tool !== "bash" || part.state.status === "error" ? "" : formatEnd(exit, text);
  return {
    call: formatCall(part, project),
    message: toField(redact([end, shown].filter((one) => one !== "").join(": ")), LONGEST_MESSAGE),
    callHash: hashCall(part.tool, readInput(part), project),
    messageHash: hashMessage(`${end} ${redact(text.slice(-LOOKED_AT))}`),
  };
}

const redact = (text: string): string => redactSecrets(text).text;

function formatEnd(exit: number | null, output: string): string {
  if (exit !== null) return `exit ${exit}`;
  return TIMED_OUT.test(output) ? "timed out" : "ended from outside";
}

/** The call on one line: the command, the path, or the arguments. */
export function formatCall(part: ToolPart, project: string): string {
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

export interface EndedCommand {
  command: string;
  exit: number | null;
  output: string;
}

/** The shell's own exit codes: not executable, and not found (POSIX). */
const ALWAYS_A_FAILURE = [126, 127];
/** Characters read from each end: reports are at the end, complaints about misuse at either. */
const ENDS_LOOKED_AT = 8_000;
/** Commands for which exit code 1 is "no" (POSIX). */
const QUESTIONS = /^(\w*grep|rg|ag|diff|cmp|comm|test|\[+|which|type|git (grep|diff))(?![\w-])/;
/** Parts of words that name a check: tests, linters, compilers, a project's scripts for them. */
const CHECKS =
  /^((vi|py|unit|nex|c)?tests?|r?specs?|\w*lint|(type)?checks?|verify|validate|vet|types?|tsc|build|compile|format|fmt|jest|mocha|mypy|pyright|ruff|biome|prettier|clippy|phpunit|cypress|playwright|mvnw?|gradlew?|g?cc|[gc]\+\+|clang|javac|rustc)$/i;
const INSTALLS = /^(install|add|i|remove|uninstall|upgrade|update)$/;
/** Outputs that report on the code: the exit code of any command with such an output is an answer. */
export const REPORTS =
  /\b\d+ (tests? |specs? )?(failed|failing|failures?|passed|passing)\b|^[ \t]*(--- )?(FAIL|FAILED|not ok)\b|\bAssertionError\b|\berror TS\d+:|\bFound \d+ (errors?|problems?)\b/m;
const MISUSES =
  /^(\/\S*\/)?\w*sh: |\bcommand not found\b|\bmissing script\b|\bNO_SCRIPT\b|\bno rule to make target\b|^.{0,80}\b(unknown|unrecogni[sz]ed|illegal|invalid) (compiler )?(options?|arguments?|flags?|command)\b|\bNo module named\b|^No tests? (files? )?found\b/im;

/** Has the command failed in a way worth remembering? Not if it succeeded, or its exit code is an answer. */
export function isFailedCommand({ command, exit, output }: EndedCommand): boolean {
  if (exit === 0) return false;
  if (exit === null || ALWAYS_A_FAILURE.includes(exit)) return true;
  const isLong = output.length > 2 * ENDS_LOOKED_AT;
  const seen = isLong ? `${output.slice(0, ENDS_LOOKED_AT)}\n${output.slice(-ENDS_LOOKED_AT)}` : output;
  // A silent exit code 1 is the answer to a question.
  if (exit === 1 && ["", "(no output)"].includes(seen.trim())) return false;
  const simple = splitCommand(command);
  const isAnswer =
    (exit === 1 && simple.some((one) => QUESTIONS.test(one))) || simple.some(isCheck) || REPORTS.test(seen);
  return !isAnswer || MISUSES.test(seen);
}

/** In characters; longer commands write scripts to a file. */
const LONGEST_SPLIT = 10_000;
/** Before the program: variables, and programs that run another. */
const RUNNERS = /^((\w+=\S*|sudo|time|nice|env|exec|npx|timeout \S+|if|while|!)\s+(-\S+\s+)*)+/;

/** The simple commands of a line, each from its program's name on. Knows no quotes. */
export function splitCommand(command: string): string[] {
  return command
    .slice(0, LONGEST_SPLIT)
    .split(/[&|;\n()]+/)
    .map((one) =>
      one
        .trim()
        .replace(/\s+/g, " ")
        .replace(RUNNERS, "")
        .replace(/^\S*\//, ""),
    )
    .filter((one) => one !== "");
}

const NAMING_WORDS = 4;

/** Does the program's name, or one of the next words that is no path, name a check? */
function isCheck(simple: string): boolean {
  if (simple === "make") return true;
  const words = simple.split(" ").filter((word) => !word.startsWith("-"));
  const naming = words.slice(0, NAMING_WORDS).filter((word, at) => at === 0 || !word.includes("/"));
  if (naming.some((word) => INSTALLS.test(word))) return false;
  return naming.some((word) => word.split(/[:_.-]/).some((part) => CHECKS.test(part)));
}

/** Arguments that do not change what a call does. */
const IRRELEVANT_FIELDS = ["description", "timeout"];
/** Characters used: the beginning of an argument; the end of a message, which says what went wrong. */
const HASHED = 4_000;

/** Equal for the same tool and arguments, regardless of the project's path, of spacing and of secrets. */
export function hashCall(tool: string, input: Readonly<Record<string, unknown>>, project: string): string {
  const isCommand = tool === "bash" && readText(input, "command") !== undefined;
  const fields = Object.entries(input)
    .filter(([name]) => !IRRELEVANT_FIELDS.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      const asked = isCommand && name === "command" ? normalizeCommand(text, project) : text;
      // A long text, such as a whole file, is represented by its beginning and length.
      return `${name}=${asked.slice(0, HASHED)}${asked.length > HASHED ? asked.length : ""}`;
    });
  const anywhere = [`${project}/`, project + sep].reduce(
    (text, folder) => text.replaceAll(folder, ""),
    fields.join("\n"),
  );
  return hashText(`${tool} ${redact(anywhere)}`).slice(0, HASH_CHARACTERS);
}

const LONGEST_COMMAND = 20_000;

/** The command with single spaces, and without a leading `cd` into the project, where it runs anyway. */
export function normalizeCommand(command: string, project: string): string {
  const rest = command.length > LONGEST_COMMAND ? ` (${command.length} characters)` : "";
  const line = `${command.slice(0, LONGEST_COMMAND).replace(/\s+/g, " ").trim()}${rest}`;
  const steps = [project, `${project}/`, `"${project}"`, `'${project}'`].map((path) => `cd ${path} && `);
  const step = steps.find((one) => line.startsWith(one));
  return step === undefined ? line : line.slice(step.length);
}

/** Equal for messages that differ only in numbers, times, hashes, ids and paths. */
export function hashMessage(text: string): string {
  const message = stripVTControlCharacters(text.slice(-HASHED))
    .toLowerCase()
    .replace(/\b[a-z]:[\\/][\w.@+~#\\/-]+/g, "/")
    .replace(/(?<![\w.])~?\/[\w.@+~#-]+(\/[\w.@+~#:-]*)*/g, "/")
    .replace(/\b(?=[a-f.,:_-]*\d)[0-9a-f]+([.,:_-][0-9a-f]+)*(t#|\s?(ms|[smhz])\b)?/g, "#")
    .replace(/\s+/g, " ")
    .trim();
  return hashText(message).slice(0, HASH_CHARACTERS);
}

/* The calls of each session as they end. Uses no disk. */

export interface SessionCall extends EndedCall {
  /** When the session had last changed a file before; 0 if never. */
  readonly changedBefore: number;
}

/** Messages whose calls are read: an aborted turn ends behind its last results. */
const LOOKED_BACK = 3;

export function createSessionCalls(project: string) {
  /** By session: when it last changed a file, 0 if never. */
  const changed = new Map<string, number>();
  const seen = new Set<string>();

  return {
    /**
     * The calls that have ended since the last request. For a session not seen yet, only what has failed in its newest
     * answer: the instance that sent the others has logged them, and lines that a person has deleted must not come back.
     */
    read(sessionID: string, messages: readonly Message[]): SessionCall[] {
      const isKnown = changed.has(sessionID);
      const newest = messages.findLastIndex(({ info }) => info?.role === "assistant");
      const from = Math.max(0, isKnown ? messages.length - LOOKED_BACK : newest);
      if (!isKnown) changed.set(sessionID, findLastChange(messages.slice(0, from)));
      const calls = messages
        .slice(from)
        .flatMap(listCalls)
        .flatMap((part) => {
          const key = readCallKey(part);
          if (key === undefined || seen.has(`${sessionID} ${key}`)) return [];
          seen.add(`${sessionID} ${key}`);
          const ended = readEndedCall(part, project);
          const changedBefore = changed.get(sessionID) ?? 0;
          if (ended && isChangingTool(ended.tool)) changed.set(sessionID, ended.at);
          return ended ? [{ ...ended, changedBefore }] : [];
        });
      return isKnown ? calls : calls.filter(({ failure }) => failure);
    },

    /** When the session last changed a file: after that, a call that failed may work. */
    changedAt: (sessionID: string): number => changed.get(sessionID) ?? 0,
  };
}

const listCalls = ({ parts }: Message): ToolPart[] =>
  Array.isArray(parts) ? parts.filter((part) => part && isToolPart(part)) : [];

const findLastChange = (messages: readonly Message[]): number =>
  messages.flatMap(listCalls).findLast(({ tool }) => isChangingTool(tool))?.state?.time?.start ?? 0;
