import { findRefusal } from "../../src/memory/draft.js";
import type { Memory } from "../../src/memory/memory.js";
import { hasHistory } from "../../src/memory/path.js";
import type { Sliced } from "../../src/slices.js";
import type { StagedCheck } from "./staged.js";

/** The memories that a dream may change: not foreign ones, and none that the store would refuse to write, such as a secret. */
export function* findTidied(all: readonly Memory[], { findFault }: StagedCheck): Sliced<Memory[]> {
  const tidied: Memory[] = [];
  for (const memory of all) {
    yield;
    const { isForeign, scope, status } = memory;
    if (isForeign || scope !== "project" || status === "archived" || !hasHistory(memory)) continue;
    if (findRefusal(memory) !== undefined) continue;
    if ((yield* findFault(JSON.stringify(memory))) === undefined) tidied.push(memory);
  }
  return tidied;
}
