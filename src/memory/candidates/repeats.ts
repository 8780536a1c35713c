/**
 * Counts in how many sessions the user has said the same, so that nobody has to say it a sixth time. Hashes of words, no
 * words. Pure but for `createRepeats`.
 */
import { hashOf } from "../../base/hash.js";
import { finite, isRecord, list, object, parseJson, string } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import type { Message } from "../../io/message.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { readMeaning } from "../../text/wording.js";

/** Where a statement was said. */
export interface Heard {
  session: string;
  message: string;
  saidMs: number;
}

interface Repeat {
  /** Hash of the meaning. */
  words: string;
  /** The latest of each session, oldest first. */
  heard: Heard[];
}

/** Statements whose repetition is noticed: those of the last months. */
const MOST_REPEATS = 1_500;
/** More sessions prove nothing more. */
const MOST_SESSIONS = 8;
/** "Go on" and "run the tests" are said in every session and ask for nothing that lasts. */
const SHORTEST = 24;
const SHORTEST_DENSE = 8;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const isHeard = object<Heard>({ session: string, message: string, saidMs: finite });
const isRepeat = object<Repeat>({ words: string, heard: list(isHeard) });

/** Is its repetition a demand, and no greeting? */
export const isCounted = (text: string): boolean =>
  text.length >= (DENSE.test(text) ? SHORTEST_DENSE : SHORTEST);

/** Under the candidates' lock. Every call rejects with the system's error. */
export interface Repeats {
  /** Counts the statements; returns by place where each was said, this time included. */
  hear(path: string, texts: readonly string[], heard: Heard): Promise<readonly (readonly Heard[])[]>;
  /** Forgets what this session's messages no longer say; `true` if something goes. `isDry` changes nothing. */
  follow(path: string, sessionID: string, messages: readonly Message[], isDry: boolean): Promise<boolean>;
}

export function createRepeats(files: Files): Repeats {
  const stored = createStateFile<readonly Repeat[]>({
    files,
    parse(text) {
      const value = parseJson(text);
      return isRecord(value) && Array.isArray(value.repeats) ? value.repeats.filter(isRepeat) : [];
    },
    format: (repeats) => formatState({ repeats }),
    fresh: [],
  });

  return {
    async hear(path, texts, heard) {
      const known = await stored.read(path);
      const { found, next } = planHeard(known, texts, heard);
      if (next !== known) await stored.write(path, next);
      return found;
    },

    async follow(path, sessionID, messages, isDry) {
      const ids = new Set(messages.map(({ info }) => info.id));
      const isThere = ({ message, session }: Heard): boolean => session !== sessionID || ids.has(message);
      const known = await stored.read(path);
      if (known.every(({ heard }) => heard.every(isThere))) return false;
      const next = known.map(({ heard, words }) => ({ words, heard: heard.filter(isThere) }));
      if (!isDry)
        await stored.write(
          path,
          next.filter(({ heard }) => heard.length > 0),
        );
      return true;
    },
  };
}

/** The latest heard are last, and stay. `next` is `known` if nothing is new: a message may be read twice. */
export function planHeard(
  known: readonly Repeat[],
  texts: readonly string[],
  heard: Heard,
): { next: readonly Repeat[]; found: readonly (readonly Heard[])[] } {
  const all = new Map(known.map((one) => [one.words, one]));
  const isSame = (one: Heard): boolean => one.session === heard.session && one.message === heard.message;
  let isNews = false;
  const found = texts.map((text): readonly Heard[] => {
    if (!isCounted(text)) return [heard];
    const words = hashOf(readMeaning(text).toLowerCase()).slice(0, 24);
    const already = all.get(words)?.heard ?? [];
    if (already.some(isSame)) return already;
    isNews = true;
    const before = already.filter(({ session }) => session !== heard.session);
    const next = [...before, heard].slice(-MOST_SESSIONS);
    all.delete(words);
    all.set(words, { words, heard: next });
    return next;
  });
  return { next: isNews ? [...all.values()].slice(-MOST_REPEATS) : known, found };
}
