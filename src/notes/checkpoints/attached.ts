/**
 * What a person attached to a running session or to the next new one: a file in this machine's record of the project
 * with the text for that session's next message. It is removed once the text is recorded in the session.
 *
 *     projects/<id>/attached-next.json     for the next new session
 *     projects/<id>/attached-ses_1.json    for this session
 */
import { join } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { each, isVersion, object, parseJson, parserOf, string } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { createStateFile, formatState } from "../../io/state-file.js";

export interface Attached {
  v: 1;
  /** The attached session, checkpoint or file, for people. */
  of: string;
  /** ISO date-time. */
  asked: string;
  text: string;
}

/** A person's next new session, or the session with this id. */
export const NEXT = "next";

const parse = parserOf(object<Attached>({ v: isVersion, ...each(string, "of", "asked", "text") }));
/** Older attachments are ignored and removed. */
export const ATTACHED_DAYS = 7;

export interface AttachedFiles {
  /** Replaces an earlier attachment. */
  write(target: string, attached: Attached): Promise<void>;
  /** `undefined` if nothing is attached, or only something too old. */
  read(target: string): Promise<Attached | undefined>;
  remove(target: string): Promise<void>;
}

/** All calls reject with the system's error. */
export function createAttachedFiles(options: {
  files: Files;
  nowMs(): number;
  locate(): Promise<string>;
}): AttachedFiles {
  const { files, locate, nowMs } = options;
  const pathOf = async (target: string): Promise<string> => join(await locate(), `attached-${target}.json`);
  const file = createStateFile<Attached, undefined>({
    files,
    parse: (text) => parse(parseJson(text)),
    format: ({ v: _, ...attached }) => `${formatState(attached)}\n`,
    fresh: undefined,
  });
  return {
    write: async (target, attached) => file.write(await pathOf(target), attached),

    async read(target) {
      const attached = await file.read(await pathOf(target));
      const isRecent = attached && !(nowMs() - Date.parse(attached.asked) > ATTACHED_DAYS * DAY_MS);
      return isRecent ? attached : undefined;
    },

    remove: async (target) => files.remove(await pathOf(target)),
  };
}
