/** A forge's facts about a merge request, issue or epic. Untrusted text: bounded, on one line, without secrets. */
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import { count, isRecord, list, object, oneOf, optional, parserOf, string } from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { toSafeLine, withoutMark } from "../../text/text.js";
import { formatLocated, type LocatedEntity } from "./forges.js";

export interface EntityFact {
  /** `github.com/acme/shop#34` */
  id: string;
  kind: EntityKind;
  /** "none": it does not exist, or the token may not see it. */
  state: EntityState;
  title: string;
  author?: string;
  labels: string[];
  /** When the forge answered. */
  askedMs: number;
}

export const kinds = ["issue", "merge request", "pull request", "epic"] as const;
export type EntityKind = (typeof kinds)[number];

export const states = ["open", "draft", "merged", "closed", "not planned", "duplicate", "none"] as const;
export type EntityState = (typeof states)[number];

const LONGEST_TITLE = 200;
const LONGEST_NAME = 60;
const MOST_LABELS = 10;
/** Maximum number of facts on disk. */
export const MOST_FACTS = 1_000;

/** How long an answer is used before the next request: merged and closed entities seldom change. */
const FRESH_MS: Readonly<Record<EntityState, number>> = {
  open: DAY_MS / 4,
  draft: DAY_MS / 4,
  merged: 30 * DAY_MS,
  closed: 7 * DAY_MS,
  "not planned": 7 * DAY_MS,
  duplicate: 7 * DAY_MS,
  none: DAY_MS,
};

/** Also false for an answer from the future, recorded before the clock was set back. */
export function isFresh({ askedMs, state }: EntityFact, nowMs: number): boolean {
  const ageMs = nowMs - askedMs;
  return ageMs >= 0 && ageMs < FRESH_MS[state];
}

export interface Said extends Omit<EntityFact, "id" | "askedMs" | "author"> {
  author?: unknown;
}

/** The fact as saved. */
export function toFact(
  located: LocatedEntity,
  { author, kind, labels, state, title }: Said,
  askedMs: number,
): EntityFact {
  const by = typeof author === "string" && author !== "" ? { author } : {};
  return boundFact({ id: formatLocated(located), kind, state, title, ...by, labels, askedMs });
}

/** The fact with cleaned texts. Also for facts from the state file, which another program may have written. */
export const boundFact = ({ author, labels, title, ...fact }: EntityFact): EntityFact => ({
  ...fact,
  title: clean(title, LONGEST_TITLE),
  ...(author !== undefined && { author: clean(author, LONGEST_NAME) }),
  labels: labels.slice(0, MOST_LABELS).map((label) => clean(label, LONGEST_NAME)),
});

const clean = (text: string, limit: number): string => withoutMark(toSafeLine(text, limit));

const parseFact = parserOf(
  object<EntityFact>({
    id: string,
    kind: oneOf(kinds),
    state: oneOf(states),
    title: string,
    author: optional(string),
    labels: list(string),
    askedMs: count,
  }),
);

/** The newest facts in the text of a state file, by id, unchanged. Skips invalid records. */
export function parseFacts(text: string): ReadonlyMap<string, EntityFact> | undefined {
  const state: unknown = JSON.parse(text);
  if (!isRecord(state) || !Array.isArray(state.facts)) return undefined;
  const facts = state.facts.slice(-MOST_FACTS).flatMap((given) => parseFact(given) ?? []);
  return new Map(facts.map((fact) => [fact.id, fact]));
}

/*
 * Forges' facts on disk: one file of machine state. A process rereads it and then writes it whole; of two that
 * write at once, the last one wins, which costs only a repeated request.
 */

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
