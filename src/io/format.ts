import type { LockState } from "./holders.js";
import { formatDoubt, formatHolder } from "./token.js";
import { SILENT_MS } from "./watch.js";

/** Describes a lock for people. `isSilent`: without watching it, its owner appears to be gone. */
export function formatLock(state: LockState, nowMs: number): { says: string; isSilent: boolean } {
  if (state.kind === "free") return { says: "free", isSilent: false };
  const { kind, signMs, token } = state;
  if (kind === "abandoned") {
    const why = signMs === undefined ? "has ended" : `was last active at ${formatTime(signMs)}`;
    const says = token
      ? `a stale lock: ${formatHolder(token)} ${why}`
      : `a stale lock without an owner that ${why}`;
    return { says, isSilent: true };
  }
  const says = token ? `held by ${formatHolder(token)}` : "a lock without an owner";
  if (signMs === undefined) return { says, isSilent: false };
  return { says: `${says}; ${formatDoubt(signMs)}`, isSilent: nowMs - signMs >= SILENT_MS };
}

const formatTime = (timeMs: number): string => new Date(timeMs).toISOString();
