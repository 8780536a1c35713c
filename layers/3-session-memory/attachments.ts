/** Adds what a person has attached to a session behind its next message. */
import { NEXT } from "../../src/checkpoints/attached.js";
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { Addition } from "../../src/view/extend.js";
import { isExtendedBy } from "../../src/view/known-decisions.js";
import type { ContextRequest } from "../../src/view/request.js";

export interface Attachments {
  /** Something was attached to this session. */
  expect(sessionID: string): void;
  /** The text for the newest message of a person's session. Never rejects: without it the session goes on. */
  find(request: ContextRequest): Promise<FoundAttachment | undefined>;
}

export interface FoundAttachment {
  addition: Addition;
  /** Call when it is recorded; it is not attached again. Rejects with the system's error. */
  settle(): Promise<void>;
}

export function createAttachments(
  { checkpoints, log }: Pick<LayerContext, "checkpoints" | "log">,
  { isSubagents, layer }: { isSubagents(this: void, sessionID: string): boolean; layer: string },
): Attachments {
  /** Sessions that were looked at since something may have been attached. */
  const settled = new Set<string>();

  return {
    expect: (sessionID) => void settled.delete(sessionID),

    async find({ find, history, sessionID }) {
      const { lastAnswer, messages } = history;
      const key = messages.at(-1)?.info.role === "user" ? history.keyOf(messages.length - 1) : undefined;
      if (settled.has(sessionID) || !key || isSubagents(sessionID)) return undefined;
      if (isExtendedBy(layer, find(key.key))) return undefined;
      try {
        const found = await read(lastAnswer === -1 ? [sessionID, NEXT] : [sessionID]);
        if (!found) settled.add(sessionID);
        return (
          found && {
            addition: { behind: key, text: found.text },
            settle: () => settle(sessionID, found.target),
          }
        );
      } catch (thrown) {
        settled.add(sessionID);
        log.warn(layer, `cannot read what is attached to ${sessionID}: ${formatError(thrown)}`);
        return undefined;
      }
    },
  };

  async function read(targets: readonly string[]): Promise<{ target: string; text: string } | undefined> {
    for (const target of targets) {
      const text = (await checkpoints.attached.read(target))?.text;
      if (text !== undefined) return { target, text };
    }
    return undefined;
  }

  async function settle(sessionID: string, target: string): Promise<void> {
    settled.add(sessionID);
    await checkpoints.attached.remove(target);
  }
}
