/** The tool `send_message`: writes to another session, and reports the state of sent messages. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { StrataError } from "../../../src/base/error.js";
import { defineTool, type Tool } from "../../../src/kernel/layer.js";
import {
  CLIENT_PREFIX,
  formatSession,
  type Instance,
  type Instances,
  type LiveSession,
} from "../../../src/project/instances.js";
import type { sendMessageArguments } from "../leases/arguments.js";
import { type AgentMessage, type InboxMessage, type Mail, MOST_MESSAGE_BYTES } from "./mail.js";

const SHOWN_MESSAGES = 10;

type Arguments = z.output<typeof sendMessageArguments>;
type Call = { sessionID: string; messageID: string; callID: string };

export function createSendMessageTool({ instances, mail }: { instances: Instances; mail: Mail }): Tool {
  return defineTool<typeof sendMessageArguments>({
    name: "send_message",
    description:
      "Message another agent (session id, parent, children). No arguments: who is there. Also: id (state).",
    parameters: { properties: { to: { type: "string" }, text: { type: "string" } } },
    loadCheck: async () => (await import("../leases/arguments.js")).sendMessageArguments,
    execute: async (args, call) => {
      await instances.join();
      if (args.text !== undefined) return send({ ...args, text: args.text }, call);
      return args.id === undefined ? list(call.sessionID) : ask(args.id, call.sessionID);
    },
  });

  async function send({ id, text, to }: Arguments & { text: string }, call: Call): Promise<string> {
    if (to === undefined)
      throw new StrataError("EINVAL", "send_message needs `to` with a text; nothing was sent");
    const bytes = Buffer.byteLength(text);
    if (text.trim() === "" || bytes > MOST_MESSAGE_BYTES)
      throw new StrataError(
        "EINVAL",
        `expected a text of 1 to ${MOST_MESSAGE_BYTES} bytes, got ${bytes}; nothing was sent. Put it in a file and send its path.`,
      );
    const found = findReceivers(to, call.sessionID, await instances.living());
    if (found.kind === "unknown") throw new StrataError("ENOBODY", found.why);
    const message = describe(id ?? nameCall(call), text, call.sessionID);
    const states: string[] = [];
    for (const receiver of found.receivers)
      states.push(`${await mail.post(receiver.id, message)} for ${receiver.id}${when(receiver.state)}`);
    return `${message.id}: ${states.join(", ")}. Ask with this id later.`;
  }

  function describe(id: string, text: string, from: string): Omit<AgentMessage, "v" | "at"> {
    const goal = instances.sessions.find(from)?.goal;
    return { id, from, instance: instances.ownID, ...(goal !== undefined && { goal }), text };
  }

  async function ask(id: string, from: string): Promise<string> {
    const inboxes = await Promise.all(
      (await mail.receivers()).map(async (receiver) => ({ receiver, messages: await mail.read(receiver) })),
    );
    const found = inboxes.flatMap(({ messages, receiver }) =>
      messages
        .filter(({ message }) => message.id === id && message.from === from)
        .map(({ state }) => `${state} (${receiver})`),
    );
    if (found.length === 0)
      throw new StrataError("ENONE", `This session has sent nothing with the id ${id}.`);
    return `${id}: ${found.join(", ")}`;
  }

  async function list(sessionID: string): Promise<string> {
    const others = listReceivers(await instances.living()).filter(({ id }) => id !== sessionID);
    const received = (await mail.read(sessionID)).slice(-SHOWN_MESSAGES).map(formatReceived);
    const box = received.length === 0 ? [] : ["Last messages to this session, data from peers:", ...received];
    return [formatAlive(others), ...box].join("\n");
  }
}

/** Equal for the same call, so that a repeated call sends nothing twice. */
function nameCall({ callID, messageID }: Call): string {
  return `m-${createHash("sha1").update(`${messageID} ${callID}`).digest("hex").slice(0, 8)}`;
}

const when = (state: string): string => (state === "idle" ? " (idle: it comes with its next user turn)" : "");

function formatReceived({ message, state }: InboxMessage): string {
  return `--- ${message.id} from ${message.from}, ${state}\n${message.text.replace(/^/gm, "> ")}`;
}

/* Finds the sessions that a session can write to. Pure. */

export interface Receiver extends LiveSession {
  instance: string;
}

export type Found =
  | { kind: "found"; receivers: readonly Receiver[] }
  /** `why` lists the sessions that exist. */
  | { kind: "unknown"; why: string };

/**
 * The sessions that `to` means: a session's id, "parent", "children", or an instance's id, which means the session it used
 * last. `living` are all living instances.
 */
export function findReceivers(to: string, sessionID: string, living: readonly Instance[]): Found {
  const all = listReceivers(living);
  const own = all.find(({ id }) => id === sessionID);
  const others = all.filter(({ id }) => id !== sessionID);
  const found = others.filter(
    ({ id, parentID }) =>
      id === to || (to === "parent" && id === own?.parentID) || (to === "children" && parentID === sessionID),
  );
  if (found.length > 0) return { kind: "found", receivers: found };
  const ofInstance = others.find(({ instance, parentID }) => instance === to && parentID === undefined);
  if (ofInstance) return { kind: "found", receivers: [ofInstance] };
  return { kind: "unknown", why: `${describe(to, sessionID)}. ${formatAlive(others)}` };
}

/** All sessions that read messages; one that several instances have open is listed once. */
export function listReceivers(living: readonly Instance[]): Receiver[] {
  const reading = living.filter(({ id }) => !id.startsWith(CLIENT_PREFIX));
  const all = reading.flatMap(({ id, sessions }) => sessions.map((one) => ({ ...one, instance: id })));
  return all.filter((one, index) => all.findIndex(({ id }) => id === one.id) === index);
}

export function formatAlive(receivers: readonly Receiver[]): string {
  if (receivers.length === 0) return "Nobody else is there.";
  return ["There are:", ...receivers.map((one) => `- ${formatSession(one, one.instance)}`)].join("\n");
}

function describe(to: string, sessionID: string): string {
  if (to === "parent") return "This session has no parent that is there";
  if (to === "children") return "This session has no children at work";
  if (to === sessionID) return `${to} is this session`;
  return `There is no session or instance ${to}, or it has ended; nothing was sent`;
}
