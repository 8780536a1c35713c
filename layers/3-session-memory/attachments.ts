/** `/checkpoint`, `/attach` and `/refresh`, and the text that a person attached to a session's next message. */
import { formatError, StrataError } from "../../src/base/error.js";
import { formatCounted } from "../../src/base/format.js";
import { type Addition, isExtendedBy } from "../../src/context/additions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { SlashCommand } from "../../src/kernel/layer.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { type Attached, NEXT } from "../../src/notes/checkpoints/attached.js";
import type { NewlyAttached } from "../../src/notes/checkpoints/open-checkpoints.js";

interface Waiting {
  target: string;
  attached: Attached;
}

const nameOf = ({ attached, target }: Waiting): string => `${target} ${attached.asked} ${attached.of}`;

export function createAttachments({ checkpoints, family, log }: LayerContext, layer: string) {
  /** By session: the last message checked. */
  const checked = new Map<string, string>();
  /** Recorded attachments, even if their file could not be removed. */
  const given = new Set<string>();

  return {
    /**
     * Returns the text for the newest message of a person's session; `remove` is called once it is recorded, so that it is
     * attached only once, and rejects with the system's error. Never rejects: the session continues without it.
     */
    async find({ find, history, sessionID }: ContextRequest) {
      const { lastAnswer, messages } = history;
      const key = messages.at(-1)?.info.role === "user" ? history.keyOf(messages.length - 1) : undefined;
      const isSubagents = family.knownParent(sessionID) !== undefined;
      if (!key || checked.get(sessionID) === key.key || isSubagents) return undefined;
      checked.set(sessionID, key.key);
      if (isExtendedBy(layer, find(key.key))) return undefined;
      try {
        const waiting = await read(lastAnswer === -1 ? [sessionID, NEXT] : [sessionID]);
        if (!waiting) return undefined;
        const addition: Addition = { behind: key, text: waiting.attached.text };
        return { addition, remove: () => remove(waiting) };
      } catch (thrown) {
        log.warn(layer, `cannot read the attachment of ${sessionID}: ${formatError(thrown)}`);
        return undefined;
      }
    },
  };

  async function read(targets: readonly string[]): Promise<Waiting | undefined> {
    for (const target of targets) {
      const attached = await checkpoints.attached.read(target);
      if (attached && !given.has(nameOf({ attached, target }))) return { target, attached };
    }
    return undefined;
  }

  async function remove(waiting: Waiting): Promise<void> {
    const { target } = waiting;
    given.add(nameOf(waiting));
    const attached = await checkpoints.attached.read(target);
    // A person may have attached something else since.
    if (attached && nameOf({ attached, target }) === nameOf(waiting))
      await checkpoints.attached.remove(target);
  }
}

type Call = { sessionID: string; words: string };

const MOST_LISTED = 10;

export const listCheckpointCommands = (context: LayerContext): SlashCommand[] => [
  {
    name: "checkpoint",
    description: "Strata: save the state of this session, e.g. /checkpoint before the rewrite",
    execute: (call) => keepCheckpoint(context, call),
  },
  {
    name: "attach",
    description: "Strata: continue an earlier session or checkpoint here, by its id or words of it",
    execute: (call) => attachHere(context, call),
  },
  {
    name: "refresh",
    description: "Strata: show the agent the goal, the open points and your rules again",
    execute: (call) => refreshHere(context, call),
  },
];

async function keepCheckpoint({ checkpoints }: LayerContext, { sessionID, words }: Call): Promise<string> {
  const kept = await (await checkpoints.open()).keep({ sessionID, note: words });
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

/** Attaches a session or checkpoint to this session; lists the checkpoints if no id is given. */
async function attachHere({ checkpoints, clock }: LayerContext, { sessionID, words }: Call): Promise<string> {
  const name = words.trim();
  const opened = await checkpoints.open();
  if (name === "") {
    const newest = await opened.list(MOST_LISTED);
    if (newest.length === 0)
      return "No checkpoint is kept. /attach takes the id of a session, too: /agenda shows them.";
    const { formatCheckpointLine } = await import("../../src/notes/checkpoints/checkpoint.js");
    return newest.map((one) => formatCheckpointLine(one, clock.now())).join("\n");
  }
  if (name === sessionID)
    throw new StrataError(
      "SAME_SESSION",
      "this is the current session; name an earlier one or a checkpoint, or type /refresh",
    );
  const meant = /^(cp-|ses)[\w-]*$/.test(name) ? undefined : await opened.findByWords(name, sessionID);
  const attached = await opened.attach(meant?.sessionID ?? name, sessionID);
  const said = `Attached: ${attached.of}. The agent reads it with your next message.${formatReplaced(attached)}`;
  if (!meant) return said;
  const { formatSessionState, readState } = await import("../../src/notes/checkpoints/resume.js");
  return `${said}\n${formatSessionState(readState(meant))}`;
}

/** Shows the agent the session's goal and the user's rules again. */
async function refreshHere({ checkpoints }: LayerContext, { sessionID }: Call): Promise<string> {
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

const formatReplaced = ({ replaced }: NewlyAttached): string =>
  replaced ? `\nIt replaces ${replaced.of}, which was waiting here.` : "";
