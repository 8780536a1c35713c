/**
 * The files of the branch on the remote. Nothing else is read from it.
 *
 *     strata.json                              the format and the scope
 *     README.md                                for people who open the branch
 *     ledger/2026-11/3f9a1c22/0001.jsonl       lines of the ledger file 2026-11-3f9a1c22.jsonl, in its order
 *
 * A file of lines grows to about 128 KB before the next one begins, so a push writes little for a ledger of any size. Pure.
 */
import { isRecord, parseJson } from "../base/records.js";

/** The ledger file whose lines are in a file of the branch, and that file's number. */
export interface Segment {
  ledgerFile: string;
  number: number;
}

export const FORMAT_FILE = "strata.json";
const FULL_BYTES = 128 * 1024;
/** Larger files are not read: a file has at most `FULL_BYTES` before its last line. */
export const MOST_FILE_BYTES = 8_000_000;

function formatSegment({ ledgerFile, number }: Segment): string {
  const [, month, clone] = /^(\d{4}-\d{2})-(\w+)\.jsonl$/.exec(ledgerFile) ?? [];
  return `ledger/${month}/${clone}/${String(number).padStart(4, "0")}.jsonl`;
}

/** `undefined` for any other file. */
export function parseSegment(path: string): Segment | undefined {
  const [, month, clone, number] =
    /^ledger\/(\d{4}-\d{2})\/([0-9a-f]{8}|unnamed)\/(\d{4,6})\.jsonl$/.exec(path) ?? [];
  return number === undefined ? undefined : { ledgerFile: `${month}-${clone}.jsonl`, number: Number(number) };
}

export type Scope = "project" | "global";

export function formatBranchPages(scope: Scope): Record<string, string> {
  const what = scope === "global" ? "a user's global memories" : "memories of a project";
  return {
    [FORMAT_FILE]: `${JSON.stringify({ v: 1, scope })}\n`,
    "README.md": `# Strata\n\nThis branch holds ${what}, written by \`strata sync\` of opencode-strata. Each line of a file in\n\`ledger/\` is one change of one memory. Edit memories with Strata or in their own folder, not here.\n`,
  };
}

/** Why a branch with this format file (`undefined`: none) cannot be used; `undefined` if it can. */
export function findFormatFault(text: string | undefined, scope: Scope): string | undefined {
  if (text === undefined)
    return `it holds something else (it has no ${FORMAT_FILE}); choose another branch with --branch`;
  const format = parseJson(text);
  if (!isRecord(format) || typeof format.v !== "number") return `its ${FORMAT_FILE} cannot be read`;
  if (format.v > 1) return `a newer Strata wrote it (format ${format.v}); update this one`;
  return format.scope === scope
    ? undefined
    : `it holds ${String(format.scope)} memories, expected ${scope}; choose another branch with --branch`;
}

/** New contents of files on the branch, by path. */
export function planSegments(
  lines: readonly { file: string; text: string }[],
  /** The last existing branch file of each ledger file, with its contents. */
  last: ReadonlyMap<string, { number: number; text: string }>,
): Map<string, string> {
  const changed = new Map<string, string>();
  const open = new Map(last);
  for (const { file, text } of lines) {
    const at = open.get(file) ?? { number: 1, text: "" };
    const isFull = at.text.length >= FULL_BYTES;
    const next = isFull
      ? { number: at.number + 1, text: `${text}\n` }
      : { number: at.number, text: `${at.text}${text}\n` };
    open.set(file, next);
    changed.set(formatSegment({ ledgerFile: file, number: next.number }), next.text);
  }
  return changed;
}
