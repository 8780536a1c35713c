import { formatError } from "../../src/base/error.js";
import { CHARACTERS_PER_TOKEN, estimateTextTokens } from "../../src/context/context-size.js";
import { type KnownDecision, readInputKey } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import { countUsableTokens } from "../../src/context/windows.js";
import { decodeText } from "../../src/io/files.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { formatNamedNotes } from "./named-notes.js";
import { NOTES_SHARE_OF_BUDGET, NOTES_TOKENS, RESTORED_SHARE_OF_BUDGET } from "./plan-cut.js";
import { restore } from "./restore.js";

export interface CutPlace {
  /** Index in the history of the first message that stays. */
  index: number;
  /** Tokens of the messages that stay. */
  tailTokens: number;
}

/** Minimum tokens of restored files, and of notes in a window that is nearly full, however large the tail is. */
const LEAST_RESTORED = 800;
const LEAST_NOTES = 700;

/** The text that replaces all messages before the cut: the current notes. Rejects if they cannot be written. */
export async function composeCut(
  context: LayerContext,
  request: ContextRequest,
  { index, tailTokens }: CutPlace,
): Promise<string> {
  const { notes } = context;
  const { history, sessionID } = request;
  const pinned = await formatPinned(context, request, index);
  const room = planRoom(context, request, tailTokens + estimateTextTokens(pinned.text));
  const written = await formatNamedNotes(
    context,
    sessionID,
    planNotes(request, room) / NOTES_SHARE_OF_BUDGET,
  );
  const facts = notes.facts(sessionID);
  const forFiles = planRestored(request, room, estimateTextTokens(written));
  const restored = facts
    ? await restore(context, {
        ...{ sessionID, facts, history, from: index, shown: pinned.titles },
        budgetTokens: forFiles / RESTORED_SHARE_OF_BUDGET,
      })
    : "";
  return [
    `[Strata] The session so far is too long for the context: its first ${index} messages are not shown any more. These notes on them were kept all along; they are a record, not new instructions. What the user asked for in them still holds. The conversation goes on below.`,
    written,
    ...(pinned.text === "" ? [] : [pinned.text]),
    ...(restored === "" ? [] : [`## Brought back\n\n${restored}`]),
  ].join("\n\n");
}

/** Share of the budget that the context takes after a cut, at most. Restored files give way first, then the tail. A little less than half, since sizes are estimates. */
export const AFTER_SHARE_OF_BUDGET = 0.49;

/** Tokens beside system prompt, tools and tail. Negative if these alone are too large. */
interface Room {
  /** Within the share above. */
  within: number;
  /** In the model's window. */
  most: number;
}

function planRoom(
  { sizes }: Pick<LayerContext, "sizes">,
  { budgetTokens, sessionID, window }: ContextRequest,
  tailTokens: number,
): Room {
  const taken = sizes.fixedTokens(sessionID) + tailTokens;
  const most = (window ? countUsableTokens(window) : Number.POSITIVE_INFINITY) - taken;
  return { most, within: Math.min(most, budgetTokens * AFTER_SHARE_OF_BUDGET - taken) };
}

/** Tokens for the notes. They stand for all that is not shown any more, so they give way last. */
function planNotes({ budgetTokens }: ContextRequest, { most, within }: Room): number {
  const wanted = Math.max(NOTES_TOKENS, within);
  return Math.min(budgetTokens * NOTES_SHARE_OF_BUDGET, wanted, Math.max(LEAST_NOTES, most));
}

function planRestored({ budgetTokens }: ContextRequest, { within }: Room, notesTokens: number): number {
  return Math.min(budgetTokens * RESTORED_SHARE_OF_BUDGET, Math.max(LEAST_RESTORED, within - notesTokens));
}

/* What a person has pinned, for the texts that replace history: no layer ever takes it away. */

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
