/** The tool `send_message`: writes to another session, and reports the state of sent messages. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { StrataError } from "../../../src/base/error.js";
import { defineTool, type Tool, type ToolParameters } from "../../../src/kernel/tool.js";
import type { Instances } from "../../../src/project/instances.js";
import type { sendMessageArguments } from "../arguments.js";
import type { AgentMessage } from "./agent-message.js";
import { type InboxMessage, type Mail, MOST_MESSAGE_BYTES } from "./mail.js";
import { findReceivers, formatAlive, listReceivers } from "./receivers.js";

/** Number of received messages that the tool shows. */
const SHOWN_MESSAGES = 10;

const parameters: ToolParameters = {
  properties: {
    to: { type: "string" },
    text: { type: "string" },
    id: { type: "string" },
  },
};

type Arguments = z.output<typeof sendMessageArguments>;
type Call = { sessionID: string; messageID: string; callID: string };

export interface SendMessageOptions {
  instances: Instances;
  mail: Mail;
}

export function createSendMessageTool({ instances, mail }: SendMessageOptions): Tool {
  return defineTool<typeof sendMessageArguments>({
    name: "send_message",
    description:
      "Message another agent (session id, parent, children). No arguments: who is there; only id: its state.",
    parameters,
    loadCheck: async () => (await import("../arguments.js")).sendMessageArguments,
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
