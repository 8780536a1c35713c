/** The file of candidates, and that of dropped ones, in this machine's record of the project. */
import { formatError, StrataError } from "../../base/error.js";
import { isRecord, parseJson } from "../../base/records.js";
import { finite, list, object, oneOf, optional, string } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { memoryTypes } from "../memory.js";
import type { SaidStatement, Saying, WaitingCandidate } from "./candidate.js";
import type { Dropped } from "./plan-candidates.js";

/** Reading rejects with the system's error. A damaged file counts as empty, which the log says. */
export interface CandidateFile<T> {
  read(path: string): Promise<readonly T[]>;
  /** For the holder of the lock: renames a damaged file to `<name>.corrupt`. */
  readToWrite(path: string): Promise<readonly T[]>;
  /** Rejects with the system's error. */
  write(path: string, entries: readonly T[]): Promise<void>;
}

export interface CandidateFiles {
  waiting: CandidateFile<WaitingCandidate>;
  dropped: CandidateFile<Dropped>;
}

export function openCandidateFiles(options: { files: Files; log: Pick<Log, "warn"> }): CandidateFiles {
  return {
    waiting: openList("waiting", isCandidate, options),
    dropped: openList("dropped", isDropped, options),
  };
}

const isStatement = object<SaidStatement>({
  text: string,
  heading: optional(string),
  isQuestion: optional(oneOf([true])),
});
const isSaying = object<Saying>({
  session: string,
  message: string,
  saidMs: finite,
  title: string,
  text: string,
  heading: optional(string),
  statements: optional(list(isStatement)),
  place: optional(finite),
  context: optional(string),
  isTakenBack: optional(oneOf([true])),
  isHandedOver: optional(oneOf([true])),
});
const isCandidate = object<WaitingCandidate>({
  id: string,
  type: oneOf(memoryTypes),
  when: list(string),
  worth: finite,
  said: list(isSaying),
  offeredMs: finite,
  tries: optional(finite),
  isJudged: optional(oneOf([true])),
  asked: optional(object<{ session: string; letter: string }>({ session: string, letter: string })),
});
const isDropped = object<Dropped>({ words: list(string), messages: list(string), atMs: finite });

/** Two hundred long sentences, each said ten times, take half of it. */
const MOST_BYTES = 8_000_000;

function openList<T>(
  name: string,
  isEntry: (value: unknown) => value is T,
  { files, log }: { files: Files; log: Pick<Log, "warn"> },
): CandidateFile<T> {
  const stored = createStateFile<readonly T[]>({
    files: { read: (path) => files.read(path, { links: "refused" }), writeWhole: files.writeWhole },
    parse(text) {
      const value = parseJson(text);
      const entries = isRecord(value) ? value[name] : undefined;
      if (!Array.isArray(entries)) throw damage(`expected a JSON object with a list "${name}"`);
      return entries.filter(isEntry);
    },
    format: (entries) => formatState({ [name]: entries }),
    fresh: [],
  });

  const aside = (path: string): string => `${path}.corrupt`;
  return {
    read: (path) => readOr(path, async () => "it is kept aside when the next candidate is stored"),
    readToWrite: (path) =>
      readOr(path, async () => {
        await files.rename(path, aside(path));
        return `begun anew, it is kept as ${aside(path)}`;
      }),
    write: stored.write,
  };

  async function readOr(path: string, mend: () => Promise<string>): Promise<readonly T[]> {
    const bytes = (await files.statItself(path))?.bytes ?? 0;
    try {
      if (bytes > MOST_BYTES) throw damage(`expected at most ${MOST_BYTES} bytes, ${bytes} came`);
      return await stored.read(path);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      log.warn("candidates", `${path} cannot be read, ${await mend()}: ${formatError(thrown)}`);
      return [];
    }
  }
}

const DAMAGED = "EDAMAGED";
const damage = (why: string): StrataError => new StrataError(DAMAGED, why);

/** A link counts as damage: this file is never one. */
const isDamage = (thrown: unknown): boolean =>
  [DAMAGED, "ELOOP"].includes(String((thrown as { code?: unknown }).code));
