import { randomUUID } from "node:crypto";
import { hashOf } from "../../base/hash.js";
import type { Clock } from "../../io/clock.js";
import { findPrivateID } from "../draft.js";
import type { Memory } from "../memory.js";
import type { Ledger } from "./ledger.js";
import type { Cause, LedgerLine } from "./ledger-line.js";

/** One step on a file: write it, move it to a free path, or remove it. */
export interface TransactionStep {
  path: string;
  /** Path the file is moved from. */
  from?: string;
  /** Hash of the file before; `null` if there is none. */
  before: string | null;
  /** The new contents; absent for a move or removal. */
  contents?: string;
  isRemoved?: true;
  cause: Cause;
}

export interface LineWriter {
  line(ledger: Known, path: string, cause: Cause, change: Change, last?: string): LedgerLine;
  /** A line for the step, dated after `lastAt`. */
  after(ledger: Known, step: TransactionStep, lastAt: string): LedgerLine;
  /** The lines of consecutive steps. */
  steps(ledger: Known, steps: readonly TransactionStep[]): LedgerLine[];
}

export interface LineWriterOptions {
  clock: Clock;
  instance: string;
  sensitivity: Memory["sensitivity"];
  idOf: (path: string) => string;
}

/** The last millisecond of the years with four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The fields of a cause in the ledger. */
type WrittenCause = Omit<Cause, "saidMs" | "isForeign">;
type Known = Pick<Ledger, "known">;
type Change = Pick<LedgerLine, "before" | "after"> & { from?: string; contents?: string | undefined };

/** Makes ledger lines, each later than the last about its file, even if the clock was set back. */
export function createLineWriter({ clock, idOf, instance, sensitivity }: LineWriterOptions): LineWriter {
  function line(
    ledger: Known,
    path: string,
    { saidMs: _, isForeign: _isForeign, ...cause }: Cause,
    { contents, ...change }: Change,
    last = ledger.known(change.from ?? path)?.at,
  ): LedgerLine {
    const nowMs = Math.min(LAST_MS, Math.max(clock.now(), last === undefined ? 0 : Date.parse(last) + 1));
    const isByHand = cause.operation.endsWith(" by hand");
    return {
      v: 1,
      id: randomUUID(),
      at: new Date(nowMs).toISOString(),
      instance,
      by: isByHand ? "person" : "strata",
      ...(sensitivity === "internal" ? withoutHint(cause) : cause),
      key: idOf(path),
      path,
      ...change,
      ...(contents !== undefined && { contents }),
    };
  }

  return {
    line,

    after: (ledger, step, lastAt) => line(ledger, step.path, step.cause, changeOf(step), lastAt),

    steps(ledger, steps) {
      const lines: LedgerLine[] = [];
      const times = new Map<string, string>();
      for (const step of steps) {
        const { cause, from, path } = step;
        const made = line(ledger, path, cause, changeOf(step), times.get(from ?? path));
        times.set(path, made.at);
        lines.push(made);
      }
      return lines;
    },
  };
}

function changeOf({ before, contents, from, isRemoved }: TransactionStep): Change {
  const after = isRemoved ? null : contents === undefined ? before : hashOf(contents);
  return { before, after, contents, ...(from !== undefined && { from }) };
}

/** A committed ledger never names a private memory. */
function withoutHint({ reason, ...cause }: WrittenCause): WrittenCause {
  const isHint = reason === undefined || findPrivateID(reason) !== undefined;
  return isHint ? cause : { ...cause, reason };
}
