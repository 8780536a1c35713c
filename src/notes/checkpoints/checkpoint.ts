/**
 * A checkpoint: what a session knew at one moment. It is a file in this machine's record of the project, where no
 * repository can write, so it counts as the user's:
 *
 *     projects/<id>/checkpoint-cp-3fa2b1c.json        requested by a person, each with its own id
 *     projects/<id>/checkpoint-cp-3fa2b1c.auto.json   the plugin's own, only the last per session and occasion
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { formatAge } from "../../base/format.js";
import { parseJson } from "../../base/shape.js";
import { formatState } from "../../io/state-file.js";
import { type Immutable, ledger } from "../stored.js";

/** Why it was saved: a person asked, the history was about to be replaced, a dream began, or OpenCode ended. */
const WHY = {
  asked: "requested",
  compaction: "before notes replaced history",
  dream: "before a dream",
  end: "at the end",
} as const;
export type Occasion = keyof typeof WHY;

const checkpoint = z.object({
  v: z.literal(1),
  /** `cp-` and 7 hexadecimal digits. */
  id: z.string().regex(/^cp-[0-9a-f]{7}$/),
  sessionID: z.string().regex(/^[\w-]+$/),
  /** ISO date-time. */
  at: z.string(),
  occasion: z.enum(["asked", "compaction", "dream", "end"]),
  /** The person's note, on one line. */
  note: z.string().optional(),
  /** What the session knows, without secrets: requests, answers, todos, plan, files, failures. */
  ledger,
  /** IDs of lines that a person removed from the notes. */
  removed: z.array(z.string()),
  /** Absolute path of the notes. */
  notesPath: z.string(),
  /** Their text, without secrets; absent if there were none. */
  notes: z.string().optional(),
  /** The beginning of the plan's file, without secrets. */
  plan: z.string().optional(),
  /** The files that the session changed, relative to the project if inside it; without size if they did not exist. */
  files: z.array(
    z.object({
      name: z.string(),
      bytes: z.number().nonnegative().optional(),
      modifiedMs: z.number().nonnegative().optional(),
    }),
  ),
  /** Memories that come from the session; handoffs leave out those that git ignores. */
  memories: z.array(z.object({ id: z.string(), title: z.string(), isPrivate: z.boolean() })),
});

export type Checkpoint = Immutable<z.output<typeof checkpoint>>;
export type CheckpointFile = Checkpoint["files"][number];
export type CheckpointMemory = Checkpoint["memories"][number];

/** `undefined` if any part of the file is invalid. */
export const parseCheckpoint = (text: string): Checkpoint | undefined =>
  checkpoint.safeParse(parseJson(text)).data;

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

/** `cp-3fa2b1c  2 hours ago  ses_1  requested: "before the rewrite"`. For people. */
export function formatCheckpointLine(
  { at, id, note, occasion, sessionID }: Checkpoint,
  nowMs: number,
): string {
  const named = note === undefined ? "" : `: ${JSON.stringify(note)}`;
  return `${id}  ${formatAge(Date.parse(at), nowMs)}  ${sessionID}  ${WHY[occasion]}${named}`;
}
