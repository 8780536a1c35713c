import { findRefusal } from "../../src/memory/draft.js";
import type { Memory } from "../../src/memory/memory.js";
import { hasHistory } from "../../src/memory/path.js";
import type { Sliced } from "../../src/slices.js";
import type { StagedCheck } from "./staged.js";

/** What a dream may change. What came with the repository, and what the store would not write again, such as a secret, stays as it is. */
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
