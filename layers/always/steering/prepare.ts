/** Writes the files that an action needs, and plans its decisions. Nothing is decided yet. */

import { type DatedDecision, decide } from "../../../src/context/decisions.js";
import { STEERING } from "../../../src/context/held.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Action } from "../../../src/status/context-items.js";
import { findBack } from "./back.js";
import { prepareClear, prepareTurn } from "./prepare-drop.js";
import { prepareBack, preparePin } from "./prepare-kept.js";
import { keysOf, type Meant, type PrepareContext, type Prepared, type Textual } from "./prepared.js";

/**
 * Empty if it would change nothing, `undefined` if it has to wait for a later request. Rejects if a file cannot be
 * written.
 */
export type Prepare = (
  request: ContextRequest,
  action: Action,
  meant: Meant,
) => Promise<readonly Prepared[] | undefined>;

export function createPrepare(context: PrepareContext): Prepare {
  return async (request, action, meant) => {
    const { thing } = meant;
    if (action === "undo-cut")
      return thing.kind === "cut"
        ? byLayer(thing.cut.layer, [decide(thing.key, { outcome: "revised", of: "cut" })])
        : [];
    if (thing.kind === "cut" || thing.kind === "summary") return [];
    if (action === "unpin")
      return byLayer(
        STEERING,
        keysOf(request, thing).map((key) => decide(key, { outcome: "unpinned" })),
      );
    if (action === "pin") return byLayer(STEERING, await preparePin(context, request, { ...meant, thing }));
    if (action === "expand") return prepareBack(context, request, { ...meant, thing });
    return drop(request, { ...meant, thing });
  };

  async function drop(
    request: ContextRequest,
    { given, item, thing }: Meant & { thing: Textual },
  ): Promise<readonly Prepared[]> {
    const back = findBack(request.find(thing.key.key), given.seen);
    if (back) return byLayer(back.layer, [decide(back.carrier, { outcome: "revised", of: "extended" })]);
    const decided =
      thing.kind === "turn"
        ? await prepareTurn(context, request, { turn: thing, tokens: item.tokens })
        : await prepareClear(context, request, { thing, superseded: given.superseded });
    return byLayer(STEERING, decided);
  }
}

const byLayer = (layer: string, decided: readonly DatedDecision[]): Prepared[] =>
  decided.length > 0 ? [{ layer, decided }] : [];
