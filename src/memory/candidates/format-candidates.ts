/** Formats candidates for people. Pure. */
import { DAY_MS } from "../../base/days.js";
import { formatPercent } from "../../base/format.js";
import { toLine } from "../../text/text.js";
import { isHandedOver, readLatest, readSessions, type WaitingCandidate } from "./candidate.js";

/** What a candidate would be as a memory, between the sentences beside it. */
export interface Surroundings {
  text: string;
  before?: string;
  after?: string;
}

export function readSurroundings(candidate: WaitingCandidate): Surroundings {
  const { heading, place, statements = [], text = "" } = readLatest(candidate) ?? {};
  const [before, after] =
    place === undefined ? [] : [statements[place - 1]?.text, statements[place + 1]?.text];
  return {
    text: heading === undefined ? text : `${heading} ${text}`,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

/** "said in 4 sessions"; empty for one. */
export function formatSessions(candidate: WaitingCandidate): string {
  const { length } = readSessions(candidate);
  return length > 1 ? `said in ${length} sessions` : "";
}

const LONGEST_TEXT = 200;
const LONGEST_BESIDE = 140;

/**
 * Of each: id, type, days since it was said, worth ("client" if it came from an MCP client or from the agent's work), the
 * sentence; below it the sentences beside it.
 */
export function formatCandidates(all: readonly WaitingCandidate[], nowMs: number): string[] {
  const idWidth = Math.max(0, ...all.map(({ id }) => id.length));
  const typeWidth = Math.max(0, ...all.map(({ type }) => type.length));
  return all.flatMap((one) => {
    const { saidMs = 0 } = readLatest(one) ?? {};
    const { after, before, text } = readSurroundings(one);
    const sessions = formatSessions(one);
    const columns = [
      one.id.padEnd(idWidth),
      one.type.padEnd(typeWidth),
      `${Math.max(0, Math.floor((nowMs - saidMs) / DAY_MS))} d`.padStart(5),
      (isHandedOver(one) ? "client" : formatPercent(one.worth)).padStart(5),
      `${toLine(text, LONGEST_TEXT)}${sessions === "" ? "" : `  (${sessions})`}`,
    ];
    const beside = (label: string, words: string | undefined): string[] =>
      words === undefined
        ? []
        : [`${" ".repeat(idWidth)}  ${label.padEnd(6)}  ${toLine(words, LONGEST_BESIDE)}`];
    return [columns.join("  "), ...beside("before", before), ...beside("after", after)];
  });
}
