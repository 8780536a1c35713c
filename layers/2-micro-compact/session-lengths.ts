/**
 * How long this user's sessions are, so that nothing is cleared shortly before one usually ends: what that costs would
 * not come back. In answers, of the last sessions in the project; subagents' sessions are shorter and not counted.
 */
import PQueue from "p-queue";
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import { createStateFile, formatState } from "../../src/record/state-file.js";
import { isRecord } from "../../src/records.js";

export interface SessionLengths {
  /** Reads the lengths of earlier sessions; later calls do nothing. Never rejects. */
  load(): Promise<void>;
  /** A turn of this session has ended, after so many answers. Written in the background. */
  note(sessionID: string, answers: number): void;
  /** Further requests to expect of a session that has had so many answers. */
  expectMore(answers: number): number;
  /** Resolves when everything is written. */
  onIdle(): Promise<void>;
}

/** The file, in the project. */
export const SESSION_LENGTHS = ".opencode/strata/state/session-lengths.json";

const SOURCE = "micro-compact";
const MOST_SESSIONS = 50;
/** Before anything is known: a session goes on for as long as it has, and for 20 requests at least. It counts as two. */
const ASSUMED = { sessions: 2, least: 20 };

type Lengths = ReadonlyMap<string, number>;

export function createSessionLengths({
  family,
  files,
  folders,
  log,
}: Pick<LayerContext, "family" | "files" | "folders" | "log">): SessionLengths {
  const writes = new PQueue({ concurrency: 1 });
  const lengths = new Map<string, number>();
  const path = folders.sessionLengths;
  const stored = createStateFile<Lengths>({
    files,
    parse,
    format: (known) => formatState({ answers: Object.fromEntries(known) }),
    fresh: new Map(),
    complain: { log, source: SOURCE, anew: "the length of sessions is learned anew" },
  });
  let loading: Promise<void> | undefined;

  return {
    load() {
      loading ??= stored.read(path).then((known) => {
        for (const [id, answers] of known) lengths.set(id, Math.max(answers, lengths.get(id) ?? 0));
      });
      return loading;
    },

    note(sessionID, answers) {
      if (family.knownParent(sessionID) !== undefined || (lengths.get(sessionID) ?? 0) >= answers) return;
      lengths.set(sessionID, answers);
      void writes.add(write);
    },

    onIdle: () => writes.onIdle(),
    expectMore: (answers) => expectMore([...lengths.values()], answers),
  };

  /** Other instances write the same file; the longest length of a session counts. */
  async function write(): Promise<void> {
    try {
      const known = new Map(await stored.read(path));
      for (const [id, answers] of lengths) {
        const longest = Math.max(answers, known.get(id) ?? 0);
        known.delete(id);
        known.set(id, longest);
      }
      await stored.write(path, new Map([...known].slice(-MOST_SESSIONS)));
    } catch (thrown) {
      log.warn(
        SOURCE,
        `cannot write ${path}, the length of sessions is learned again: ${formatError(thrown)}`,
      );
    }
  }
}

/** The mean rest of the sessions that were longer. Pure. */
export function expectMore(lengths: readonly number[], answers: number): number {
  const rests = lengths.filter((length) => length > answers).map((length) => length - answers);
  const assumed = ASSUMED.sessions * Math.max(ASSUMED.least, answers);
  return (rests.reduce((sum, rest) => sum + rest, 0) + assumed) / (rests.length + ASSUMED.sessions);
}

function parse(text: string): Lengths | undefined {
  const state: unknown = JSON.parse(text);
  if (!isRecord(state) || !isRecord(state.answers)) return undefined;
  const entries = Object.entries(state.answers);
  return new Map(
    entries.flatMap(([id, answers]) => (typeof answers === "number" ? [[id, answers] as const] : [])),
  );
}
