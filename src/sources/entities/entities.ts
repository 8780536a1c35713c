/**
 * Merge requests, issues and epics with their forge's facts: kept in a file of machine state, asked for on request or, if
 * the user has allowed it, in the background.
 */
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import { count, isRecord, list, object, oneOf, optional, parserOf, string } from "../../base/shape.js";
import type { Config } from "../../config/schema.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import { fetchGet, type Get } from "../../io/post.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { isConfidential, type Memory } from "../../memory/memory.js";
import type { Folders } from "../../project/folders.js";
import {
  type EntityName,
  findEntityNames,
  formatEntityName,
  parseEntityName,
} from "../../recall/entities.js";
import { askForge, boundFact, type EntityFact, type EntityState, kinds, states } from "./ask-forge.js";
import {
  type Forge,
  formatLocated,
  type Home,
  type LocatedEntity,
  locateEntity,
  planForges,
  readHome,
} from "./forges.js";

export interface EntitiesOptions {
  clock: Clock;
  config: Pick<Config, "recall">;
  files: Files;
  log: Pick<Log, "warn">;
  folders: Pick<Folders, "entities" | "project">;
  readVariable(name: string): string | undefined;
  /** Replaced in tests only. */
  get?: Get | undefined;
}

export interface Entities {
  /** Reads the facts and the project's remotes from disk. Never rejects. */
  load(): Promise<void>;
  /** Known facts about the entities that the text names, in its order, as last loaded. */
  find(text: string): EntityFact[];
  /** Entities never asked about come first, then those asked about longest ago; else in the given order. */
  plan(names: readonly EntityName[]): EnrichmentPlan;
  /**
   * Asks about each, in this order and one at a time as GitHub demands, and saves the answers. A forge that wants no more
   * requests, or gives no answer, gets none for a while. Never rejects.
   */
  enrich(due: readonly LocatedEntity[], run?: EnrichRun): Promise<Enrichment>;
  /**
   * Asks about the entities of the project's own forge project that the text names, unless a recent answer is known. Only
   * `strata enrich` asks about entities of other projects. Never rejects.
   */
  refresh(text: string): Promise<void>;
}

export interface EnrichmentPlan {
  /** To ask about, in this order. */
  due: LocatedEntity[];
  /** Known from a recent answer. */
  fresh: LocatedEntity[];
  /** By an entity's text: why it cannot be asked about. */
  nowhere: ReadonlyMap<string, string>;
}

export interface EnrichRun {
  signal?: AbortSignal;
  onStep?(done: number, all: number): void;
}

export interface Enrichment {
  facts: EntityFact[];
  /** Distinct sentences about failed requests. */
  problems: string[];
  /** Number of entities without an answer. */
  left: number;
}

const SOURCE = "entities";
/** Maximum number of background requests for one text. */
const MOST_REFRESHED = 5;
/** Maximum number and age of facts on disk. */
const MOST_FACTS = 1_000;
const KEPT_MS = 90 * DAY_MS;

/** How long an answer is used before the next request: merged and closed entities seldom change. */
const FRESH_MS: Readonly<Record<EntityState, number>> = {
  ...{ open: DAY_MS / 4, draft: DAY_MS / 4, none: DAY_MS, merged: 30 * DAY_MS },
  ...{ closed: 7 * DAY_MS, "not planned": 7 * DAY_MS, duplicate: 7 * DAY_MS },
};

type Known = ReadonlyMap<string, EntityFact>;

export function createEntities(options: EntitiesOptions): Entities {
  const { clock, config, files, folders, get = fetchGet, log, readVariable } = options;
  const forges = planForges(config.recall.entities.hosts);
  const stored = createStateFile<Known>({
    files,
    parse: parseFacts,
    format: (facts) => formatState({ facts: [...facts.values()] }),
    fresh: new Map(),
    complain: { log, source: SOURCE, anew: "titles and states are asked for again" },
  });
  /** By a forge's API. */
  const pauses = new Map<string, { untilMs: number; why: string }>();
  const told = new Set<string>();
  let home: Home | undefined;
  let known: Known = new Map();

  return {
    async load() {
      try {
        home = await readHome(files, folders.project, forges);
      } catch (thrown) {
        tell(`cannot read the project's git remotes: ${formatError(thrown)}`);
      }
      known = await stored.read(folders.entities);
    },

    find(text) {
      const places = findEntityNames(text).map((name) => locateEntity(name, { forges, home }));
      const ids = places.flatMap((place) => (typeof place === "string" ? [] : [formatLocated(place)]));
      return [...new Set(ids)].flatMap((id) => known.get(id) ?? []).map(boundFact);
    },

    plan: (names) => planEnrichment(names, { forges, home, known, nowMs: clock.now() }),
    enrich,

    async refresh(text) {
      const own = this.plan(findEntityNames(text)).due.filter(({ forge, name: { sign }, path }) => {
        if (forge.api !== home?.forge.api) return false;
        return sign === "&" ? home.path.startsWith(`${path}/`) : path === home.path;
      });
      const { problems } = await enrich(own.slice(0, MOST_REFRESHED));
      for (const problem of problems) tell(problem);
    },
  };

  async function enrich(
    due: readonly LocatedEntity[],
    { onStep, signal }: EnrichRun = {},
  ): Promise<Enrichment> {
    const facts: EntityFact[] = [];
    const problems = new Set<string>();
    for (const [n, located] of due.entries()) {
      if (signal?.aborted) break;
      onStep?.(n, due.length);
      const { api } = located.forge;
      const pause = pauses.get(api);
      if (pause && clock.now() < pause.untilMs) {
        problems.add(pause.why);
        continue;
      }
      const wasThere = (known.get(formatLocated(located))?.state ?? "none") !== "none";
      const { fact, why, untilMs } = await askForge(located, { clock, get, readVariable, wasThere, signal });
      if (signal?.aborted) break;
      if (untilMs !== undefined && why !== undefined) pauses.set(api, { untilMs, why });
      if (fact) facts.push(fact);
      else if (why !== undefined) problems.add(why);
      if (fact) await keep(fact);
    }
    return { facts, problems: [...problems], left: due.length - facts.length };
  }

  /**
   * In memory and on disk, without old facts and those of the future, which would never be replaced. Of two processes that
   * write at once the last one wins, which costs only a repeated request. Never rejects.
   */
  async function keep(fact: EntityFact): Promise<void> {
    const nowMs = clock.now();
    const all = [...known.values(), ...(await stored.read(folders.entities)).values(), fact]
      .filter(({ askedMs }) => askedMs <= nowMs && nowMs - askedMs < KEPT_MS)
      .toSorted((a, b) => a.askedMs - b.askedMs);
    const newest = new Map(all.map((one) => [one.id, one]));
    known = new Map([...newest].slice(-MOST_FACTS));
    try {
      await stored.write(folders.entities, known);
    } catch (thrown) {
      log.warn(
        SOURCE,
        `cannot write ${folders.entities}, its facts are asked for again: ${formatError(thrown)}`,
      );
    }
  }

  /** Logs each sentence once. */
  function tell(problem: string): void {
    if (!told.has(problem)) log.warn(SOURCE, problem);
    told.add(problem);
  }
}

function planEnrichment(
  names: readonly EntityName[],
  {
    known,
    nowMs,
    ...places
  }: { forges: readonly Forge[]; home: Home | undefined; known: Known; nowMs: number },
): EnrichmentPlan {
  const located = new Map<string, LocatedEntity>();
  const nowhere = new Map<string, string>();
  for (const name of names) {
    const place = locateEntity(name, places);
    if (typeof place === "string") nowhere.set(formatEntityName(name), place);
    else located.set(formatLocated(place), place);
  }
  const isFresh = (id: string): boolean => {
    const { askedMs = 0, state = "none" } = known.get(id) ?? {};
    // An answer from the future was recorded before the clock was set back.
    return askedMs <= nowMs && nowMs - askedMs < FRESH_MS[state];
  };
  const askedMs = (id: string): number => known.get(id)?.askedMs ?? 0;
  const sorted = [...located].toSorted(([a], [b]) => askedMs(a) - askedMs(b));
  const part = (wanted: boolean) => sorted.flatMap(([id, one]) => (isFresh(id) === wanted ? [one] : []));
  return { due: part(false), fresh: part(true), nowhere };
}

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
function parseFacts(text: string): Known | undefined {
  const state: unknown = JSON.parse(text);
  if (!isRecord(state) || !Array.isArray(state.facts)) return undefined;
  const facts = state.facts.slice(-MOST_FACTS).flatMap((given) => parseFact(given) ?? []);
  return new Map(facts.map((fact) => [fact.id, fact]));
}

/**
 * Entities in the user's own active memories; open blockers first. A repository must not choose requests with the
 * user's token, and no forge gets anything of private memories, not even the name of a project.
 */
export function findNamesIn(memories: readonly Memory[]): EntityName[] {
  const own = memories.filter(
    (memory) => !memory.isForeign && !isConfidential(memory) && memory.status === "active",
  );
  const sorted = own.toSorted((a, b) => Number(b.type === "blocker") - Number(a.type === "blocker"));
  return sorted.flatMap(({ content, entities, title }) => [
    ...entities.flatMap((entity) => parseEntityName(entity) ?? []),
    ...findEntityNames(`${title}\n${content}`),
  ]);
}
