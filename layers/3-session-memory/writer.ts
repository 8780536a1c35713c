/** Has a small model write the sections of the notes once enough has happened. Runs in the background. */

import type { Message } from "../../src/conversation/message.js";
import type { LayerContext } from "../../src/layer-context.js";
import { parseSections } from "../../src/notes/sections.js";
import { estimateTokens } from "../../src/view/context-size.js";
import { formatMaterial } from "./material.js";

export interface SectionWriter {
  /** Has the sections written if they are due for this session, given the messages about to be sent. Never rejects. */
  consider(sessionID: string, messages: readonly Message[]): Promise<void>;
}

/** Size of a session when the sections were last written or attempted. */
interface Mark {
  tokens: number;
  toolCalls: number;
}

const LAYER = "session-memory";
const MATERIAL_CHARACTERS = 48_000;
const ANSWER_CHARACTERS = 10_000;

export function createSectionWriter(context: LayerContext): SectionWriter {
  const { config, generation, log, notes, prompts } = context;
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
      await write(sessionID, messages);
    },
  };

  async function write(sessionID: string, messages: readonly Message[]): Promise<void> {
    const task = await prompts.read("session-notes");
    const earlier = (await notes.formatForModel(sessionID, { maxCharacters: ANSWER_CHARACTERS })) ?? "";
    const material = formatMaterial(messages, { maxCharacters: MATERIAL_CHARACTERS });
    const prompt = `${task}\n\n<notes>\n${earlier}\n</notes>\n\n<transcript>\n${material}\n</transcript>\n`;
    const result = await generation.generate({
      purpose: "session notes",
      sessionID,
      prompt,
      maxCharacters: ANSWER_CHARACTERS,
    });
    if (result.kind === "refused") {
      log.debug(LAYER, `no model call for the notes: ${result.why}`);
      return;
    }
    const parsed = result.kind === "text" ? parseSections(result.text) : { problem: result.why };
    if ("problem" in parsed) {
      log.warn(LAYER, `rejected the model's sections for the notes of ${sessionID}: ${parsed.problem}`);
      return;
    }
    await notes.setSections(sessionID, parsed.sections);
    await notes.write(sessionID);
  }
}
