import type { Layer } from "../../src/kernel/layer.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";

/** When a turn ends, deferred work is done at once: the host may exit, or another instance continue the session. */
export function createTurnEnd({ deferred }: Pick<LayerContext, "deferred">): Layer {
  return {
    name: "turn-end",
    phase: "after",
    servesForks: ["event"],
    handlers: {
      event({ type }) {
        if (type === "session.idle") void deferred.settle();
        return undefined;
      },
    },
  };
}
