/**
 * `pending.json`: a planned change of memories, written before its first step. It is machine state, yet a repository
 * can bring one along. So it is valid as a whole or not at all: a single invalid line sets it aside, none of it is
 * applied, and memory works without it.
 */
import { basename, dirname, join } from "node:path";
import { isRecord, parseJson } from "../../base/shape.js";
import { type Files, readText } from "../../io/files.js";
import { isLedgerFile, quotePath } from "../path.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";

export interface Pending {
  /** Our own lines; empty only with `received`. */
  lines: readonly LedgerLine[];
  /** File name only: the project may have moved since. */
  ledgerFile: string;
  received?: Received | undefined;
}

/** Changes of other machines. */
export interface Received {
  /** Their lines as written, by the name of the ledger file. */
  lines: Readonly<Record<string, readonly string[]>>;
  /** Steps that bring our files to the state after those lines; they are in no ledger. */
  steps: readonly LedgerLine[];
}

/** `why` says what is wrong, as the end of a sentence. */
export type PendingReading = { kind: "pending"; pending: Pending } | { kind: "refused"; why: string };

const INCOMPLETE = "it is incomplete";

/** `undefined` if there is none. Rejects with the system's error. */
export async function readPending(
  files: Files,
  path: string,
  prefix: string,
): Promise<PendingReading | undefined> {
  const stat = await files.statItself(path);
  if (!stat) return undefined;
  if (stat.kind !== "file") return refuse(`it is a ${stat.kind}, expected a file`);
  const text = await readText(files, path);
  return text === undefined ? undefined : parsePending(text, prefix);
}

export function parsePending(text: string, prefix: string): PendingReading {
  const value = parseJson(text);
  // On a disk without links, a killed process may leave half of one; then no step was taken.
  if (!isRecord(value) || !Array.isArray(value.lines)) return refuse(INCOMPLETE);
  const { ledgerFile, received } = value;
  if (value.lines.length === 0 && received === undefined) return refuse(INCOMPLETE);
  if (typeof ledgerFile !== "string" || !isLedgerFile(ledgerFile)) return refuse(notALedger(ledgerFile));
  const lines = readLines(value.lines, prefix);
  if (typeof lines === "string") return refuse(lines);
  const theirs = received === undefined ? undefined : readReceived(received, prefix);
  if (typeof theirs === "string") return refuse(theirs);
  return { kind: "pending", pending: { lines, ledgerFile, ...(theirs && { received: theirs }) } };
}

/** The lines, or why they are refused. */
function readLines(values: readonly unknown[], prefix: string): LedgerLine[] | string {
  const lines: LedgerLine[] = [];
  for (const [n, one] of values.entries()) {
    const reading = readLedgerLine(one, prefix);
    if (reading.kind === "problem") return `line ${n + 1} of it ${reading.what}`;
    lines.push(reading.line);
  }
  return lines;
}

function readReceived(value: unknown, prefix: string): Received | string {
  if (!isRecord(value) || !isRecord(value.lines) || !Array.isArray(value.steps)) return INCOMPLETE;
  const steps = readLines(value.steps, prefix);
  if (typeof steps === "string") return steps;
  const files: Record<string, string[]> = {};
  for (const [name, texts] of Object.entries(value.lines)) {
    if (!isLedgerFile(name)) return notALedger(name);
    if (!Array.isArray(texts)) return INCOMPLETE;
    const fault = readLines(texts.map(parseText), prefix);
    if (typeof fault === "string") return fault;
    files[name] = texts;
  }
  return { lines: files, steps };
}

/** Refuses a text with a newline, which would become two lines. */
const parseText = (text: unknown): unknown =>
  typeof text === "string" && !text.includes("\n") ? parseJson(text) : undefined;

const notALedger = (name: unknown): string => `${quotePath(String(name))} is not the name of a ledger`;

/** Renames it so that no reader finds it, and returns the new path. Call under the lock of its folder. */
export async function setPendingAside(files: Files, path: string): Promise<string> {
  const taken = new Set(await files.list(dirname(path)));
  for (let n = 1; ; n++) {
    const name = basename(path).replace(/\.json$/, `.refused-${n}.json`);
    if (taken.has(name)) continue;
    const aside = join(dirname(path), name);
    await files.rename(path, aside);
    return aside;
  }
}

/** Paths of the files set aside in this folder of machine state. */
export async function listSetAside(files: Files, state: string): Promise<string[]> {
  const names = await files.list(state);
  return names.filter((name) => /^pending\.refused-\d+\.json$/.test(name)).map((name) => join(state, name));
}

const refuse = (why: string): PendingReading => ({ kind: "refused", why });
