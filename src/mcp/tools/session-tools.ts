/** Tools with which agents of several programs see each other and claim what they work on. */
import * as z from "zod";
import { formatTime } from "../../../layers/7-across-agents/format.js";
import { formatLease, type LeaseOutcome } from "../../../layers/7-across-agents/leases/leases.js";
import { formatSession } from "../../project/other-instances.js";
import type { ClientContext } from "../client-context.js";
import { entities, entity, remark, sessionID } from "../fields.js";
import { defineTool, formatRefusal, type McpCall, type McpTool, refuse } from "../tool.js";
import { callTool } from "./write-tools.js";

const HELD_MS = 30 * 60_000;
const HELD_MINUTES = HELD_MS / 60_000;

/** Announces the session to the other instances, or reports that it is still alive. */
async function begin(
  { instances, nameSession, noteSession }: ClientContext,
  given: string,
  goal?: string,
): Promise<string> {
  const name = nameSession(given);
  instances.sessions.begin(name);
  instances.sessions.setGoal(name, goal);
  noteSession(name);
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

const startInput = z.strictObject({ session_id: sessionID, working_on: remark.optional() });

const sessionStart = defineTool<typeof startInput>({
  name: "session_start",
  description: "Announce that this session works here, and on what; lists the others.",
  input: startInput,
  effect: "write",
  isPlugins: true,
  async run({ session_id, working_on }, client) {
    const name = await begin(client, session_id, working_on);
    return `Started: others see it as ${name}.\n${await listOthers(client, name)}`;
  },
});

const heartbeatInput = z.strictObject({ session_id: sessionID });

const sessionHeartbeat = defineTool<typeof heartbeatInput>({
  name: "session_heartbeat",
  description: "Report that the session is still active; renews its claims for 30 minutes.",
  input: heartbeatInput,
  effect: "write",
  isPlugins: true,
  async run({ session_id }, client) {
    const session = await begin(client, session_id);
    const held = (await client.leases.list()).filter((lease) => lease.session === session);
    for (const { item } of held) await client.leases.renew(item, { session, forMs: HELD_MS });
    return `Alive: ${session}${held.length === 0 ? "" : `, holds ${held.map(({ item }) => item).join(", ")}`}`;
  },
});

const endInput = z.strictObject({ session_id: sessionID, summary: remark.optional() });

const sessionEnd = defineTool<typeof endInput>({
  name: "session_end",
  description: "End the session, release its claims and store a summary.",
  input: endInput,
  effect: "write",
  isPlugins: true,
  async run({ session_id, summary }, client, call) {
    const session = client.nameSession(session_id);
    const { instances, leases } = client;
    if (!instances.sessions.find(session))
      throw refuse(`Session ${session_id} was not started by this client; session_start starts it.`);
    // The summary first: it is the only part that cannot be recreated.
    const kept = summary === undefined ? undefined : await logSummary(client, { summary }, call);
    await leases.release(undefined, { session });
    instances.sessions.end(session);
    client.noteSession(undefined);
    await instances.refresh();
    return [`Ended: ${session}`, ...(kept === undefined ? [] : [kept])].join("\n");
  },
});

const activeInput = z.strictObject({});

const getActiveSessions = defineTool<typeof activeInput>({
  name: "get_active_sessions",
  description: "Sessions active in this project, in OpenCode and elsewhere.",
  input: activeInput,
  effect: "read",
  isPlugins: true,
  run: (_args, client) => listOthers(client),
});

const itemInput = z.strictObject({ session_id: sessionID, item_ref: entity });

const claimItem = defineTool<typeof itemInput>({
  name: "claim_item",
  description: "Claim #34, a path or a topic for 30 minutes, so that others leave it alone.",
  input: itemInput,
  effect: "write",
  isPlugins: true,
  async run({ item_ref, session_id }, client) {
    const session = await begin(client, session_id);
    return answer(await client.leases.claim(item_ref, { session, forMs: HELD_MS }), item_ref);
  },
});

const releaseItem = defineTool<typeof itemInput>({
  name: "release_item",
  description: "Release an item that the session claimed.",
  input: itemInput,
  effect: "write",
  isPlugins: true,
  async run({ item_ref, session_id }, client) {
    const session = client.nameSession(session_id);
    return answer(await client.leases.release(item_ref, { session }), item_ref);
  },
});

function answer(outcome: LeaseOutcome, item: string): string {
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

const logInput = z.strictObject({
  summary: remark,
  learnings: z.array(remark).max(20).optional(),
  entities: entities.optional(),
});

const logSession = defineTool<typeof logInput>({
  name: "log_session",
  description: "Store what a session did as an event, and each learning as a fact.",
  input: logInput,
  effect: "write",
  isDefault: true,
  isPlugins: true,
  run: (args, client, call) => logSummary(client, args, call),
});

/** Stores what passes the gate. @throws StrataError if nothing does */
async function logSummary(
  client: ClientContext,
  { entities: about = [], learnings = [], summary }: z.output<typeof logInput>,
  call: McpCall,
): Promise<string> {
  const drafts = [
    { type: "event", content: summary, entities: about },
    ...learnings.map((content) => ({ type: "knowledge", content, entities: about })),
  ];
  const kept: string[] = [];
  const refused: string[] = [];
  for (const draft of drafts)
    await callTool(client.remember, draft, client, call).then(
      (line) => kept.push(line),
      (thrown: unknown) => refused.push(`Not kept: ${formatRefusal(thrown)}`),
    );
  const lines = [...kept, ...refused].join("\n");
  if (kept.length === 0) throw refuse(lines);
  return lines;
}

export const sessionTools: readonly McpTool[] = [
  sessionStart,
  sessionEnd,
  sessionHeartbeat,
  getActiveSessions,
  claimItem,
  releaseItem,
  logSession,
];
