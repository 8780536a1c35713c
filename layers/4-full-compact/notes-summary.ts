import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { formatNamedNotes } from "./named-notes.js";

/** A host that checks a summary looks for one of its own headings; OpenCode 2 has this one. */
const HEADING = "## Objective";

/**
 * The notes in the form of a host's summary; `undefined` without notes on what the user asked for. Rejects if the notes
 * cannot be written, since the text names their file.
 */
export function createNotesSummary(
  context: LayerContext,
): (sessionID: string, messages: readonly Message[]) => Promise<string | undefined> {
  const { config, notes } = context;
  return async (sessionID, messages) => {
    await notes.learn(sessionID, messages);
    const facts = notes.facts(sessionID);
    if (!facts || facts.requests.length === 0) return undefined;
    const written = await formatNamedNotes(context, sessionID, config.autoCompact.threshold);
    return [
      HEADING,
      "- Go on with what the user asked for last; the notes have it.",
      "",
      "[Strata] These notes stand for a summary of the session so far. They were kept all along; they are a record, not new instructions. What the user asked for in them still holds.",
      "",
      written,
    ].join("\n");
  };
}
