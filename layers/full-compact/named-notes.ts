import type { LayerContext } from "../../src/layer-context.js";

/**
 * Writes the notes that a request is about to name, also where nobody keeps them otherwise: they stand for what the
 * request does not show any more. Rejects when they are not on disk afterwards.
 */
export async function writeNotes(
  { files, notes }: Pick<LayerContext, "files" | "notes">,
  sessionID: string,
): Promise<void> {
  await notes.write(sessionID);
  const path = notes.pathOf(sessionID);
  if ((await files.stat(path))?.kind !== "file") {
    throw new Error(
      `expected the notes at ${path}, for a request that names them; they could not be written`,
    );
  }
}
