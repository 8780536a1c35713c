import { CHARACTERS_PER_TOKEN } from "../../src/context/context-size.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { NOTES_SHARE_OF_BUDGET } from "./plan-cut.js";

const MOST_CHARACTERS = 32_000;

/**
 * The notes as a request shows them in place of history. The request names their file, so this writes it, even if layer
 * 3 is off. Rejects if the file is not on disk afterwards.
 */
export async function formatNamedNotes(
  { files, notes }: Pick<LayerContext, "files" | "notes">,
  sessionID: string,
  budgetTokens: number,
): Promise<string> {
  const share = Math.floor(budgetTokens * NOTES_SHARE_OF_BUDGET * CHARACTERS_PER_TOKEN);
  const maxCharacters = Math.min(MOST_CHARACTERS, share);
  const written = (await notes.formatForModel(sessionID, { maxCharacters })) ?? "There are no notes.";
  await notes.write(sessionID);
  const path = notes.pathOf(sessionID);
  if ((await files.stat(path))?.kind !== "file") {
    throw new Error(
      `expected the notes at ${path}, for a request that names them; they could not be written`,
    );
  }
  return written;
}
