/** Files of a session in the notes folder, and how they are read. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { decodeStrictly, type Files, readText } from "../io/files.js";
import type { Stored } from "./stored.js";

export interface SessionPaths {
  /** For people. */
  notes: string;
  /** The notes before the last change. */
  previous: string;
  /** For the machine. */
  stored: string;
  /** Where an unreadable stored file is moved. */
  corrupt: string;
}

/** Throws for an ID that could name a file elsewhere. */
export function planPaths(folder: string, sessionID: string): SessionPaths {
  if (!/^[\w-]+$/.test(sessionID))
    throw new Error(
      `Expected a session id of letters, digits, "_" and "-"; came ${JSON.stringify(sessionID)}.`,
    );
  const pathOf = (ending: string): string => join(folder, `${sessionID}${ending}`);
  return {
    notes: pathOf(".md"),
    previous: pathOf(".previous.md"),
    stored: pathOf(".json"),
    corrupt: pathOf(".corrupt.json"),
  };
}

/** Session ID in the name of a stored file. */
export function readSessionID(name: string): string | undefined {
  return /^([\w-]+)\.json$/.exec(name)?.[1];
}

export type StoredReading =
  | { kind: "absent" }
  | { kind: "corrupt" }
  | { kind: "stored"; stored: Stored; text: string };

export async function readStored(files: Files, path: string): Promise<StoredReading> {
  const text = await readText(files, path);
  if (text === undefined) return { kind: "absent" };
  // Loads zod.
  const { parseStored } = await import("./stored.js");
  const stored = parseStored(text);
  return stored ? { kind: "stored", stored, text } : { kind: "corrupt" };
}

export function formatStored(value: Stored): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}

/** `unusable`: something that people may have put there, which must not be touched. */
export type NotesReading = { text: string | undefined } | { unusable: string };

export async function readNotes(files: Files, path: string): Promise<NotesReading> {
  const found = await files.stat(path);
  if (!found) return { text: undefined };
  if (found.kind !== "file") return { unusable: "it is not a file" };
  const bytes = await files.read(path);
  if (!bytes) return { text: undefined };
  const text = decodeStrictly(bytes);
  return text === undefined ? { unusable: "it is not UTF-8" } : { text };
}

export function hashNotes(text: string): string {
  return createHash("sha1").update(text).digest("base64url");
}
