/** `/checkpoint`, `/attach` and `/refresh`; loaded at the first use. */
import { StrataError } from "../../src/base/error.js";
import { formatCounted } from "../../src/base/format.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { formatCheckpointLine } from "../../src/notes/checkpoints/checkpoint.js";
import type { NewlyAttached } from "../../src/notes/checkpoints/open-checkpoints.js";

type Context = Pick<LayerContext, "checkpoints" | "clock">;
type Call = { sessionID: string; words: string };

const MOST_LISTED = 10;

/** Saves the state of this session with the given words as its note. */
export async function keepCheckpoint({ checkpoints }: Context, { sessionID, words }: Call): Promise<string> {
  const kept = await (await checkpoints.open()).keep({ sessionID, occasion: "asked", note: words });
  if (!kept)
    throw new StrataError(
      "NO_NOTES",
      "there is nothing to save yet: notes begin with the agent's first tool call. Type /checkpoint after it",
    );
  const { files, id, ledger, memories, note } = kept;
  const named = note === undefined ? "" : ` ${JSON.stringify(note)}`;
  const counts = [
    formatCounted(ledger.todos?.items.length ?? 0, "todo"),
    formatCounted(files.length, "changed file"),
    formatCounted(memories.length, "memory", "memories"),
  ];
  return `Kept as ${id}${named}: the notes, ${counts.join(", ")}.\n/attach ${id} continues from here in another session.`;
}

/** Shows the agent the session's goal and the user's rules again. */
export async function refreshHere({ checkpoints }: Context, { sessionID }: Call): Promise<string> {
  const attached = await (await checkpoints.open()).refresh(sessionID).catch((thrown) => {
    if (!(thrown instanceof StrataError) || thrown.code !== "NO_SESSION") throw thrown;
    throw new StrataError(
      "NO_NOTES",
      "there are no notes of this session yet: they begin when the agent has used a tool. Type /refresh again then",
    );
  });
  const said =
    "Attached: what this session is for, its open points and your rules. The agent reads them with your next message.";
  return said + formatReplaced(attached);
}

/** Attaches a session or checkpoint to this session; lists the checkpoints if no id is given. */
export async function attachHere(
  { checkpoints, clock }: Context,
  { sessionID, words }: Call,
): Promise<string> {
  const name = words.trim();
  const opened = await checkpoints.open();
  if (name === "") {
    const newest = await opened.list(MOST_LISTED);
    if (newest.length === 0)
      return "No checkpoint is kept. /attach takes the id of a session, too: /agenda shows them.";
    return newest.map((one) => formatCheckpointLine(one, clock.now())).join("\n");
  }
  if (name === sessionID)
    throw new StrataError(
      "SAME_SESSION",
      "this is the current session; name an earlier one or a checkpoint, or type /refresh",
    );
  const attached = await opened.attach(name, sessionID);
  return `Attached: ${attached.of}. The agent reads it with your next message.${formatReplaced(attached)}`;
}

const formatReplaced = ({ replaced }: NewlyAttached): string =>
  replaced ? `\nIt replaces ${replaced.of}, which was waiting here.` : "";
