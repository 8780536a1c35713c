/** The tool `send_message`: writes to another session, and reports the state of sent messages. */
import type { z } from "zod";
import { StrataError } from "../../../src/base/error.js";
import { hashOf } from "../../../src/base/hash.js";
import { defineTool, type Tool } from "../../../src/kernel/layer.js";
import {
  CLIENT_PREFIX,
  formatSession,
  type Instance,
  type Instances,
  type LiveSession,
} from "../../../src/project/instances.js";
import type { sendMessageArguments } from "../leases/arguments.js";
import { type InboxMessage, type Mail, MOST_MESSAGE_BYTES } from "./mail.js";

const SHOWN_MESSAGES = 10;

type Arguments = z.output<typeof sendMessageArguments>;
type Call = Readonly<Record<"callID" | "messageID" | "sessionID", string>>;

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
    const receivers = findReceivers(to, call.sessionID, await instances.living());
    if (typeof receivers === "string") throw new StrataError("ENOBODY", receivers);
    const { ownID: instance, sessions } = instances;
    const goal = sessions.find(call.sessionID)?.goal;
    const from = { from: call.sessionID, instance, ...(goal !== undefined && { goal }) };
    const message = { id: id ?? nameCall(call), ...from, text };
    const states: string[] = [];
    for (const receiver of receivers)
      states.push(`${await mail.post(receiver.id, message)} for ${receiver.id}${when(receiver.state)}`);
    return `${message.id}: ${states.join(", ")}. Ask with this id later.`;
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
const nameCall = ({ callID, messageID }: Call): string => `m-${hashOf(`${messageID} ${callID}`).slice(0, 8)}`;

const when = (state: string): string => (state === "idle" ? " (idle: it comes with its next user turn)" : "");

function formatReceived({ message, state }: InboxMessage): string {
  return `--- ${message.id} from ${message.from}, ${state}\n${message.text.replace(/^/gm, "> ")}`;
}

/* Finds the sessions that a session can write to. Pure. */

type Receiver = LiveSession & { instance: string };

/**
 * The sessions that `to` means: a session's id, "parent", "children", or an instance's id, which means the session it used
 * last; or why there are none, with the sessions that exist. `living` are all living instances.
 */
export function findReceivers(
  to: string,
  sessionID: string,
  living: readonly Instance[],
): readonly Receiver[] | string {
  const all = listReceivers(living);
  const own = all.find(({ id }) => id === sessionID);
  const others = all.filter(({ id }) => id !== sessionID);
  const found = others.filter(
    ({ id, parentID }) =>
      id === to || (to === "parent" && id === own?.parentID) || (to === "children" && parentID === sessionID),
  );
  if (found.length > 0) return found;
  const ofInstance = others.find(({ instance, parentID }) => instance === to && parentID === undefined);
  return ofInstance ? [ofInstance] : `${describe(to, sessionID)}. ${formatAlive(others)}`;
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
