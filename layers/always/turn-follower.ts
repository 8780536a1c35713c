/** Follows when an agent is at work: what changes on disk meanwhile counts as the agent's. */
import type { Layer } from "../../src/dispatcher/layer.js";
import type { Trust } from "../../src/trust/trust.js";

/**
 * Its handlers only take note: no turn waits for them. What lies there when a turn ends is looked at then: later git may
 * have written the same files anew, and the user may have committed them.
 */
export function createTurnFollower({ turns }: Pick<Trust, "turns">, lookAgain: () => void): Layer {
  return {
    name: "trust",
    cost: 0.3,
    // A copy works on when the session that asked for it is idle.
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
