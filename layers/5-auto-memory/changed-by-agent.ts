/**
 * Log of the agent's changes to the user's own memories. Each change gives a toast at once, and a line in the block at the
 * beginning of the next session.
 *
 *     {"v":1,"id":"directive/r","what":"archived","words":"forget the rule about pushing","at":"…","session":"ses_1"}
 *     {"v":1,"told":1}      number of changes shown so far
 *
 * Stored in the user's state folder, a file for each project, where no repository can add a line.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { formatError } from "../../src/base/error.js";
import { isRecord } from "../../src/base/records.js";
import { isVersion } from "../../src/base/shape.js";
import { readJsonLines } from "../../src/io/json-lines.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { redactSecrets } from "../../src/text/secrets/secrets.js";
import { toLine, withoutMark } from "../../src/text/text.js";
import { LAYER } from "./injection/shown.js";

export interface AgentChange {
  id: string;
  /** "archived", "changed" */
  what: string;
  /** The user's words that asked for it. */
  words: string;
  session: string;
}

export interface AgentChanges {
  /** Logs a change that was made. Never rejects. */
  note(change: AgentChange): Promise<void>;
  /** One line about the changes that no session has been shown; `undefined` if there are none. */
  read(): Promise<string | undefined>;
  /** Notes that a session shows the line read last. Never rejects. */
  markShown(): Promise<void>;
}

const MOST_NAMED = 3;
const LONGEST_WORDS = 100;

export function createAgentChanges(
  context: Pick<LayerContext, "clock" | "files" | "folders" | "host" | "log" | "toasts">,
): AgentChanges {
  const { clock, files, folders, host, log, toasts } = context;
  const name = createHash("sha256").update(folders.project).digest("hex").slice(0, 16);
  const path = join(host.stateFolder, "changed-by-agent", `${name}.jsonl`);
  let count = 0;

  return {
    async note(given) {
      const change = { ...given, words: redactSecrets(given.words).text };
      toasts.show(`the agent ${formatChange(change)}; strata undo undoes it`, "info");
      await append({ v: 1, ...change, at: new Date(clock.now()).toISOString() });
    },

    async read() {
      const { records } = await readJsonLines(files, path, readLine);
      const changes = records.filter((one) => typeof one !== "number");
      const shown = records.filter((one) => typeof one === "number").reduce((a, b) => Math.max(a, b), 0);
      count = changes.length;
      return formatChanges(changes.slice(shown));
    },

    markShown: () => append({ v: 1, told: count }),
  };

  async function append(line: object): Promise<void> {
    await files
      .appendLine(path, JSON.stringify(line))
      .catch((thrown) => log.warn(LAYER, `cannot write ${path}: ${formatError(thrown)}`));
  }
}

function readLine(value: unknown): AgentChange | number | undefined {
  if (!isRecord(value) || !isVersion(value.v)) return undefined;
  const { id, session, told, what, words } = value;
  if (Number.isInteger(told)) return Number(told);
  const isWhole = [id, session, what, words].every((one) => typeof one === "string");
  return isWhole ? ({ id, session, what, words } as AgentChange) : undefined;
}

/** Formats the line for the beginning of a session. */
export function formatChanges(changes: readonly AgentChange[]): string | undefined {
  if (changes.length === 0) return undefined;
  const named = changes.slice(-MOST_NAMED).map(formatChange);
  const more = changes.length > MOST_NAMED ? ` and ${changes.length - MOST_NAMED} more` : "";
  return `Changed by the agent since: ${named.join(", ")}${more}; strata undo takes back what was done last.`;
}

function formatChange({ id, what, words }: AgentChange): string {
  const said = withoutMark(toLine(words, LONGEST_WORDS));
  return `${what} ${toLine(id, LONGEST_WORDS)} (the user said ${JSON.stringify(said)})`;
}
