/** Adds messages at the tail of a session's context, and learns when its model has answered them. */
import { isRecord } from "../../../src/base/shape.js";
import { isExtendedBy } from "../../../src/context/known-decisions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Message } from "../../../src/io/message.js";
import { type DecisionKey, type History, isEndedAnswer } from "../../../src/messages/history.js";
import type { Claim } from "./agent-message.js";
import { MAIL_LAYER } from "./inbox-files.js";
import type { Mail } from "./mail.js";

export interface Delivery {
  /** Returns whether messages were added to the request. Rejects with the system's error. */
  deliver(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
  /** Learns from the host's events when an answer has ended. */
  hear(type: string, properties: Readonly<Record<string, unknown>>): void;
}

export interface DeliveryOptions {
  mail: Mail;
  /** Runs in the background. */
  later(what: string, run: () => Promise<unknown>): void;
}

/** Deliveries that wait for an answer, and the ids of the answers before them. */
interface Waiting {
  claims: Claim[];
  answered: ReadonlySet<string>;
}

export function createDelivery({ later, mail }: DeliveryOptions): Delivery {
  const waiting = new Map<string, Waiting>();
  const begun = new Set<string>();
  /** The tail to which messages could last be added, by session; it has been sent since. */
  const offered = new Map<string, string>();

  return {
    async deliver(request, signal) {
      const { find, history, sessionID } = request;
      await settleShown(request);
      const key = findTail(history);
      if (!key || offered.get(sessionID) === key.key || isExtendedBy(MAIL_LAYER, find(key.key))) return false;
      offered.set(sessionID, key.key);
      const messages = await mail.deliver(sessionID, key, signal);
      if (!messages) return false;
      await watch(sessionID, history);
      return true;
    },

    hear(type, { info }) {
      if (type !== "message.updated" || !isRecord(info)) return;
      const sessionID = String(info.sessionID);
      const known = waiting.get(sessionID);
      const message = { info, parts: [] } as unknown as Message;
      const isAnswer = info.role === "assistant" && info.error === undefined && isEndedAnswer(message);
      if (known && isAnswer && !known.answered.has(String(info.id))) settle(sessionID, known);
    },
  };

  /** Settles from the history, because an answer may have come before this process started. */
  async function settleShown({ history, sessionID }: ContextRequest): Promise<void> {
    if (!begun.has(sessionID)) {
      begun.add(sessionID);
      await watch(sessionID, undefined);
    }
    const known = waiting.get(sessionID);
    if (known && hasAnswered(history, known.claims)) settle(sessionID, known);
  }

  async function watch(sessionID: string, history: History | undefined): Promise<void> {
    const claims = await mail.unseen(sessionID);
    const answers = history?.messages.filter(({ info }) => info.role === "assistant") ?? [];
    if (claims.length > 0)
      waiting.set(sessionID, { claims, answered: new Set(answers.map(({ info }) => info.id)) });
  }

  function settle(sessionID: string, { claims }: Waiting): void {
    waiting.delete(sessionID);
    later("record that messages were seen", async () => {
      for (const claim of claims) await mail.settle(sessionID, claim);
    });
  }
}

/**
 * The part of the history that is not sent yet: the newest message if it is the user's, else the newest result of the last
 * answer. Pure.
 */
function findTail(history: History): DecisionKey | undefined {
  const last = history.messages.length - 1;
  if (history.messages[last]?.info.role === "user") return history.keyOf(last);
  return history.results(last).at(-1);
}

/** Has an answer ended after all these deliveries? Pure. */
function hasAnswered({ lastAnswer, messages }: History, claims: readonly Claim[]): boolean {
  const ended = messages[lastAnswer]?.info.time?.completed;
  return ended !== undefined && claims.every(({ at }) => ended > at);
}
