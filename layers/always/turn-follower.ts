/** Tracks the turns of agents: files that change on disk during a turn count as the agent's. */
import type { Layer } from "../../src/kernel/layer.js";
import type { Trust } from "../../src/memory/trust/trust.js";

/**
 * No turn waits for its handlers. The memories are read when a turn ends, because git may rewrite the same files later and
 * the user may commit them.
 */
export function createTurnFollower({ turns }: Pick<Trust, "turns">, lookAgain: () => void): Layer {
  return {
    name: "trust",
    phase: "before",
    // A fork continues to work when the session that asked for it is idle.
    servesForks: ["turn", "event"],
    handlers: {
      turn({ sessionID }) {
        void turns.begin(sessionID);
        return undefined;
      },
      event({ properties: { info, sessionID }, type }) {
        const id = type === "session.deleted" ? (info as { id?: unknown } | undefined)?.id : sessionID;
        const isOver = type === "session.idle" || type === "session.deleted";
        if (isOver && typeof id === "string") void turns.end(id).then(lookAgain);
        return undefined;
      },
    },
  };
}
