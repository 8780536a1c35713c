/**
 * Forges' facts on disk: one file of machine state. A process rereads it and then writes it whole; of two that
 * write at once, the last one wins, which costs only a repeated request.
 */
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { type EntityFact, MOST_FACTS, parseFacts } from "./entity-fact.js";

export interface KnownFacts {
  /** Reads the file; an unreadable one counts as empty and is logged. Never rejects. */
  load(): Promise<void>;
  /** Facts as last read or added. */
  all(): ReadonlyMap<string, EntityFact>;
  /** Keeps the facts in memory and on disk. Never rejects: facts that cannot be written are asked for again. */
  add(facts: readonly EntityFact[]): Promise<void>;
}

export interface KnownFactsOptions {
  clock: Clock;
  files: Files;
  log: Pick<Log, "warn">;
  path: string;
}

export const SOURCE = "entities";
const KEPT_MS = 90 * DAY_MS;

type Stored = ReadonlyMap<string, EntityFact>;

export function createKnownFacts({ clock, files, log, path }: KnownFactsOptions): KnownFacts {
  const stored = createStateFile<Stored>({
    files,
    parse: parseFacts,
    format: (facts) => formatState({ facts: [...facts.values()] }),
    fresh: new Map(),
    complain: { log, source: SOURCE, anew: "titles and states are asked for again" },
  });
  let known: Stored = new Map();

  return {
    async load() {
      known = await stored.read(path);
    },

    all: () => known,

    async add(facts) {
      if (facts.length === 0) return;
      known = keepNewest([...known.values(), ...(await stored.read(path)).values(), ...facts], clock.now());
      try {
        await stored.write(path, known);
      } catch (thrown) {
        log.warn(SOURCE, `cannot write ${path}, its facts are asked for again: ${formatError(thrown)}`);
      }
    },
  };
}

/** The newest fact per entity, without old ones and those of the future, which would never be replaced. */
function keepNewest(facts: readonly EntityFact[], nowMs: number): Stored {
  const sorted = facts.filter((fact) => isKept(fact, nowMs)).toSorted((a, b) => a.askedMs - b.askedMs);
  const newest = new Map<string, EntityFact>();
  for (const fact of sorted) {
    newest.delete(fact.id);
    newest.set(fact.id, fact);
  }
  return new Map([...newest].slice(-MOST_FACTS));
}

const isKept = ({ askedMs }: EntityFact, nowMs: number): boolean =>
  askedMs <= nowMs && nowMs - askedMs < KEPT_MS;
