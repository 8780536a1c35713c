/** The file of candidates, and that of dropped ones, in this machine's record of the project. */
import { formatError, StrataError } from "../error.js";
import { memoryTypes } from "../memory/memory.js";
import type { Log } from "../record/log.js";
import { createStateFile, formatState, type StateFile } from "../record/state-file.js";
import { findLaterVersionIn } from "../record/version.js";
import { isRecord, parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { finite, list, object, oneOf, optional, string } from "../shape.js";
import type { Saying, WaitingCandidate } from "./candidate.js";
import type { Dropped } from "./plan-candidates.js";

/** "later": written by a newer Strata, which knows more of it; nothing is read or written then. */
export type CandidateFile<T> = StateFile<readonly T[], "later">;

export interface CandidateFiles {
  waiting: CandidateFile<WaitingCandidate>;
  dropped: CandidateFile<Dropped>;
}

/** Reading rejects with the system's error. A damaged file is renamed to `<name>.corrupt`, which the log says. */
export function openCandidateFiles(options: { files: Files; log: Pick<Log, "warn"> }): CandidateFiles {
  return {
    waiting: openList("waiting", isCandidate, options),
    dropped: openList("dropped", isDropped, options),
  };
}

const isSaying = object<Saying>({
  session: string,
  message: string,
  saidMs: finite,
  title: string,
  text: string,
  isTakenBack: optional(oneOf([true])),
});
const isCandidate = object<WaitingCandidate>({
  id: string,
  type: oneOf(memoryTypes),
  when: list(string),
  chance: finite,
  said: list(isSaying),
  offeredMs: finite,
  isJudged: optional(oneOf([true])),
});
const isDropped = object<Dropped>({ words: list(string), messages: list(string), atMs: finite });

/** Two hundred long sentences, each said ten times, take half of it. */
const MOST_BYTES = 8_000_000;

function openList<T>(
  name: string,
  isEntry: (value: unknown) => value is T,
  { files, log }: { files: Files; log: Pick<Log, "warn"> },
): CandidateFile<T> {
  const stored = createStateFile<readonly T[], "later">({
    files: { read: (path) => files.read(path, { links: "refused" }), writeWhole: files.writeWhole },
    parse(text) {
      if (findLaterVersionIn(text) !== undefined) return [];
      const value = parseJson(text);
      const entries = isRecord(value) ? value[name] : undefined;
      if (!Array.isArray(entries)) throw damage(`expected a JSON object with a list "${name}"`);
      return entries.filter(isEntry);
    },
    format: (entries) => formatState({ [name]: entries }),
    fresh: [],
    later: () => "later",
  });

  return {
    async read(path) {
      const bytes = (await files.statItself(path))?.bytes ?? 0;
      try {
        if (bytes > MOST_BYTES) throw damage(`expected at most ${MOST_BYTES} bytes, ${bytes} came`);
        return await stored.read(path);
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
        const aside = `${path}.corrupt`;
        await files.rename(path, aside);
        log.warn(
          "candidates",
          `${path} cannot be read, begun anew; it is kept as ${aside}: ${formatError(thrown)}`,
        );
        return [];
      }
    },
    write: stored.write,
  };
}

const DAMAGED = "EDAMAGED";
const damage = (why: string): StrataError => new StrataError(DAMAGED, why);

/** A link counts as damage: this file is never one. */
const isDamage = (thrown: unknown): boolean =>
  [DAMAGED, "ELOOP"].includes(String((thrown as { code?: unknown }).code));
