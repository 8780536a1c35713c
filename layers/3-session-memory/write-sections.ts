/** Has a small model write the sections of the notes. */
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { parseSections } from "../../src/notes/sections.js";
import { formatMaterial } from "./material.js";

const LAYER = "session-memory";
const MATERIAL_CHARACTERS = 48_000;
const ANSWER_CHARACTERS = 10_000;

/** Rejects only if the prompt cannot be read. */
export async function writeSections(
  { generation, log, notes, prompts }: Pick<LayerContext, "generation" | "log" | "notes" | "prompts">,
  sessionID: string,
  messages: readonly Message[],
): Promise<void> {
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
