/** What an action is about, and what is planned for it. */

import type { DatedDecision } from "../../../src/context/decisions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { DecisionKey } from "../../../src/messages/keys.js";
import type { ContextItem } from "../../../src/status/context-items.js";
import type { Surroundings } from "./surroundings.js";
import type { InputThing, ResultThing, Thing, TurnThing } from "./things.js";

/** Decisions of one layer; written one after the other. */
export interface Prepared {
  layer: string;
  decided: readonly DatedDecision[];
}

export interface Meant {
  thing: Thing;
  item: ContextItem;
  given: Surroundings;
}

/** Things that have a text. */
export type Textual = ResultThing | InputThing | TurnThing;

export type PrepareContext = Pick<KernelContext, "files" | "host" | "resultFiles">;

/** Of a turn, those of all its answers. */
export function keysOf({ history }: Pick<ContextRequest, "history">, thing: Textual): DecisionKey[] {
  if (thing.kind !== "turn") return [thing.key];
  const count = thing.end - thing.index;
  return Array.from({ length: count }, (_, at) => history.keyOf(thing.index + at)).filter(
    (key) => key !== undefined,
  );
}
