/** The inboxes on disk: for each receiver a file of messages and a file of their deliveries. */
import { join } from "node:path";
import { StrataError } from "../../../src/base/error.js";
import type { Decisions } from "../../../src/context/decisions.js";
import type { Clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import { createLineLog } from "../../../src/io/json-lines.js";
import { isFileName } from "../../../src/project/folders.js";
import {
  type AgentMessage,
  type Claim,
  type CursorLine,
  findOpenClaims,
  formatHeading,
  type MessageState,
  nameOf,
  parseAgentMessage,
  parseCursorLine,
  readStates,
  withoutRepeats,
} from "./agent-message.js";
/** Layer name in the decisions; of its own, so that no other addition to the same result takes their place. */
export const MAIL_LAYER = "across-agents/mail";

/** All calls reject with the system's error, and with EINVAL for a receiver that could name a file elsewhere. */
export interface InboxFiles {
  exists(receiver: string): Promise<boolean>;
  open(receiver: string): Promise<Inbox>;
  addMessage(receiver: string, message: AgentMessage): Promise<void>;
  append(receiver: string, line: CursorLine): Promise<void>;
  readCursor(receiver: string): Promise<CursorLine[]>;
  /** Has the claim's decision been recorded, naming these messages? */
  isRecorded(receiver: string, claim: Claim): Promise<boolean>;
  /** Ids of the sessions with an inbox. */
  receivers(): Promise<string[]>;
}

export interface Inbox {
  messages: AgentMessage[];
  lines: CursorLine[];
  /** Open claims with a recorded decision. */
  recorded: Claim[];
  /** Open claims without one. */
  unrecorded: Claim[];
  states: Map<string, MessageState>;
}

export interface InboxFilesOptions {
  clock: Clock;
  decisions: Pick<Decisions, "find" | "load">;
  files: Files;
  folder: string;
}

const MESSAGES = ".jsonl";
const CURSOR = ".cursor.jsonl";

export function createInboxFiles({ clock, decisions, files, folder }: InboxFilesOptions): InboxFiles {
  const messagesOf = (receiver: string): string => pathOf(folder, receiver, MESSAGES);
  const cursorOf = (receiver: string): string => pathOf(folder, receiver, CURSOR);
  const messageLog = createLineLog({ files, parse: parseAgentMessage });
  const cursorLog = createLineLog({ files, parse: parseCursorLine });

  return {
    exists: async (receiver) => (await files.stat(messagesOf(receiver))) !== undefined,

    async open(receiver) {
      const [messages, lines] = await Promise.all([readMessages(receiver), readCursor(receiver)]);
      const claims = findOpenClaims(lines);
      const found = await Promise.all(claims.map((claim) => isRecorded(receiver, claim, messages)));
      const recorded = claims.filter((_, index) => found[index]);
      const unrecorded = claims.filter((_, index) => !found[index]);
      const states = readStates(messages, lines, recorded, clock.now());
      return { messages, lines, recorded, unrecorded, states };
    },

    async addMessage(receiver, message) {
      await messageLog.append(messagesOf(receiver), [message]);
    },

    async append(receiver, line) {
      await cursorLog.append(cursorOf(receiver), [line]);
    },

    readCursor,
    isRecorded: (receiver, claim) => isRecorded(receiver, claim),

    async receivers() {
      const names = await files.list(folder);
      return names
        .filter((name) => name.endsWith(MESSAGES) && !name.endsWith(CURSOR))
        .map((name) => name.slice(0, -MESSAGES.length));
    },
  };

  async function isRecorded(
    receiver: string,
    { key, letters }: Claim,
    known?: AgentMessage[],
  ): Promise<boolean> {
    const all = known ?? (await readMessages(receiver));
    await decisions.load([key.day], { again: true });
    const extended = decisions.find(key.key, receiver)?.extended ?? [];
    const text = extended.find(({ layer }) => layer === MAIL_LAYER)?.text ?? "";
    const headings = all.filter((message) => letters.includes(nameOf(message))).map(formatHeading);
    return headings.length > 0 && headings.every((heading) => text.includes(heading));
  }

  async function readMessages(receiver: string): Promise<AgentMessage[]> {
    return withoutRepeats((await messageLog.read(messagesOf(receiver))).records);
  }

  async function readCursor(receiver: string): Promise<CursorLine[]> {
    return (await cursorLog.read(cursorOf(receiver))).records;
  }
}

function pathOf(folder: string, receiver: string, ending: string): string {
  if (!isFileName(receiver))
    throw new StrataError("EINVAL", `expected the id of a session, got ${JSON.stringify(receiver)}`);
  return join(folder, `${receiver}${ending}`);
}
