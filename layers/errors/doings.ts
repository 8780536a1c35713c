/** Tracks what each session's calls have changed or run: after that, a call that failed may work. */
import { isChangingTool } from "../../src/conversation/call.js";
import type { Clock } from "../../src/seams/clock.js";
import { isLooking } from "./tracker.js";

export interface Doings {
  /** When the session last changed files, and last ran a command other than this call; 0 if never. */
  before(sessionID: string, callHash: string): { changedMs: number; ranMs: number };
  /** `command`: for a shell call. */
  note(call: { sessionID: string; tool: string; callHash: string; command: string | undefined }): void;
}

interface Doing {
  changedMs: number;
  /** The last commands that may have changed something, with the hash of the call, newest last. */
  ran: readonly (readonly [callHash: string, atMs: number])[];
}

const NOTHING: Doing = { changedMs: 0, ran: [] };
const MOST_SESSIONS = 100;

export function createDoings(clock: Pick<Clock, "now">): Doings {
  const bySession = new Map<string, Doing>();

  return {
    before(sessionID, callHash) {
      const { changedMs, ran } = bySession.get(sessionID) ?? NOTHING;
      const others = ran.flatMap(([hash, atMs]) => (hash === callHash ? [] : [atMs]));
      return { changedMs, ranMs: Math.max(0, ...others) };
    },

    note({ callHash, command, sessionID, tool }) {
      const { changedMs, ran } = bySession.get(sessionID) ?? NOTHING;
      const nowMs = clock.now();
      if (isChangingTool(tool)) set(sessionID, { ran, changedMs: nowMs });
      else if (command !== undefined && !isLooking(command))
        // Two are enough: at least one differs from any given command.
        set(sessionID, {
          changedMs,
          ran: [...ran.filter(([hash]) => hash !== callHash), [callHash, nowMs] as const].slice(-2),
        });
    },
  };

  /** Forgets the oldest session if there are too many. */
  function set(sessionID: string, doing: Doing): void {
    bySession.delete(sessionID);
    bySession.set(sessionID, doing);
    const [oldest = ""] = bySession.keys();
    if (bySession.size > MOST_SESSIONS) bySession.delete(oldest);
  }
}
