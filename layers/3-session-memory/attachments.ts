/** Adds what a person has attached to a session behind its next message. */
import { type Attached, NEXT } from "../../src/checkpoints/attached.js";
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { Addition } from "../../src/view/extend.js";
import { isExtendedBy } from "../../src/view/known-decisions.js";
import type { ContextRequest } from "../../src/view/request.js";

export interface Attachments {
  /** The text for the newest message of a person's session. Never rejects: the session continues without it. */
  find(request: ContextRequest): Promise<FoundAttachment | undefined>;
}

export interface FoundAttachment {
  addition: Addition;
  /** Call when it is recorded; it is not attached again. Rejects with the system's error. */
  settle(): Promise<void>;
}

interface Waiting {
  target: string;
  attached: Attached;
}

export function createAttachments(
  { checkpoints, log }: Pick<LayerContext, "checkpoints" | "log">,
  { isSubagents, layer }: { isSubagents(this: void, sessionID: string): boolean; layer: string },
): Attachments {
  /** By session: the message last looked for. */
  const looked = new Map<string, string>();
  /** Recorded attachments, even if their file could not be removed. */
  const given = new Set<string>();

  return {
    async find({ find, history, sessionID }) {
      const { lastAnswer, messages } = history;
      const key = messages.at(-1)?.info.role === "user" ? history.keyOf(messages.length - 1) : undefined;
      if (!key || looked.get(sessionID) === key.key || isSubagents(sessionID)) return undefined;
      looked.set(sessionID, key.key);
      if (isExtendedBy(layer, find(key.key))) return undefined;
      try {
        const waiting = await read(lastAnswer === -1 ? [sessionID, NEXT] : [sessionID]);
        return (
          waiting && { addition: { behind: key, text: waiting.attached.text }, settle: () => settle(waiting) }
        );
      } catch (thrown) {
        log.warn(layer, `cannot read what is attached to ${sessionID}: ${formatError(thrown)}`);
        return undefined;
      }
    },
  };

  async function read(targets: readonly string[]): Promise<Waiting | undefined> {
    for (const target of targets) {
      const attached = await checkpoints.attached.read(target);
      if (attached && !given.has(nameOf({ attached, target }))) return { target, attached };
    }
    return undefined;
  }

  async function settle(waiting: Waiting): Promise<void> {
    given.add(nameOf(waiting));
    const attached = await checkpoints.attached.read(waiting.target);
    // Something else may have been attached since.
    const isStill = attached && nameOf({ ...waiting, attached }) === nameOf(waiting);
    if (isStill) await checkpoints.attached.remove(waiting.target);
  }
}

const nameOf = ({ attached, target }: Waiting): string => `${target} ${attached.asked} ${attached.of}`;
