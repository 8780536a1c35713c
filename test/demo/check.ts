/** What must be true of the run with the plugin; otherwise the demo would show what is not so. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { formatCount } from "../../src/format.js";
import { firstDifference } from "../host/stage/model-request.js";
import type { Outcome } from "./outcome.js";
import type { Run } from "./play.js";

/** A result that left the context, and the copy that was kept of it. */
export interface Moved extends Outcome {
  bytes: number;
  file: string;
}

/** The results that left the context. Throws with what is not as it should be. */
export function checkRun({ requests, outcomes, kept }: Run): Moved[] {
  const previews = [...outcomes.values()].filter(({ standing }) => standing === "preview");
  if (previews.length === 0)
    throw new Error("with the plugin nothing left the context: was it built (npm run build) and loaded?");
  const moved = previews.map((outcome) => findFile(outcome, kept ?? ""));
  for (const [index, later] of requests.entries()) {
    const earlier = requests[index - 1];
    const difference = earlier && firstDifference(earlier, later);
    if (difference === undefined) continue;
    const place = difference === -1 ? "their tools differ" : `message ${difference} differs`;
    throw new Error(`request ${index + 1} does not begin with all of request ${index}: ${place}`);
  }
  return moved;
}

/** The file that a preview names is there and as large as the preview says. */
function findFile(outcome: Outcome, kept: string): Moved {
  const { callID, text, movedTo = "" } = outcome;
  const file = join(kept, "tool-results", basename(movedTo));
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new Error(`the preview of ${callID} names ${movedTo}, which is not there`);
  if (!text.includes(`(${formatCount(bytes)} bytes`)) {
    throw new Error(
      `${movedTo} has ${formatCount(bytes)} bytes; its preview says otherwise: ${text.slice(0, 80)}`,
    );
  }
  return { ...outcome, bytes, file };
}
