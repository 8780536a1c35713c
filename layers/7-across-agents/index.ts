/**
 * Layer 7: agents and instances know of each other and share what they know. Makes no model calls of its own.
 *
 *     a subagent begins     a brief from its parent session follows its first message
 *     a subagent has ended  the notes of its parent list the files it touched
 *     fork                  runs tasks on copies of the agent's session, which share its prompt cache
 *     a turn begins         announces this instance to the others in the project
 *     a message arrives     from another session, and is added at the tail
 *     before an edit        warns the agent, or refuses the edit, if another instance works on the file
 *     lease, send_message   the agent claims what it works on, and writes to other agents
 *     /agenda               shows open work in all sessions and instances
 */

import { formatError } from "../../src/base/error.js";
import { byAnyone, enabled, oneOf, type Values } from "../../src/config/setting.js";
import { extend, noteExtended, planAddition } from "../../src/context/additions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { FileKind } from "../../src/kernel/file-kinds.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import type { Proof } from "../../src/kernel/proof.js";
import { createForking } from "./fork.js";
import { createEditWarnings, createPlaces, EDIT_LAYER } from "./leases/edits.js";
import { createLeases, createLeaseTool } from "./leases/leases.js";
import { createDelivery, createMail } from "./mail/mail.js";
import { createSendMessageTool } from "./mail/send-message-tool.js";
import { createSubagents, DELEGATION_LAYER } from "./subagents.js";

const STATE = ".opencode/strata/state";
const MAIL_DAYS = 30;
const AGENDA_WITHIN_MS = 15_000;

export const files: readonly FileKind[] = [
  { path: `${STATE}/leases.json` },
  {
    path: `${STATE}/mail/<id>.jsonl`,
    expiry: { what: "out-of-date messages", days: MAIL_DAYS, atStart: true },
  },
];

const LAYER = "across-agents";

const settings = {
  crossAgent: {
    enabled: enabled("Layer 7: subagents and instances share what they know."),
    onConflict: byAnyone(
      oneOf(["warn", "block", "off"]),
      "warn",
      'What happens when the agent edits a file that another instance has leased, or has edited in the last ten minutes. "warn": the agent is warned. "block": the edit is refused. "off": nothing.',
    ),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const ITEM = "strata doctor";

const proof: Proof = {
  calls: [{ call: "lease", args: { op: "claim", item: ITEM } }],
  acted: ({ requests }) =>
    requests.some((body) => body.includes(`Claimed: ${ITEM}`)) ? "a lease claimed" : undefined,
};

export const acrossAgents: LayerDefinition = { name: LAYER, settings, files, proof, create };

function create(context: LayerContext): LayerParts {
  const { clock, config, decisions, files, folders, host, instances, locks } = context;
  const { log, looks, notes, savings, toasts } = context;
  const later = createLater(context);
  const forking = createForking(context);
  const subagents = createSubagents(context);
  const places = createPlaces({ files, project: host.project, directory: host.directory });
  const leases = createLeases({ clock, files, locks, instances, places, path: folders.leases });
  const mail = createMail({ clock, decisions, files, folder: folders.mail, locks, looks });
  const deliver = createDelivery(mail);
  const warnings = createEditWarnings({
    ...{ clock, instances, later, leases, places },
    policy: config.crossAgent.onConflict,
    onConflict: (path) =>
      toasts.show(`another OpenCode is also working on ${path}; the agent has been warned.`, "warning"),
  });

  return {
    withinMs: { context: 1_500 },
    servesForks: ["toolArguments"],
    tools: [forking.tool, createLeaseTool(leases), createSendMessageTool({ instances, mail })],
    commands: [
      {
        name: "agenda",
        description: "Strata: open work in all sessions; claim or release an item by its id",
        deadlineMs: AGENDA_WITHIN_MS,
        execute: async (call) =>
          (await import("./agenda/agenda.js")).answerAgenda({ ...context, leases }, call),
      },
    ],
    handlers: {
      turn({ sessionID }) {
        const isNews = instances.sessions.begin(sessionID);
        later("announce this instance", async () => {
          await instances.join();
          if (isNews) await instances.refresh();
        });
      },

      async context(request, messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        const { sessionID } = request;
        forking.notice(request, messages);
        const goal = notes.facts(sessionID)?.requests.at(-1)?.text;
        if (instances.sessions.setGoal(sessionID, goal))
          later("publish the session's goal", instances.refresh);
        await subagents.noteEnded(request);
        const additions = await subagents.brief(request);
        const hasBriefed = await extend(context, { sessionID, layer: DELEGATION_LAYER, additions, signal });
        const hasTold = await tell(request, signal);
        return hasBriefed || hasTold ? request.show() : undefined;
      },

      toolArguments: warnings.check,

      event({ properties, type }) {
        if (instances.sessions.onEvent(type, properties))
          later("publish the session's state", instances.refresh);
      },
    },

    dispose: instances.leave,
  };

  /** Records edit warnings and messages as additions at the tail of the request; returns whether there are any. */
  async function tell(request: ContextRequest, signal: AbortSignal): Promise<boolean> {
    const { sessionID } = request;
    const made = warnings.plan(request);
    if (made.length > 0) {
      await decisions.record(sessionID, EDIT_LAYER, made.map(planAddition), signal);
      log.info(LAYER, `warned ${sessionID}: another instance is working on the files it edits`);
    }
    const count = made.length + ((await deliver(request, signal)) ? 1 : 0);
    if (count > 0) noteExtended(savings, { sessionID, layer: LAYER, count });
    return count > 0;
  }
}

/** Runs something in the background; a failure goes to the log. */
function createLater({ background, log }: LayerContext) {
  return (what: string, run: () => Promise<unknown>): void =>
    void background.add(() =>
      run().catch((thrown) => log.warn(LAYER, `cannot ${what}: ${formatError(thrown)}`)),
    );
}
