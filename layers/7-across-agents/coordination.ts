/** Instances of one project side by side: who lives, who holds what, who edits what, and letters between their sessions. */

import type { HookInput, ToolArguments } from "../../src/dispatcher/hooks.js";
import type { Tool } from "../../src/dispatcher/tool.js";
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import { noteExtended, planAddition } from "../../src/view/extend.js";
import type { ContextRequest } from "../../src/view/request.js";
import { createEditWarnings, EDIT_LAYER } from "./edits/edit-warnings.js";
import { createEdits } from "./edits/edits.js";
import { createPlaces } from "./edits/places.js";
import { createLeaseTool } from "./leases/lease-tool.js";
import { createLeases } from "./leases/leases.js";
import { createDelivery } from "./mail/delivery.js";
import { createMail } from "./mail/mail.js";
import { createSendMessageTool } from "./mail/send-message-tool.js";

export interface Coordination {
  readonly tools: readonly Tool[];
  /** A turn begins: this instance makes itself known, behind it. */
  begin(sessionID: string): void;
  /** Learns what a session works on. */
  notice(request: ContextRequest): void;
  /**
   * Records what is to stand behind the newest thing: letters, and a word on who else edits a file. Whether there is
   * anything. Rejects with the system's error.
   */
  extend(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
  /** Before a call runs. Rejects with the system's error. */
  check(call: HookInput<"toolArguments">, args: ToolArguments): Promise<ToolArguments | undefined>;
  hear(event: HookInput<"event">): void;
  /** Lets go of what this instance holds. */
  dispose(): Promise<void>;
}

/** `layer` is whose work it is, for the log and the savings ledger. */
export function createCoordination(context: LayerContext, layer: string): Coordination {
  const {
    background,
    clock,
    config,
    decisions,
    files,
    folders,
    host,
    instance,
    instances,
    locks,
    log,
    notes,
    savings,
    toasts,
  } = context;
  const places = createPlaces({ files, project: host.project, directory: host.directory });
  const leases = createLeases({ clock, files, locks, instances, places, path: folders.leases });
  const edits = createEdits({ clock, files, folder: folders.edits, instance });
  const living = async () => new Set((await instances.living()).map(({ id }) => id));
  const mail = createMail({ clock, files, decisions, folder: folders.mail, instance, living });
  const delivery = createDelivery({ mail, later });
  const policy = config.crossAgent.onConflict;
  const warnings = createEditWarnings({
    edits,
    instances,
    leases,
    places,
    policy,
    later,
    onConflict: ({ path }) =>
      toasts.show(`another OpenCode is at work on ${path} as well; the agent has been told.`, "warning"),
  });

  return {
    tools: [createLeaseTool(leases), createSendMessageTool({ instances, mail })],
    check: warnings.check,

    begin(sessionID) {
      const isNews = instances.sessions.begin(sessionID);
      later("make this instance known", async () => {
        await instances.join();
        if (isNews) await instances.refresh();
      });
    },

    notice({ sessionID }) {
      const goal = notes.facts(sessionID)?.requests.at(-1)?.text;
      if (instances.sessions.setGoal(sessionID, goal)) later("tell what is worked on", instances.refresh);
    },

    async extend(request, signal) {
      const { sessionID } = request;
      const made = warnings.plan(request);
      if (made.length > 0) {
        await decisions.record(sessionID, EDIT_LAYER, made.map(planAddition), signal);
        log.info(layer, `${sessionID} is told that another instance is at work on what it edits`);
      }
      const isDelivered = await delivery.deliver(request, signal);
      const count = made.length + (isDelivered ? 1 : 0);
      if (count > 0) noteExtended(savings, { sessionID, layer, count });
      return count > 0;
    },

    hear({ properties, type }) {
      delivery.hear(type, properties);
      if (instances.sessions.hear(type, properties)) later("tell who works", instances.refresh);
    },

    async dispose() {
      await leases.releaseAll();
      await instances.leave();
    },
  };

  function later(what: string, run: () => Promise<unknown>): void {
    void background.add(() =>
      run().catch((thrown) => log.warn(layer, `cannot ${what}: ${formatError(thrown)}`)),
    );
  }
}
