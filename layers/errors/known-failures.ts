/** Sums the log's entries: each kind of failure, its count, and its resolution. Pure. */
import type { Entry } from "./entry.js";

export interface KnownFailure {
  readonly tool: string;
  readonly call: string;
  readonly message: string;
  /** Number of failures of this kind, including those whose lines are gone. */
  readonly attempts: number;
  /** Time of the first failure with a line; milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The session in which it failed last. */
  readonly session: string;
  /** The last known resolution. */
  readonly resolution?: { readonly at: number; readonly text: string; readonly session: string };
}

/** Identifies a kind of failure: a call and its message. */
export const nameFailure = (of: Pick<Entry, "callHash" | "messageHash">): string =>
  `${of.callHash} ${of.messageHash}`;

/** Failures by `nameFailure`. Ignores resolutions without their failure, and repeated lines of one key. */
export function sumEntries(entries: readonly Entry[]): Map<string, KnownFailure> {
  const known = new Map<string, KnownFailure>();
  const keys = new Set<string>();
  for (const entry of entries) {
    const name = `${nameFailure(entry)} ${entry.kind} ${entry.key}`;
    if (!keys.has(name)) addEntry(known, entry);
    keys.add(name);
  }
  return known;
}

/** Adds one entry. */
export function addEntry(known: Map<string, KnownFailure>, entry: Entry): void {
  const { at, attempt, call, kind, session, text, tool } = entry;
  const name = nameFailure(entry);
  const before = known.get(name);
  if (kind === "resolved") {
    if (before && at >= (before.resolution?.at ?? 0))
      known.set(name, { ...before, resolution: { at, text, session } });
    return;
  }
  known.set(name, {
    ...(before?.resolution && { resolution: before.resolution }),
    tool,
    call,
    message: text,
    // Two processes may have written the same number, and lines may have been deleted.
    attempts: Math.max(attempt, (before?.attempts ?? 0) + 1),
    firstAt: Math.min(at, before?.firstAt ?? at),
    lastAt: Math.max(at, before?.lastAt ?? at),
    session: at >= (before?.lastAt ?? 0) ? session : (before?.session ?? session),
  });
}
