import { randomUUID } from "node:crypto";
import { hashOf } from "../../hash.js";
import type { Clock } from "../../seams/clock.js";
import { findPrivateID } from "../draft.js";
import type { Memory } from "../memory.js";
import type { Ledger } from "./ledger.js";
import type { Cause, LedgerLine } from "./ledger-line.js";

/** What happens to a file: it is written, moved to where nothing is, or removed. */
export interface DeskStep {
  path: string;
  /** Where it is moved from. */
  from?: string;
  /** Hash of the file before; `null` where there is none. */
  before: string | null;
  /** As it shall be; absent where it is only moved, or removed. */
  contents?: string;
  isRemoved?: true;
  cause: Cause;
}

export interface LineWriter {
  line(ledger: Known, path: string, cause: Cause, change: Change, last?: string): LedgerLine;
  /** The lines of steps that follow each other. */
  steps(ledger: Known, steps: readonly DeskStep[]): LedgerLine[];
}

export interface LineWriterOptions {
  clock: Clock;
  instance: string;
  sensitivity: Memory["sensitivity"];
  idOf: (path: string) => string;
}

/** The last millisecond that an ISO date-time has four digits for. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

type Known = Pick<Ledger, "known">;
type Change = Pick<LedgerLine, "before" | "after"> & { from?: string; contents?: string | undefined };

/** Writes lines of the ledger, each later than the last one about its file, also where the clock was put back. */
export function createLineWriter({ clock, idOf, instance, sensitivity }: LineWriterOptions): LineWriter {
  function line(
    ledger: Known,
    path: string,
    cause: Cause,
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

    steps(ledger, steps) {
      const lines: LedgerLine[] = [];
      for (const { before, cause, contents, from, isRemoved, path } of steps) {
        const after = isRemoved ? null : contents === undefined ? before : hashOf(contents);
        const change = { before, after, contents, ...(from !== undefined && { from }) };
        const earlier = lines.findLast((one) => one.path === (from ?? path));
        lines.push(line(ledger, path, cause, change, earlier?.at));
      }
      return lines;
    },
  };
}

/** A committed ledger does not name what is private. */
function withoutHint({ reason, ...cause }: Cause): Cause {
  const isHint = reason === undefined || findPrivateID(reason) !== undefined;
  return isHint ? cause : { ...cause, reason };
}
