/** Coordinates the instances of one project: presence, leases, edit warnings, and messages between sessions. */
import { formatError } from "../../src/base/error.js";
import { noteExtended, planAddition } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { HookInput, ToolArguments } from "../../src/kernel/hooks.js";
import type { SlashCommand, Tool } from "../../src/kernel/layer.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { createAgendaCommand } from "./agenda/agenda-command.js";
import { createEditWarnings, EDIT_LAYER } from "./leases/edit-warnings.js";
import { createEdits, createPlaces } from "./leases/edits.js";
import { createLeaseTool } from "./leases/lease-tool.js";
import { createLeases } from "./leases/leases.js";
import { createDelivery } from "./mail/delivery.js";
import { createMail } from "./mail/mail.js";
import { createSendMessageTool } from "./mail/send-message-tool.js";

export interface Coordination {
  readonly tools: readonly Tool[];
  readonly commands: readonly SlashCommand[];
  /** Announces this instance in the background when a turn begins. */
  begin(sessionID: string): void;
  /** Learns the goal of a session. */
  notice(request: ContextRequest): void;
  /**
   * Records messages and edit warnings as additions at the tail of the request, and returns whether there are any. Rejects
   * with the system's error.
   */
  extend(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
  /** Before a call runs. Rejects with the system's error. */
  check(call: HookInput<"toolArguments">, args: ToolArguments): Promise<ToolArguments | undefined>;
  hear(event: HookInput<"event">): void;
  /** Releases the leases of this instance. */
  dispose(): Promise<void>;
}

/** `layer` names the layer in the log and the savings ledger. */
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
      toasts.show(`another OpenCode is also working on ${path}; the agent has been warned.`, "warning"),
  });

  return {
    tools: [createLeaseTool(leases), createSendMessageTool({ instances, mail })],
    commands: [createAgendaCommand({ ...context, leases })],
    check: warnings.check,

    begin(sessionID) {
      const isNews = instances.sessions.begin(sessionID);
      later("announce this instance", async () => {
        await instances.join();
        if (isNews) await instances.refresh();
      });
    },

    notice({ sessionID }) {
      const goal = notes.facts(sessionID)?.requests.at(-1)?.text;
      if (instances.sessions.setGoal(sessionID, goal)) later("publish the session's goal", instances.refresh);
    },

    async extend(request, signal) {
      const { sessionID } = request;
      const made = warnings.plan(request);
      if (made.length > 0) {
        await decisions.record(sessionID, EDIT_LAYER, made.map(planAddition), signal);
        log.info(layer, `warned ${sessionID}: another instance is working on the files it edits`);
      }
      const isDelivered = await delivery.deliver(request, signal);
      const count = made.length + (isDelivered ? 1 : 0);
      if (count > 0) noteExtended(savings, { sessionID, layer, count });
      return count > 0;
    },

    hear({ properties, type }) {
      delivery.hear(type, properties);
      if (instances.sessions.hear(type, properties)) later("publish the session's state", instances.refresh);
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
