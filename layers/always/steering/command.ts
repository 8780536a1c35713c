/** `/context`, for people who have no screen half: lists what stands in the context, or asks to change one entry. */
import { StrataError } from "../../../src/base/error.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import {
  ACTIONS,
  type Action,
  findWanted,
  formatCost,
  formatItems,
  readContextItems,
  requireAction,
} from "../../../src/status/context-items.js";
import { createContextRequests } from "../../../src/status/context-requests.js";

const SHOWN_ITEMS = 15;
const WIDTH = 100;
const LISTING = "/context";

export async function answerContext(
  context: Pick<KernelContext, "clock" | "files" | "folders"> & { locate(): Promise<string> },
  { sessionID, words }: { sessionID: string; words: string },
): Promise<string> {
  const found = await readContextItems(context.files, context.folders, sessionID);
  if (!found) return "Nothing is known of this session's context yet: send a message first.";
  const [action = "", item, ...more] = words.trim().split(/\s+/);
  if (action === "") return formatItems(found, { command: LISTING, most: SHOWN_ITEMS, width: WIDTH });
  if (!isAction(action) || more.length > 0)
    throw new StrataError(
      "WRONG_WORDS",
      `expected nothing, or one of ${ACTIONS.join(", ")} and an id, "${words.trim()}" came. /context lists the ids`,
    );
  const wanted = findWanted(found.items, action, item, LISTING);
  const cost = requireAction(wanted, action);
  await createContextRequests(context).ask({ session: sessionID, action, item: wanted.id });
  return `${formatCost(wanted, action, cost)}\nIt is done before your next message is sent.`;
}

const isAction = (word: string): word is Action => (ACTIONS as readonly string[]).includes(word);
