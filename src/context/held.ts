/** What a person has decided about a result: layers leave it where it is. Pure. */
import type { History, Result } from "../messages/history.js";
import { readInputKey } from "./call-input.js";
import type { Standing } from "./known-decision.js";
import type { Find } from "./replay.js";

/** Layer name of what people decide; of what they bring back, with the item's id behind a slash. */
export const STEERING = "steering";

export interface Holding {
  find: Find;
  history: Pick<History, "keyOf">;
}

/** Is the result pinned, its input or its turn, is it dropped with its turn, or does it carry what was brought back? */
export function isHeld({ find, history }: Holding, result: Result): boolean {
  const standing = find(result.key);
  if (standing?.pinned || carries(standing)) return true;
  const key = history.keyOf(result.index);
  const answer = key && find(key.key);
  return Boolean(answer?.pinned ?? answer?.dropped ?? find(readInputKey(result).key)?.pinned);
}

const carries = (standing: Standing | undefined): boolean =>
  standing?.extended?.some(({ layer, text }) => layer.startsWith(`${STEERING}/`) && text !== undefined) ??
  false;
