/**
 * Layer 7: agents and instances know of each other. Costs no model call.
 *
 *     turn            this instance makes itself known, with the session that works
 *     context         letters from other sessions, and a word on who else edits a file, behind what is newest
 *     toolArguments   before an edit: is somebody else at work on the file?
 *     event           who works, who has ended, who has read their letters
 *     tools           lease, send_message
 */
import { formatError } from "../../src/error.js";
import { createEdits } from "../../src/instances/edits.js";
import { createInstances } from "../../src/instances/instances.js";
import { createLeases } from "../../src/instances/leases.js";
import { createPlaces } from "../../src/instances/places.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { createMail } from "../../src/mail/mail.js";
import { DAY_MS, waitAtMost } from "../../src/seams/clock.js";
import type { ContextRequest } from "../../src/view/request.js";
import { createDelivery } from "./delivery.js";
import { createEditWarnings, EDIT_LAYER } from "./edit-warnings.js";
import { createLeaseTool } from "./lease-tool.js";
import { createSendMessageTool } from "./send-message-tool.js";

const LAYER = "across-agents";
/** How long a turn waits for letters; well below the hook's own deadline. */
const WITHIN_MS = 1_500;
/** Letters expire long before. */
const OLD_MAIL_MS = 30 * DAY_MS;

export const createAcrossAgents: LayerFactory = (context) => {
  const { background, clock, config, decisions, files, folders, host, instance, locks, log, notes, savings } =
    context;
  if (!config.crossAgent.enabled) return undefined;
  const places = createPlaces({ files, project: host.project, directory: host.directory });
  const instances = createInstances({
    clock,
    files,
    log,
    processes: host.processes,
    folder: folders.instances,
    id: instance,
    directory: host.directory,
  });
  const leases = createLeases({ clock, files, locks, instances, places, path: folders.leases });
  const edits = createEdits({ clock, files, folder: folders.edits, instance });
  const living = async () => new Set((await instances.living()).map(({ id }) => id));
  const mail = createMail({ clock, files, decisions, folder: folders.mail, instance, living });
  const delivery = createDelivery({ mail, later });
  const policy = config.crossAgent.onConflict;
  const warnings = createEditWarnings({ edits, instances, leases, places, policy, later });
  let hasSwept = false;

  return {
    name: LAYER,
    cost: 7,
    tools: [createLeaseTool(leases), createSendMessageTool({ instances, mail })],
    handlers: {
      turn({ sessionID }) {
        const isNews = instances.sessions.begin(sessionID);
        later("make this instance known", async () => {
          await instances.join();
          if (isNews) await instances.refresh();
          await sweep();
        });
        return undefined;
      },

      async context(request) {
        if (request.isCompaction || !request.isReady()) return undefined;
        noteGoal(request.sessionID);
        const waited = await waitAtMost(clock, WITHIN_MS, (signal) => extend(request, signal));
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot deliver messages to ${request.sessionID}, tried again later: ${why}`);
        return undefined;
      },

      toolArguments: (call, args) => warnings.check(call, args),

      event({ type, properties }) {
        delivery.hear(type, properties);
        if (instances.sessions.hear(type, properties)) later("tell who works", instances.refresh);
        return undefined;
      },
    },

    async dispose() {
      await leases.releaseAll();
      await instances.leave();
    },
  };

  /** Whether something was decided. */
  async function extend(request: ContextRequest, signal: AbortSignal): Promise<boolean> {
    const { sessionID } = request;
    const made = warnings.plan(request);
    if (made.length > 0) {
      await decisions.record(sessionID, EDIT_LAYER, made);
      log.info(LAYER, `${sessionID} is told that another instance is at work on what it edits`);
    }
    const isDelivered = await delivery.deliver(request, signal);
    const results = made.length + (isDelivered ? 1 : 0);
    if (results > 0) savings.record({ session: sessionID, layer: LAYER, event: "extended", results });
    return results > 0;
  }

  function noteGoal(sessionID: string): void {
    const goal = notes.facts(sessionID)?.requests.at(-1)?.text;
    if (instances.sessions.setGoal(sessionID, goal)) later("tell what is worked on", instances.refresh);
  }

  async function sweep(): Promise<void> {
    if (hasSwept) return;
    hasSwept = true;
    await edits.removeOld();
    await mail.removeOld(OLD_MAIL_MS);
  }

  function later(what: string, run: () => Promise<unknown>): void {
    void background.add(() =>
      run().catch((thrown) => log.warn(LAYER, `cannot ${what}: ${formatError(thrown)}`)),
    );
  }
};
