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
import { type Files, readText } from "../../io/files.js";

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
/** Older attachments are ignored and removed. */
export const ATTACHED_DAYS = 7;

const parse = parserOf(object<Attached>({ v: isVersion, ...each(string, "of", "asked", "text") }));

/** All calls reject with the system's error. */
export function createAttachedFiles(options: { files: Files; nowMs(): number; locate(): Promise<string> }) {
  const { files, locate, nowMs } = options;
  const pathOf = async (target: string): Promise<string> => join(await locate(), `attached-${target}.json`);
  return {
    /** Replaces an earlier attachment. */
    write: async (target: string, attached: Attached): Promise<void> =>
      files.writeWhole(await pathOf(target), `${JSON.stringify(attached)}\n`),

    /** `undefined` if nothing is attached, or only something too old. */
    async read(target: string): Promise<Attached | undefined> {
      const attached = parse(parseJson((await readText(files, await pathOf(target))) ?? ""));
      return attached && nowMs() - Date.parse(attached.asked) > ATTACHED_DAYS * DAY_MS ? undefined : attached;
    },

    remove: async (target: string): Promise<void> => files.remove(await pathOf(target)),
  };
}
