/**
 * `pending.json`: a change of memories that was begun, written down before anything of it is done. It is machine state,
 * and yet a repository can bring one along. So it counts as a whole or not at all: with one line that is no change of a
 * memory it is set aside, nothing of it is done, and memory goes on without it.
 */
import { basename, dirname, join } from "node:path";
import { isRecord, parseJson } from "../../records.js";
import { type Files, readText } from "../../seams/files.js";
import { isLedgerFile, quotePath } from "../path.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";

export interface Pending {
  lines: readonly LedgerLine[];
  /** Its name alone: the project may have been moved since. */
  ledgerFile: string;
}

/** `why` says what is wrong with it, as the end of a sentence. */
export type PendingReading = { kind: "pending"; pending: Pending } | { kind: "refused"; why: string };

const HALF = "it is half of a note on a change";

/** `undefined` when there is none. Rejects with the system's error. */
export async function readPending(
  files: Files,
  path: string,
  prefix: string,
): Promise<PendingReading | undefined> {
  const stat = await files.statItself(path);
  if (!stat) return undefined;
  if (stat.kind !== "file") return refuse(`it is a ${stat.kind} and no file`);
  const text = await readText(files, path);
  return text === undefined ? undefined : parsePending(text, prefix);
}

export function parsePending(text: string, prefix: string): PendingReading {
  const value = parseJson(text);
  // On a disk that knows no links a killed process may leave the half of one; then nothing had been begun.
  if (!isRecord(value) || !Array.isArray(value.lines) || value.lines.length === 0) return refuse(HALF);
  const { ledgerFile } = value;
  if (typeof ledgerFile !== "string" || !isLedgerFile(ledgerFile))
    return refuse(`${quotePath(String(ledgerFile))} is the name of no ledger`);
  const lines: LedgerLine[] = [];
  for (const [n, one] of value.lines.entries()) {
    const reading = readLedgerLine(one, prefix);
    if (reading.kind === "problem") return refuse(`line ${n + 1} of it ${reading.what}`);
    lines.push(reading.line);
  }
  return { kind: "pending", pending: { lines, ledgerFile } };
}

/** Gives it a name under which nobody looks for it; the path that it has then. Under the lock of its folder. */
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

/** Paths of those that were set aside in this folder of machine state. */
export async function listSetAside(files: Files, state: string): Promise<string[]> {
  const names = await files.list(state);
  return names.filter((name) => /^pending\.refused-\d+\.json$/.test(name)).map((name) => join(state, name));
}

const refuse = (why: string): PendingReading => ({ kind: "refused", why });
