/** Reads tool calls: the files they touch, a short form of their input, and their outcome. */

import { createHash } from "node:crypto";
import { isRecord } from "../base/shape.js";
import { cut, shortenPath } from "../base/text.js";
import { isToolPart, type Message, type MessageInfo, type Part, type ToolPart } from "../io/message.js";
import { toSafeLine } from "../text/secrets/secrets.js";

type Input = Readonly<Record<string, unknown>>;

const CHANGING_TOOLS = new Set(["edit", "write", "apply_patch", "patch", "multiedit"]);
/** Files whose contents must not get into notes. */
const SECRET_FILE =
  /(^|[/\s"'=])(\.env(?!\.(example|sample|template)\b)[.\w-]*|[\w.-]+\.(pem|p12|pfx|keystore)|id_(rsa|dsa|ecdsa|ed25519)|\.netrc|\.npmrc|\.pgpass|credentials(\.\w+)?|secrets?\.(json|ya?ml|toml|env))(?=$|["'\s;|&)])/i;

/** The input of a call; `{}` if the host has none. */
export const readInput = ({ state }: ToolPart): Input => (isRecord(state?.input) ? state.input : {});

/** The first of these fields that holds non-blank text. */
export function readText(input: Input, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

export const isChangingTool = (tool: string): boolean => CHANGING_TOOLS.has(tool);

/** Paths that a read or a change names, as the notes spell them. */
export function findTouchedPaths(part: ToolPart, project: string): string[] {
  if (part.tool !== "read" && !isChangingTool(part.tool)) return [];
  const input = readInput(part);
  const named = readText(input, "filePath", "file_path", "path");
  const patch = readText(input, "patchText", "patch", "diff");
  const paths = [...(named === undefined ? [] : [named]), ...(patch === undefined ? [] : readPatch(patch))];
  return [...new Set(paths.map((path) => shortenPath(path, project)))];
}

/** The paths, as the call spells them, of all files that it is about to change, those among them that it deletes. */
export function findChangedPaths(tool: string, input: Input): string[] {
  if (!isChangingTool(tool)) return [];
  const named = [input, ...readEdits(input)].map((one) => readText(one, "filePath", "file_path", "path"));
  const patch = readText(input, "patchText", "patch", "diff") ?? "";
  const deleted = /\n(?:\*\*\* Delete File: |--- (?:a\/)?)([^\t\n]+)/g;
  const all = [...named, ...readPatch(patch), ...readPatch(patch, [deleted])];
  return [...new Set(all.filter((path) => path !== undefined))];
}

const readEdits = ({ edits }: Input): Input[] => (Array.isArray(edits) ? edits.filter(isRecord) : []);

// A pattern that begins with a line's end is found far faster than one with `^`.
const PATCHED = [/\n\*\*\* (?:Add File|Update File|Move to): (.+)/g, /\n\+\+\+ (?:b\/)?([^\t\n]+)/g];

/** The files that a patch changes, in OpenCode's own form or as a unified diff. */
function readPatch(patch: string, forms: readonly RegExp[] = PATCHED): string[] {
  return forms
    .flatMap((form) => [...`\n${patch}`.matchAll(form)])
    .map((match) => match[1]?.trim() ?? "")
    .filter((path) => path !== "" && path !== "/dev/null");
}

/** Functions, classes and types by the words that declare them in the common languages. */
const DECLARATIONS = [
  /\b(?:function\*?|class|interface|enum|struct|trait|protocol|def|fn|fun|func(?:\s*\([^)\n]*\))?)\s+(?!(?:error|string|bool|int|any|for|that|which|with|and|can|body|parameters|call|name)\b)([A-Za-z_$][\w$]{2,})/g,
  /\btype\s+([A-Z][\w$]+)\s*(?:[=<]|struct\b|interface\b)/g,
  /\b(?:const|let|var)\s+([A-Za-z_$][\w$]{2,})\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:function\b|\([^)\n]*\)\s*(?::[^=\n]+)?=>|\w+\s*=>)/g,
];
/** Characters searched: a longer edit is a generated file. */
const LOOKED_AT = 50_000;

export function findDeclaredNames(part: ToolPart, limit: number): string[] {
  return findDeclaredIn(readEditedText(readInput(part)), limit);
}

/** Names that a text declares, in order. */
export function findDeclaredIn(given: string, limit: number): string[] {
  const text = cut(given, LOOKED_AT);
  const found = DECLARATIONS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ name: match[1] ?? "", index: match.index })),
  );
  return [...new Set(found.sort((a, b) => a.index - b.index).map(({ name }) => name))].slice(0, limit);
}

function readEditedText(input: Input): string {
  const texts = [input, ...readEdits(input)].flatMap(
    (edit) => readText(edit, "newString", "new_string", "content") ?? [],
  );
  const patch = readText(input, "patchText", "patch", "diff");
  if (patch !== undefined) texts.push(patch.replace(/^[^+\n].*$/gm, "").replace(/^\+/gm, ""));
  return texts.join("\n");
}

const TELLING_FIELDS = [
  ...["command", "filePath", "file_path", "path", "pattern"],
  ...["url", "query", "description", "name"],
];

/** A call's input on one line: its most telling field, or all of it. */
export function formatInput(part: ToolPart, limit: number): string {
  const input = readInput(part);
  const telling = readText(input, ...TELLING_FIELDS);
  if (telling !== undefined) return toSafeLine(telling, limit);
  const patched = readPatch(readText(input, "patchText", "patch", "diff") ?? "");
  if (patched.length > 0) return toSafeLine(patched.join(", "), limit);
  return Object.keys(input).length === 0 ? "" : toSafeLine(JSON.stringify(input), limit);
}

/** True if the call reads a file that people keep secrets in. Its result is then not repeated anywhere. */
export function mayShowSecrets(part: ToolPart): boolean {
  const named = readText(readInput(part), "command", "filePath", "file_path", "path", "include");
  return named !== undefined && SECRET_FILE.test(named);
}

/**
 * The fully processed messages of a session, so that thousands are skipped at once. Role and time identify a message;
 * it is processed again if its contents change.
 */
export type KnownMessages = ReturnType<typeof createKnownMessages>;

export function createKnownMessages() {
  const signs = new Map<number | string, number | string>();
  return {
    has: (message: Message): boolean =>
      message?.parts !== undefined && signs.get(keyOf(message)) === signOf(message),
    /** Adds the messages that will not change any more. */
    add(messages: readonly Message[]): void {
      for (const message of messages) if (isSettled(message)) signs.set(keyOf(message), signOf(message));
    },
    /** True if a known message is missing from these, or its contents differ. */
    isMissedIn(messages: readonly Message[]): boolean {
      let found = 0;
      for (const message of messages) {
        const sign = message?.parts && signs.get(keyOf(message));
        if (sign === undefined) continue;
        if (sign !== signOf(message)) return true;
        found++;
      }
      return found < signs.size;
    },
    isEmpty: () => signs.size === 0,
    clear: () => signs.clear(),
  };
}

/** A number if possible: otherwise every request would build thousands of strings. */
function keyOf({ info }: Message): number | string {
  if (!info) return "";
  const created = readTime(info);
  const isUser = info.role === "user";
  if (created === undefined) return `${isUser} ${nameMessage(info)}`;
  return isUser ? created : -created;
}

/** A fingerprint: the words of a user's message, the length of an answer, which only its model writes. */
function signOf({ info, parts }: Message): number | string {
  if (!Array.isArray(parts)) return "";
  if (info?.role === "user") return `${parts.length} ${readOwnTexts(parts).join("\n")}`;
  let length = 0;
  for (const part of parts) if (part?.type === "text") length += part.text?.length ?? 0;
  return parts.length + length * 2 ** 20;
}

function isSettled(message: Message): boolean {
  const { info, parts } = message ?? {};
  if (!info || !Array.isArray(parts)) return false;
  if (info.role === "user") return true;
  const hasEnded = info.time?.completed !== undefined || info.error !== undefined;
  return hasEnded && !parts.some((part) => part && isToolPart(part) && isRunning(part.state?.status));
}

const isRunning = (status: unknown): boolean => status === "pending" || status === "running";

/* Names messages, and reads the texts their authors wrote. Pure. */

/** Name of a message: its time, which it keeps in a fork, else its id. */
export function nameMessage(info: MessageInfo): string {
  return String(readTime(info) ?? (typeof info.id === "string" ? info.id : ""));
}

export function readTime({ time }: MessageInfo): number | undefined {
  return Number.isFinite(time?.created) ? time?.created : undefined;
}

/** The texts of a message written by its author. */
export function readOwnTexts(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const isOwn = part?.type === "text" && part.synthetic !== true && part.ignored !== true;
    return isOwn && typeof part.text === "string" && part.text.trim() !== "" ? [part.text.trim()] : [];
  });
}

/* Outcomes of calls, as the host reports them: a failed command is a success with an exit code. */

/** The exit code of a command; `null` if it was killed or the host reports none. */
export function readExit({ state }: ToolPart): number | null {
  const exit = state.metadata?.exit;
  return typeof exit === "number" ? exit : null;
}

/** True if the call failed or its command exited with an error. A call that the user interrupted did not fail. */
export function hasFailed(part: ToolPart): boolean {
  const { status, metadata } = part.state;
  if (status === "error") return metadata?.interrupted !== true;
  return part.tool === "bash" && (readExit(part) ?? 0) !== 0;
}

export function hashCall(part: ToolPart): string {
  return hashText(`${part.tool} ${JSON.stringify(readInput(part), shorten)}`).slice(0, 12);
}

/** Longer input texts are hashed by this many first characters and their length. */
const HASHED = 100_000;

function shorten(_name: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= HASHED) return value;
  return `${value.slice(0, HASHED)}${value.length}`;
}

/** SHA-1 in base64url: names things, keeps nothing secret. */
export function hashText(text: string): string {
  return createHash("sha1").update(text).digest("base64url");
}
