/** What must be true of the run with the plugin; otherwise the demo would show what is not so. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { formatCount } from "../../src/base/format.js";
import { type ExplainedBreak, explainBreaks } from "../host/stage/break-reasons.js";
import { findBreaks, formatBreak } from "../host/stage/prefix-breaks.js";
import type { Outcome } from "./outcome.js";
import type { Run } from "./play.js";

/** A result that left the context, and the copy that was kept of it. */
export interface Moved extends Outcome {
  bytes: number;
  file: string;
}

export interface Checked {
  /** Results that left the context before they were sent. */
  moved: Moved[];
  breaks: ExplainedBreak[];
}

/** What left the context, and the breaks with their reasons. Throws with what is not as it should be. */
export function checkRun({ requests, outcomes, records }: Run, kept: string): Checked {
  const previews = [...outcomes.values()].filter(({ standing }) => standing === "preview");
  if (previews.length === 0)
    throw new Error("with the plugin nothing left the context: was it built (npm run build) and loaded?");
  const breaks = explainBreaks(findBreaks(requests), records);
  const unexplained = breaks.find(({ reason }) => reason === undefined);
  if (unexplained) throw new Error(`a prefix break of which no record tells: ${formatBreak(unexplained)}`);
  return { moved: previews.map((outcome) => findFile(outcome, kept)), breaks };
}

/** The file that a preview names is there and as large as the preview says. */
function findFile(outcome: Outcome, kept: string): Moved {
  const { call, text, movedTo = "" } = outcome;
  const file = join(kept, "tool-results", basename(movedTo));
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new Error(`the preview of ${call.id} names ${movedTo}, which is not there`);
  if (!text.includes(`(${formatCount(bytes)} bytes`)) {
    throw new Error(
      `${movedTo} has ${formatCount(bytes)} bytes; its preview says otherwise: ${text.slice(0, 80)}`,
    );
  }
  return { ...outcome, bytes, file };
}
