/**
 * A checkpoint: what a session knew at one moment. It is a file in this machine's record of the project, where no
 * repository can write, so it counts as the user's:
 *
 *     projects/<id>/checkpoint-cp-3fa2b1c.json        requested by a person, each with its own id
 *     projects/<id>/checkpoint-cp-3fa2b1c.auto.json   the plugin's own, only the last per session and occasion
 */
import { createHash } from "node:crypto";
import { formatAge } from "../../base/format.js";
import {
  count,
  each,
  isRecord,
  isVersion,
  list,
  matching,
  object,
  oneOf,
  optional,
  parseJson,
  string,
} from "../../base/shape.js";
import { formatState } from "../../io/state-file.js";
import type { Ledger } from "../stored.js";

/** Why it was saved: a person asked, the history was about to be replaced, a dream began, or OpenCode ended. */
const WHY = {
  asked: "requested",
  compaction: "before notes replaced history",
  dream: "before a dream",
  end: "at the end",
} as const;
export type Occasion = keyof typeof WHY;

export interface Checkpoint {
  v: 1;
  /** `cp-` and 7 hexadecimal digits. */
  id: string;
  sessionID: string;
  /** ISO date-time. */
  at: string;
  occasion: Occasion;
  /** The person's note, on one line. */
  note?: string;
  /** What the session knows, without secrets: requests, answers, todos, plan, files, failures. */
  ledger: Ledger;
  /** IDs of lines that a person removed from the notes. */
  removed: readonly string[];
  /** Absolute path of the notes. */
  notesPath: string;
  /** Their text, without secrets; absent if there were none. */
  notes?: string;
  /** The beginning of the plan's file, without secrets. */
  plan?: string;
  /** The files that the session changed, at that moment. */
  files: readonly CheckpointFile[];
  /** Memories that come from the session. */
  memories: readonly CheckpointMemory[];
}

export interface CheckpointFile {
  /** Relative to the project if inside it. */
  name: string;
  /** Absent if the file did not exist. */
  bytes?: number;
  modifiedMs?: number;
}

export interface CheckpointMemory {
  id: string;
  title: string;
  /** Git ignores it, so handoffs leave it out. */
  isPrivate: boolean;
}

export const isCheckpointID = (text: string): boolean => /^cp-[0-9a-f]{7}$/.test(text);

/** Stable for automatic checkpoints, so that the next of its kind replaces it. */
export function formatCheckpointID(sessionID: string, occasion: Occasion, atMs: number): string {
  const name = occasion === "asked" ? `${sessionID} ${occasion} ${atMs}` : `${sessionID} ${occasion}`;
  return `cp-${createHash("sha256").update(name).digest("hex").slice(0, 7)}`;
}

export const nameCheckpoint = ({ id, occasion }: Pick<Checkpoint, "id" | "occasion">): string =>
  `checkpoint-${id}${occasion === "asked" ? "" : ".auto"}.json`;

/** The id in the name of a checkpoint's file, and whether it is one of the plugin's own. */
export function readCheckpointName(name: string): { id: string; isAuto: boolean } | undefined {
  const [, id, auto] = /^checkpoint-(cp-[0-9a-f]{7})(\.auto)?\.json$/.exec(name) ?? [];
  return id === undefined ? undefined : { id, isAuto: auto !== undefined };
}

export const formatCheckpoint = ({ v: _, ...checkpoint }: Checkpoint): string =>
  `${formatState(checkpoint)}\n`;

const isPlain = object<Omit<Checkpoint, "ledger" | "removed">>({
  v: isVersion,
  id: matching(/^cp-[0-9a-f]{7}$/),
  sessionID: matching(/^[\w-]+$/),
  ...each(string, "at", "notesPath"),
  occasion: oneOf(Object.keys(WHY) as Occasion[]),
  ...each(optional(string), "note", "notes", "plan"),
  files: list(object<CheckpointFile>({ name: string, bytes: optional(count), modifiedMs: optional(count) })),
  memories: list(
    object<CheckpointMemory>({ ...each(string, "id", "title"), isPrivate: oneOf([true, false]) }),
  ),
});

/** `undefined` if any part of the file is invalid. */
export async function parseCheckpoint(text: string): Promise<Checkpoint | undefined> {
  const value = parseJson(text);
  if (!isPlain(value) || !isRecord(value)) return undefined;
  // Loads zod.
  const { parseStored } = await import("../stored.js");
  const { ledger, removed } = value as Record<string, unknown>;
  const stored = parseStored(JSON.stringify({ version: 1, ledger, removed }));
  return stored && { ...value, ledger: stored.ledger, removed: stored.removed };
}

/** `cp-3fa2b1c  2 hours ago  ses_1  requested: "before the rewrite"`. For people. */
export function formatCheckpointLine(
  { at, id, note, occasion, sessionID }: Checkpoint,
  nowMs: number,
): string {
  const named = note === undefined ? "" : `: ${JSON.stringify(note)}`;
  return `${id}  ${formatAge(Date.parse(at), nowMs)}  ${sessionID}  ${WHY[occasion]}${named}`;
}
