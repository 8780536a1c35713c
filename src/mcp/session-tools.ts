/** Tools with which agents of several programs see each other and claim what they work on. */
import { formatTime } from "../../layers/7-across-agents/format.js";
import { formatLease, type LeaseOutcome } from "../../layers/7-across-agents/leases/leases.js";
import { formatSession } from "../project/other-instances.js";
import type { ClientContext } from "./client.js";
import { args, defineTool, type McpTool, refuse } from "./tool.js";
import { logSummary } from "./write-tools.js";

export const sessionTools: readonly McpTool[] = [
  defineTool({
    name: "session_start",
    description: "Announce that this session works here, and on what; lists the others.",
    input: { session_id: args.sessionID, working_on: args.remark.optional() },
    effect: "write",
    set: "plugins",
    async run({ session_id, working_on }, client) {
      const name = await begin(client, session_id, working_on);
      return `Started: others see it as ${name}.\n${await listOthers(client, name)}`;
    },
  }),
  defineTool({
    name: "session_end",
    description: "End the session, release its claims and store a summary.",
    input: { session_id: args.sessionID, summary: args.remark.optional() },
    effect: "write",
    set: "plugins",
    async run({ session_id, summary }, client) {
      const session = client.nameSession(session_id);
      const { instances, leases } = client;
      if (!instances.sessions.find(session))
        throw refuse(`Session ${session_id} was not started by this client; session_start starts it.`);
      // The summary first: it is the only part that cannot be recreated.
      const kept = summary === undefined ? [] : [await logSummary(client, { summary })];
      await leases.release(undefined, { session });
      instances.sessions.end(session);
      client.noteSession(undefined);
      await instances.refresh();
      return [`Ended: ${session}`, ...kept].join("\n");
    },
  }),
  defineTool({
    name: "session_heartbeat",
    description: "Report that the session is still active; renews its claims for 30 minutes.",
    input: { session_id: args.sessionID },
    effect: "write",
    set: "plugins",
    async run({ session_id }, client) {
      const session = await begin(client, session_id);
      const held = (await client.leases.list()).filter((lease) => lease.session === session);
      for (const { item } of held) await client.leases.claim(item, { session, forMs: HELD_MS });
      return `Alive: ${session}${held.length === 0 ? "" : `, holds ${held.map(({ item }) => item).join(", ")}`}`;
    },
  }),
  defineTool({
    name: "get_active_sessions",
    description: "Sessions active in this project, in OpenCode and elsewhere.",
    input: {},
    effect: "read",
    set: "plugins",
    run: (_args, client) => listOthers(client),
  }),
  defineTool({
    name: "claim_item",
    description: "Claim #34, a path or a topic for 30 minutes, so that others leave it alone.",
    input: { session_id: args.sessionID, item_ref: args.entity },
    effect: "write",
    set: "plugins",
    async run({ item_ref, session_id }, client) {
      const session = await begin(client, session_id);
      return formatOutcome(await client.leases.claim(item_ref, { session, forMs: HELD_MS }), item_ref);
    },
  }),
  defineTool({
    name: "release_item",
    description: "Release an item that the session claimed.",
    input: { session_id: args.sessionID, item_ref: args.entity },
    effect: "write",
    set: "plugins",
    async run({ item_ref, session_id }, client) {
      const session = client.nameSession(session_id);
      return formatOutcome(await client.leases.release(item_ref, { session }), item_ref);
    },
  }),
];

const HELD_MS = 30 * 60_000;
const HELD_MINUTES = HELD_MS / 60_000;

/** Announces the session to the other instances, or reports that it is still alive. */
async function begin(client: ClientContext, given: string, goal?: string): Promise<string> {
  const { instances } = client;
  const name = client.nameSession(given);
  instances.sessions.begin(name);
  instances.sessions.setGoal(name, goal);
  client.noteSession(name);
  await instances.join();
  await instances.refresh();
  return name;
}

async function listOthers({ instances }: ClientContext, own?: string): Promise<string> {
  const living = await instances.living();
  const lines = living.flatMap(({ id, sessions }) =>
    sessions.filter((one) => one.id !== own).map((one) => `- ${formatSession(one, id)}`),
  );
  return lines.length === 0 ? "No other session is active here." : ["Active here:", ...lines].join("\n");
}

function formatOutcome(outcome: LeaseOutcome, item: string): string {
  switch (outcome.kind) {
    case "held":
      return `Held: ${outcome.lease.item} until ${formatTime(outcome.lease.untilMs)}, ${HELD_MINUTES} minutes.`;
    case "released":
      return `Released: ${outcome.leases.map((lease) => lease.item).join(", ")}`;
    case "taken":
      throw refuse(`${item} is not free: ${formatLease(outcome.by)}. Work on something else, or wait.`);
    case "none":
      throw refuse(`This client does not hold ${item}; claim_item claims it.`);
  }
}
