/** What the entries of the log come to: each way in which a call has failed, how often, and what became of it. Pure. */
import type { Entry } from "./entry.js";

export interface KnownFailure {
  readonly tool: string;
  readonly call: string;
  readonly message: string;
  /** Times it has failed this way, also those of which the lines are gone. */
  readonly attempts: number;
  /** Milliseconds since 1970; the first of which there is a line. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The session in which it failed last. */
  readonly session: string;
  /** What became of it the last time that this was found out. */
  readonly resolution?: { readonly at: number; readonly text: string; readonly session: string };
}

/** Stands for a way in which a call fails. */
export const nameFailure = (of: Pick<Entry, "callHash" | "messageHash">): string =>
  `${of.callHash} ${of.messageHash}`;

/** By `nameFailure`. A resolution of which the failure is gone counts for nothing, two lines of one key for one. */
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

/** Takes one more entry in. */
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
    // Two processes may have counted the same number; lines may have been dropped.
    attempts: Math.max(attempt, (before?.attempts ?? 0) + 1),
    firstAt: Math.min(at, before?.firstAt ?? at),
    lastAt: Math.max(at, before?.lastAt ?? at),
    session: at >= (before?.lastAt ?? 0) ? session : (before?.session ?? session),
  });
}
