/** Formats candidates for people. */
import { DAY_MS } from "../days.js";
import { toLine } from "../text.js";
import { isHandedOver, readLatest, type WaitingCandidate } from "./candidate.js";

const LONGEST_TEXT = 200;

/** Id, type, days since it was said, probability ("client" if it came from an MCP client), the sentence. */
export function formatCandidates(all: readonly WaitingCandidate[], nowMs: number): string[] {
  const idWidth = Math.max(0, ...all.map(({ id }) => id.length));
  const typeWidth = Math.max(0, ...all.map(({ type }) => type.length));
  return all.map((one) => {
    const { saidMs = 0, text = "" } = readLatest(one) ?? {};
    const days = `${Math.max(0, Math.floor((nowMs - saidMs) / DAY_MS))} d`;
    const chance = isHandedOver(one) ? "client" : `${Math.round(one.worth * 100)} %`;
    const columns = [
      one.id.padEnd(idWidth),
      one.type.padEnd(typeWidth),
      days.padStart(5),
      chance.padStart(5),
    ];
    return `${columns.join("  ")}  ${toLine(text, LONGEST_TEXT)}`;
  });
}
