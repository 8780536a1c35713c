import { formatAge } from "../../base/format.js";
import type { Checkpoint, Occasion } from "./checkpoint.js";

const WHY: Readonly<Record<Occasion, string>> = {
  asked: "requested",
  compaction: "before notes replaced history",
  dream: "before a dream",
  end: "at the end",
};

/** `cp-3fa2b1c  2 hours ago  ses_1  requested: "before the rewrite"`. For people. */
export function formatCheckpointLine(
  { at, id, note, occasion, sessionID }: Checkpoint,
  nowMs: number,
): string {
  const named = note === undefined ? "" : `: ${JSON.stringify(note)}`;
  return `${id}  ${formatAge(Date.parse(at), nowMs)}  ${sessionID}  ${WHY[occasion]}${named}`;
}
