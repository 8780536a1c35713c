/** Has the screen of a session written behind its requests and turns. The code that does it is loaded then. */
import { findEventSession } from "../../src/io/host.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { SessionScreen } from "../../src/status/session-screen.js";
import type { Screens, SeenRequest } from "./screen/screens.js";

export type Screen = ReturnType<typeof createScreen>;

export function createScreen(context: KernelContext) {
  const { deferred, host } = context;
  let opening: Promise<Screens> | undefined;

  return {
    /** The request is about to be sent, or was answered. Returns at once. */
    note(seen: SeenRequest): void {
      const { isCompaction, sessionID } = seen.request;
      if (isCompaction || host.isOwnSession(sessionID) || host.isFork(sessionID)) return;
      const name = `screen of ${sessionID}`;
      const write = async () => (await open()).write(sessionID, seen);
      deferred.add(seen.usage ? `${name}, answered` : name, write);
    },

    read: async (sessionID: string): Promise<SessionScreen | undefined> => (await open()).read(sessionID),

    layer: {
      name: "screen",
      // Before the layer that has deferred work done at the turn's end.
      phase: "after",
      handlers: {
        event({ properties, type }) {
          const sessionID = findEventSession(properties);
          if (sessionID === undefined) return;
          const end = async () => opening && (await open()).end(sessionID);
          if (type === "session.idle") deferred.add(`screen of ${sessionID}, ended`, end);
          if (type === "session.deleted") void open().then((screens) => screens.forget(sessionID));
        },
      },
    } satisfies Layer,
  };

  function open(): Promise<Screens> {
    opening ??= import("./screen/screens.js").then(({ createScreens }) => createScreens(context));
    return opening;
  }
}
