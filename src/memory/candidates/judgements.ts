/**
 * Why each message was kept or not: a line each time somebody judged one, beside the candidates. `strata why` reads it.
 * Bounded; what the user takes back is taken out.
 */
import { finite, isVersion, object, oneOf, optional, string } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { createLineLog } from "../../io/json-lines.js";
import type { Message } from "../../io/message.js";
import { toLine } from "../../text/text.js";

/** `shape`: the filter without words. `marks`: a sentence that says itself that it lasts. */
const JUDGES = ["shape", "marks", "model", "agent", "user", "repetition"] as const;
const OUTCOMES = ["kept", "waiting", "left out", "refused"] as const;

export interface Judgement {
  atMs: number;
  session: string;
  message: string;
  /** The user's words, without secrets; cut. */
  text: string;
  by: (typeof JUDGES)[number];
  outcome: (typeof OUTCOMES)[number];
  /** For people: "of 3 questions and no statement". */
  why: string;
  /** The memory or candidate that it became. */
  id?: string;
}

interface Line extends Judgement {
  v: 1;
}

const isLine = object<Line>({
  v: isVersion,
  atMs: finite,
  session: string,
  message: string,
  text: string,
  by: oneOf(JUDGES),
  outcome: oneOf(OUTCOMES),
  why: string,
  id: optional(string),
});

/** The same may be judged twice: after a crash, or when past sessions are read again. */
const nameLine = ({ atMs: _, ...line }: Line): string => JSON.stringify(line);

/** Messages of about two months. */
const MOST_LINES = 4_000;
const LONGEST_TEXT = 400;

/** Every call rejects with the system's error; those that change are made under the candidates' lock. */
export interface JudgementLog {
  /** Oldest first. */
  read(path: string): Promise<readonly Judgement[]>;
  add(path: string, judgements: readonly Judgement[]): Promise<void>;
  /** Takes out those of these messages. */
  forget(path: string, messages: readonly Pick<Judgement, "message" | "session">[]): Promise<void>;
  /** Keeps only what this session's messages still say; `true` if something goes. `isDry` changes nothing. */
  follow(path: string, sessionID: string, messages: readonly Message[], isDry: boolean): Promise<boolean>;
}

export function createJudgementLog(files: Files): JudgementLog {
  const lines = createLineLog<Line>({ files, parse: (value) => (isLine(value) ? value : undefined) });

  return {
    read: async (path) => (await lines.read(path)).records,

    async add(path, judgements) {
      const { records } = await lines.read(path);
      const known = new Set(records.map(nameLine));
      const added = judgements
        .map((one): Line => ({ v: 1, ...one, text: toLine(one.text, LONGEST_TEXT) }))
        .filter((one) => !known.has(nameLine(one)));
      if (added.length === 0) return;
      await lines.append(path, added);
      const all = [...records, ...added];
      if (all.length > MOST_LINES) await write(path, all.slice(-MOST_LINES / 2));
    },

    async forget(path, messages) {
      const names = new Set(messages.map(({ message, session }) => `${session} ${message}`));
      await keep(path, ({ message, session }) => !names.has(`${session} ${message}`), false);
    },

    follow(path, sessionID, messages, isDry) {
      const ids = new Set(messages.map(({ info }) => info.id));
      return keep(path, ({ message, session }) => session !== sessionID || ids.has(message), isDry);
    },
  };

  async function keep(path: string, isKept: (line: Line) => boolean, isDry: boolean): Promise<boolean> {
    const { records } = await lines.read(path);
    const kept = records.filter(isKept);
    if (kept.length === records.length) return false;
    if (!isDry) await write(path, kept);
    return true;
  }

  function write(path: string, records: readonly Line[]): Promise<void> {
    return files.writeWhole(path, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }
}
