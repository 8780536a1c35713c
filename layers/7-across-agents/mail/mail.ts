/**
 * Messages between sessions, each delivered once.
 *
 *     post      append the message to the receiver's inbox
 *     deliver   append a claim → record the decision → append "delivered"
 *     settle    append "seen" once an answer has followed
 *
 * The recorded decision is authoritative: its text names the messages. If a process was killed and its claim has no end,
 * the decision tells: with it the messages are delivered, without it they are not, since a decision is recorded before its
 * first use. Two instances with the same session open append their claims to one file, and the first claim counts while its
 * instance lives.
 */
import { randomUUID } from "node:crypto";
import { StrataError } from "../../../src/base/error.js";
import { type Decisions, planAddition } from "../../../src/context/decisions.js";
import type { Clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import type { DecisionKey } from "../../../src/messages/history.js";
import {
  type AgentMessage,
  type Claim,
  type CursorLine,
  findUnseen,
  formatDelivery,
  type MessageState,
  nameOf,
  planDelivery,
} from "./agent-message.js";
import { createInboxFiles, MAIL_LAYER } from "./inbox-files.js";
export const MOST_MESSAGE_BYTES = 4_096;
/** Maximum number of messages that wait for one receiver. */
const MOST_QUEUED = 200;

/** A message in an inbox. */
export interface InboxMessage {
  message: AgentMessage;
  state: MessageState;
}

/** All calls reject with the system's error. */
export interface Mail {
  /**
   * Adds a message to the inbox unless one with its name is there; returns the message's state.
   *
   * @throws StrataError if the id was used for another text, or too many messages wait.
   */
  post(receiver: string, message: Omit<AgentMessage, "v" | "at">): Promise<MessageState>;
  /** Records the decision that adds the next messages at this key; `undefined` if there are none. */
  deliver(
    receiver: string,
    key: DecisionKey,
    signal: AbortSignal,
  ): Promise<readonly AgentMessage[] | undefined>;
  /** Deliveries to this session without a known answer. */
  unseen(receiver: string): Promise<Claim[]>;
  settle(receiver: string, claim: Claim): Promise<void>;
  /** The messages in the inbox, in order. */
  read(receiver: string): Promise<InboxMessage[]>;
  /** Ids of the sessions with an inbox. */
  receivers(): Promise<string[]>;
}

export interface MailOptions {
  clock: Clock;
  files: Files;
  decisions: Decisions;
  folder: string;
  /** Id of this instance. */
  instance: string;
  /** Ids of the living instances. */
  living(): Promise<ReadonlySet<string>>;
}

export function createMail({ clock, decisions, files, folder, instance, living }: MailOptions): Mail {
  const inboxes = createInboxFiles({ clock, decisions, files, folder });
  const delivering = new Map<string, Promise<unknown>>();

  return {
    async post(receiver, given) {
      const { messages, states } = await inboxes.open(receiver);
      const name = nameOf(given);
      const known = messages.find((message) => nameOf(message) === name);
      if (known && known.text !== given.text) throw usedID(given.id);
      if (known) return states.get(name) ?? "queued";
      const waiting = [...states.values()].filter((state) => state === "queued").length;
      if (waiting >= MOST_QUEUED) throw fullBox(receiver, waiting);
      const message: AgentMessage = { v: 1, ...given, at: clock.now() };
      await inboxes.addMessage(receiver, message);
      return "queued";
    },

    /** One at a time: a delivery that overran its caller's time limit may still be running. */
    deliver(receiver, key, signal) {
      const before = delivering.get(receiver) ?? Promise.resolve();
      const own = before.catch(() => {}).then(() => deliverNext(receiver, key, signal));
      delivering.set(receiver, own);
      return own;
    },

    async unseen(receiver) {
      const { lines, recorded } = await inboxes.open(receiver);
      return findUnseen(lines, recorded);
    },

    settle: (receiver, { batch }) => inboxes.append(receiver, { v: 1, kind: "seen", batch }),

    async read(receiver) {
      const { messages, states } = await inboxes.open(receiver);
      return messages.map((message) => ({ message, state: states.get(nameOf(message)) ?? "queued" }));
    },

    receivers: inboxes.receivers,
  };

  async function deliverNext(
    receiver: string,
    key: DecisionKey,
    signal: AbortSignal,
  ): Promise<readonly AgentMessage[] | undefined> {
    if (!(await inboxes.exists(receiver))) return undefined;
    const { messages, recorded, states, unrecorded } = await inboxes.open(receiver);
    const planned = planDelivery(messages, states);
    if (planned.length === 0) return undefined;
    if ((await close(receiver, recorded, unrecorded)).length > 0) return undefined;
    const claim = formatClaim(planned, key);
    signal.throwIfAborted();
    await inboxes.append(receiver, claim);
    if (await hasLost(receiver, claim)) {
      await inboxes.append(receiver, { v: 1, kind: "dropped", batch: claim.batch });
      return undefined;
    }
    const delivery = planAddition({ behind: key, text: formatDelivery(planned) });
    await decisions.record(receiver, MAIL_LAYER, [delivery], signal);
    await inboxes.append(receiver, { v: 1, kind: "delivered", batch: claim.batch });
    return planned;
  }

  function formatClaim(planned: readonly AgentMessage[], { day, key }: DecisionKey): Claim {
    const batch = `${instance}-${randomUUID().slice(0, 8)}`;
    const letters = planned.map(nameOf);
    return { v: 1, kind: "claimed", batch, letters, instance, at: clock.now(), key: { day, key } };
  }

  /** Records how claims ended; returns those that a living instance is about to deliver. */
  async function close(receiver: string, recorded: Claim[], unrecorded: Claim[]): Promise<Claim[]> {
    for (const { batch } of recorded) await inboxes.append(receiver, { v: 1, kind: "delivered", batch });
    if (unrecorded.length === 0) return [];
    const alive = await living();
    const isUnderWay = (claim: Claim): boolean => claim.instance !== instance && alive.has(claim.instance);
    for (const claim of unrecorded)
      if (!isUnderWay(claim)) await inboxes.append(receiver, { v: 1, kind: "dropped", batch: claim.batch });
    return unrecorded.filter(isUnderWay);
  }

  /** Does an earlier claim hold some of the messages? */
  async function hasLost(receiver: string, claim: Claim): Promise<boolean> {
    const open = findRivals(await inboxes.readCursor(receiver), claim);
    if (!open) return true;
    if (open.length === 0) return false;
    const alive = await living();
    const ended = open.filter((one) => !alive.has(one.instance));
    const isDelivered = await Promise.all(ended.map((one) => inboxes.isRecorded(receiver, one)));
    return ended.length < open.length || isDelivered.includes(true);
  }
}

/** Earlier claims of other instances on some of the messages, not dropped; `undefined` if this claim is missing. */
function findRivals(lines: readonly CursorLine[], claim: Claim): Claim[] | undefined {
  const own = lines.findIndex(({ batch }) => batch === claim.batch);
  if (own === -1) return undefined;
  const names = new Set(claim.letters);
  const dropped = new Set(lines.filter(({ kind }) => kind === "dropped").map(({ batch }) => batch));
  return lines
    .slice(0, own)
    .filter((line) => line.kind === "claimed")
    .filter((line) => line.instance !== claim.instance && line.letters.some((name) => names.has(name)))
    .filter(({ batch }) => !dropped.has(batch));
}

const usedID = (id: string): StrataError =>
  new StrataError(
    "EUSED",
    `the id ${id} stands for another text that you have sent; leave it out, or choose another`,
  );

const fullBox = (receiver: string, waiting: number): StrataError =>
  new StrataError(
    "EFULL",
    `${receiver} has not taken ${waiting} messages yet; wait until it has, or put it in a file`,
  );
