/** Has the screen of a session written behind its requests and turns. The code that does it is loaded then. */
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { SessionScreen } from "../../src/status/session-screen.js";
import type { SeenRequest } from "./screen/measure-context.js";
import type { Screens } from "./screen/screens.js";

export type Screen = ReturnType<typeof createScreen>;

export function createScreen(context: KernelContext) {
  const { deferred, host } = context;
  /** The requests that wait to be measured. */
  const waiting = new Map<string, SeenRequest>();
  let opening: Promise<Screens> | undefined;

  return {
    /** The request is about to be sent, or was answered. Returns at once. */
    note(seen: SeenRequest): void {
      const { isCompaction, sessionID } = seen.request;
      if (isCompaction || host.isOwnSession(sessionID) || host.isFork(sessionID)) return;
      const name = `screen of ${sessionID}`;
      waiting.set(sessionID, seen);
      deferred.add(seen.usage ? `${name}, answered` : name, async () => {
        const latest = waiting.get(sessionID);
        waiting.delete(sessionID);
        await (await open()).write(sessionID, latest);
      });
    },

    /** As in `Screens`. */
    read: async (sessionID: string): Promise<SessionScreen | undefined> => (await open()).read(sessionID),

    layer: {
      name: "screen",
      // Before the layer that has deferred work done at the turn's end.
      phase: "after",
      handlers: {
        event({ type, properties: { info, sessionID } }) {
          if (type === "session.idle" && typeof sessionID === "string")
            deferred.add(
              `screen of ${sessionID}, ended`,
              async () => opening && (await open()).end(sessionID),
            );
          const gone = type === "session.deleted" ? (info as { id?: unknown } | undefined)?.id : undefined;
          if (typeof gone === "string") void open().then((screens) => screens.forget(gone));
          return undefined;
        },
      },
    } satisfies Layer,
  };

  function open(): Promise<Screens> {
    opening ??= import("./screen/screens.js").then(({ createScreens }) => createScreens(context));
    return opening;
  }
}
