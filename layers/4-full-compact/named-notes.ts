import type { LayerContext } from "../../src/layer-context.js";
import { CHARACTERS_PER_TOKEN } from "../../src/view/learned-size.js";

/** The part of what a request may have that the notes take; they are read in every request from then on. */
export const NOTES_SHARE_OF_BUDGET = 0.15;
const MOST_CHARACTERS = 32_000;

/**
 * The notes as they stand in a request for what it does not show any more. They name their file, so it is written, also
 * where nobody keeps notes otherwise. Rejects when it is not on disk afterwards.
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
