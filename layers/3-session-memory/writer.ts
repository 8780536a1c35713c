/** Has a small model write the sections of the notes once enough has happened. Runs in the background. */

import { estimateTokens } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";

export interface SectionWriter {
  /** Has the sections written if they are due for this session, given the messages about to be sent. Never rejects. */
  consider(sessionID: string, messages: readonly Message[]): Promise<void>;
}

/** Size of a session when the sections were last written or attempted. */
interface Mark {
  tokens: number;
  toolCalls: number;
}

export function createSectionWriter(context: LayerContext): SectionWriter {
  const { config, generation, notes } = context;
  const { toolCallThreshold, updateThreshold } = config.sessionMemory;
  const marks = new Map<string, Mark>();

  return {
    async consider(sessionID, messages) {
      const now: Mark = {
        tokens: estimateTokens(messages),
        toolCalls: notes.facts(sessionID)?.toolCalls ?? 0,
      };
      const last = marks.get(sessionID) ?? { tokens: 0, toolCalls: 0 };
      // The host has compacted, so growth counts from the smaller size.
      if (now.tokens < last.tokens) marks.set(sessionID, { ...last, tokens: now.tokens });
      const isTime =
        now.tokens - last.tokens >= updateThreshold && now.toolCalls - last.toolCalls >= toolCallThreshold;
      if (!isTime || !(await generation.status()).isAllowed) return;
      marks.set(sessionID, now);
      const { writeSections } = await import("./write-sections.js");
      await writeSections(context, sessionID, messages);
    },
  };
}
