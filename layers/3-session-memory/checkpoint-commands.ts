/** `/checkpoint`, `/attach` and `/refresh`; loaded at the first use. */
import { StrataError } from "../../src/base/error.js";
import { formatCounted } from "../../src/base/format.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Attached } from "../../src/notes/checkpoints/attached.js";
import { type Checkpoint, formatCheckpointLine } from "../../src/notes/checkpoints/checkpoint.js";

type Call = { sessionID: string; words: string };

const MOST_LISTED = 10;

/** Saves the state of this session with the given words as its note. */
export async function keepCheckpoint(
  { checkpoints }: Pick<LayerContext, "checkpoints">,
  { sessionID, words }: Call,
): Promise<string> {
  const { keep } = await checkpoints.open();
  const kept = await keep({ sessionID, occasion: "asked", note: words });
  if (!kept)
    throw new StrataError(
      "NO_NOTES",
      "there is nothing to save yet: notes begin with the agent's first tool call. Type /checkpoint after it",
    );
  return `${formatKept(kept)}\n/attach ${kept.id} continues from here in another session.`;
}

function formatKept({ files, id, ledger, memories, note }: Checkpoint): string {
  const named = note === undefined ? "" : ` ${JSON.stringify(note)}`;
  const todos = ledger.todos?.items.length ?? 0;
  const counts = [
    formatCounted(todos, "todo"),
    formatCounted(files.length, "changed file"),
    formatCounted(memories.length, "memory", "memories"),
  ];
  return `Kept as ${id}${named}: the notes, ${counts.join(", ")}.`;
}

/** Shows the agent the session's goal and the user's rules again. */
export async function refreshHere(
  { checkpoints }: Pick<LayerContext, "checkpoints">,
  { sessionID }: Call,
): Promise<string> {
  const opened = await checkpoints.open();
  const before = await opened.attached.read(sessionID);
  await opened.refresh(sessionID).catch((thrown) => {
    if (!(thrown instanceof StrataError) || thrown.code !== "NO_SESSION") throw thrown;
    throw new StrataError(
      "NO_NOTES",
      "there are no notes of this session yet: they begin when the agent has used a tool. Type /refresh again then",
    );
  });
  const said =
    "Attached: what this session is for, its open points and your rules. The agent reads them with your next message.";
  return withReplaced(said, before);
}

/** Attaches a session or checkpoint to this session; lists the checkpoints if no id is given. */
export async function attachHere(
  { checkpoints, clock }: Pick<LayerContext, "checkpoints" | "clock">,
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
  const before = await opened.attached.read(sessionID);
  const said = `Attached: ${await opened.attach(name, sessionID)}. The agent reads it with your next message.`;
  return withReplaced(said, before);
}

const withReplaced = (said: string, before: Attached | undefined): string =>
  before ? `${said}\nIt replaces ${before.of}, which was waiting here.` : said;
