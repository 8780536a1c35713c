/**
 * What a person has brought back: the whole text follows a message or result of that time, as an extension by a layer of its
 * own, and an "expanded" decision about the thing says where. Pure.
 */

import { STEERING } from "../../../src/context/held.js";
import type { Standing } from "../../../src/context/known-decision.js";
import type { DecisionKey } from "../../../src/messages/keys.js";
import type { Seen } from "./things.js";

export interface Back {
  /** What the text follows. */
  carrier: DecisionKey;
  /** Index of its message in the history. */
  index: number;
  layer: string;
  text: string;
}

const BETWEEN = "\n";

/** The text of an "expanded" decision. */
export const formatCarrier = (key: string, layer: string): string => `${key}${BETWEEN}${layer}`;

/** Layer name of the text of one thing: a message is extended once by each. */
export const planLayer = (id: string): string => `${STEERING}/${id}`;

/** `undefined` if it was not brought back, or is no longer sent. */
export function findBack(standing: Standing | undefined, seen: Seen): Back | undefined {
  const said = standing?.expanded?.text ?? "";
  const at = said.lastIndexOf(BETWEEN);
  if (at === -1) return undefined;
  const [key, layer] = [said.slice(0, at), said.slice(at + 1)];
  const carrier = seen.find(key);
  const text = carrier?.extended?.find((one) => one.layer === layer)?.text;
  const place = text === undefined || carrier?.cleared ? undefined : findPlace(key, seen);
  return place && text !== undefined ? { ...place, layer, text } : undefined;
}

/** Of a message or result that is sent. */
function findPlace(
  key: string,
  { find, history, shownFrom }: Seen,
): Pick<Back, "carrier" | "index"> | undefined {
  const from = shownFrom();
  const result = history.results(from).find((one) => one.key === key);
  if (result) {
    const answer = history.keyOf(result.index);
    if (answer && find(answer.key)?.dropped) return undefined;
    return { carrier: { day: result.day, key }, index: result.index };
  }
  for (let index = from; index < history.messages.length; index++) {
    const found = history.keyOf(index);
    if (found?.key === key) return { carrier: found, index };
  }
  return undefined;
}
