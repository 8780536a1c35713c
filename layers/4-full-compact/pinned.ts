/** What a person has pinned, for the texts that replace history: no layer ever takes it away. */
import { formatError } from "../../src/base/error.js";
import { readInputKey } from "../../src/context/call-input.js";
import type { KnownDecision } from "../../src/context/known-decision.js";
import { CHARACTERS_PER_TOKEN } from "../../src/context/learned-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import { decodeText } from "../../src/io/files.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";

type PinnedContext = Pick<LayerContext, "decisions" | "files" | "log">;

/** Share of the budget for all of it. A person may pin less; the rest is for a model with a smaller window. */
const SHARE_OF_BUDGET = 0.3;
/** Days of decisions that are looked through: the host no longer gives what was before its summary. */
const MOST_DAYS = 14;

export interface Pinned {
  /** The section; empty if there is nothing. */
  text: string;
  /** What is shown whole, such as "read src/app.ts". */
  titles: ReadonlySet<string>;
}

const NONE: Pinned = { text: "", titles: new Set() };

/**
 * The section with everything pinned that is not among the messages from `from` on. What has no room is named with its
 * file.
 */
export async function formatPinned(
  { decisions, files, log }: PinnedContext,
  { budgetTokens, history, sessionID }: Pick<ContextRequest, "budgetTokens" | "history" | "sessionID">,
  from: number,
): Promise<Pinned> {
  const days = (await decisions.days()).sort((a, b) => a - b);
  await decisions.load(days.slice(-MOST_DAYS));
  const pinned = decisions.pinned(sessionID).filter(({ file }) => file !== undefined);
  if (pinned.length === 0) return NONE;
  const staying = listKeys(history, from);
  let room = Math.floor(budgetTokens * SHARE_OF_BUDGET * CHARACTERS_PER_TOKEN);
  const blocks: string[] = [];
  for (const one of pinned.filter(({ key }) => !staying.has(key))) {
    const text = await readText(one);
    const title = readTitle(one);
    const isRoom = text !== undefined && text.length <= room;
    blocks.push(isRoom ? `### ${title}\n${text.trimEnd()}` : `### ${title}: whole in ${one.file}`);
    if (isRoom) room -= text.length;
  }
  if (blocks.length === 0) return NONE;
  return {
    text: ["## Pinned by the user", ...blocks].join("\n\n"),
    titles: new Set(blocks.map(readFirstLine)),
  };

  async function readText({ file = "" }: KnownDecision): Promise<string | undefined> {
    try {
      const bytes = await files.read(file);
      return bytes && decodeText(bytes);
    } catch (thrown) {
      log.warn("full-compact", `cannot read ${file}, which is pinned: ${formatError(thrown)}`);
      return undefined;
    }
  }
}

const readFirstLine = (block: string): string => block.slice("### ".length, block.indexOf("\n"));

/** The decision's text is the item's id and its name. */
const readTitle = ({ text = "" }: KnownDecision): string => text.slice(text.indexOf(" ") + 1);

function listKeys(history: ContextRequest["history"], from: number): ReadonlySet<string> {
  const results = history.results(from).flatMap((result) => [result.key, readInputKey(result).key]);
  const messages = Array.from(
    { length: history.messages.length - from },
    (_, at) => history.keyOf(from + at)?.key ?? "",
  );
  return new Set([...results, ...messages]);
}
