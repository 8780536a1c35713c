/** Appends what a person attached to a session to its next message. */

import { formatError } from "../../src/base/error.js";
import type { Addition } from "../../src/context/extend.js";
import { isExtendedBy } from "../../src/context/known-decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { type Attached, NEXT } from "../../src/notes/checkpoints/attached.js";

export interface Attachments {
  /** Returns the text for the newest message of a person's session. Never rejects: the session continues without it. */
  find(request: ContextRequest): Promise<FoundAttachment | undefined>;
}

export interface FoundAttachment {
  addition: Addition;
  /** Call once the text is recorded, so that it is attached only once. Rejects with the system's error. */
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
  /** By session: the last message checked. */
  const checked = new Map<string, string>();
  /** Recorded attachments, even if their file could not be removed. */
  const given = new Set<string>();

  return {
    async find({ find, history, sessionID }) {
      const { lastAnswer, messages } = history;
      const key = messages.at(-1)?.info.role === "user" ? history.keyOf(messages.length - 1) : undefined;
      if (!key || checked.get(sessionID) === key.key || isSubagents(sessionID)) return undefined;
      checked.set(sessionID, key.key);
      if (isExtendedBy(layer, find(key.key))) return undefined;
      try {
        const waiting = await read(lastAnswer === -1 ? [sessionID, NEXT] : [sessionID]);
        return (
          waiting && { addition: { behind: key, text: waiting.attached.text }, settle: () => settle(waiting) }
        );
      } catch (thrown) {
        log.warn(layer, `cannot read the attachment of ${sessionID}: ${formatError(thrown)}`);
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
    // A person may have attached something else since.
    const isStill = attached && nameOf({ ...waiting, attached }) === nameOf(waiting);
    if (isStill) await checkpoints.attached.remove(waiting.target);
  }
}

const nameOf = ({ attached, target }: Waiting): string => `${target} ${attached.asked} ${attached.of}`;
