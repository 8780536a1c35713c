/**
 * Merge requests, issues and epics with their forge's facts: kept in a file of machine state, asked for on request or, if
 * the user has allowed it, in the background.
 */
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import type { Config } from "../../config/schema.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import type { Get } from "../../io/post.js";
import { createStateFile, formatState } from "../../io/state-file.js";
import { isConfidential, type Memory } from "../../memory/memory.js";
import type { Folders } from "../../project/folders.js";
import { type EntityName, findEntityNames, formatEntityName, parseEntityName } from "../../text/entities.js";
import {
  boundFact,
  type EntityFact,
  type EntityState,
  formatLocated,
  type Home,
  type LocatedEntity,
  locateEntity,
  MOST_FACTS,
  parseFacts,
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
  /**
   * Reads known facts, and if the user has allowed it, asks about the entities of the project's own forge project that the
   * text names, unless a recent answer is known. Only `strata enrich` asks about entities of other projects. Never rejects.
   */
  prepare(text?: string): Promise<void>;
  /** Reads the facts and the project's remotes from disk. Rejects with the system's error. */
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
/** Older facts are not kept. */
const KEPT_MS = 90 * DAY_MS;

/** How long an answer is used before the next request: merged and closed entities seldom change. */
const FRESH_MS: Readonly<Record<EntityState, number>> = {
  ...{ open: DAY_MS / 4, draft: DAY_MS / 4, none: DAY_MS, merged: 30 * DAY_MS },
  ...{ closed: 7 * DAY_MS, "not planned": 7 * DAY_MS, duplicate: 7 * DAY_MS },
};

type Known = ReadonlyMap<string, EntityFact>;

export function createEntities(options: EntitiesOptions): Entities {
  const { clock, config, files, folders, log } = options;
  const forges = planForges(config.recall.entities.hosts);
  const stored = createStateFile<Known>({
    files,
    parse: parseFacts,
    format: (facts) => formatState({ facts: [...facts.values()] }),
    fresh: new Map(),
    complain: { log, source: SOURCE, anew: "titles and states are asked for again" },
  });
  const ask = createAsking(options);
  let home: Home | undefined;
  let known: Known = new Map();
  const plan = (names: readonly EntityName[]): EnrichmentPlan =>
    planEnrichment(names, { forges, home, known, nowMs: clock.now() });

  return {
    async prepare(text = "") {
      const mayAsk = config.recall.entities.background;
      try {
        if (!mayAsk && known.size === 0 && !(await files.stat(folders.entities))) return;
        await load();
        const due = mayAsk ? plan(findEntityNames(text)).due.filter((one) => isOf(one, home)) : [];
        const { problems } = await enrich(due.slice(0, MOST_REFRESHED));
        for (const problem of problems) log.warn(SOURCE, problem);
      } catch (thrown) {
        log.warn(SOURCE, `cannot read known facts about issues: ${formatError(thrown)}`);
      }
    },

    load,

    find(text) {
      const places = findEntityNames(text).map((name) => locateEntity(name, { forges, home }));
      const ids = places.flatMap((place) => (typeof place === "string" ? [] : [formatLocated(place)]));
      return [...new Set(ids)].flatMap((id) => known.get(id) ?? []).map(boundFact);
    },

    plan,
    enrich,
  };

  async function load(): Promise<void> {
    try {
      home = await readHome(files, folders.project, forges);
    } catch (thrown) {
      log.warn(SOURCE, `cannot read the project's git remotes: ${formatError(thrown)}`);
    }
    known = await stored.read(folders.entities);
  }

  async function enrich(
    due: readonly LocatedEntity[],
    { onStep, signal }: EnrichRun = {},
  ): Promise<Enrichment> {
    const facts: EntityFact[] = [];
    const problems = new Set<string>();
    for (const [n, located] of due.entries()) {
      if (signal?.aborted) break;
      onStep?.(n, due.length);
      const { fact, why } = await ask(located, signal);
      if (fact) facts.push(fact);
      else if (why !== undefined) problems.add(why);
      if (fact) await keep(fact);
    }
    return { facts, problems: [...problems], left: due.length - facts.length };
  }

  /** Of two processes that write at once the last one wins, which costs only a repeated request. Never rejects. */
  async function keep(fact: EntityFact): Promise<void> {
    const { entities: path } = folders;
    known = keepNewest([...known.values(), ...(await stored.read(path)).values(), fact], clock.now());
    await stored
      .write(path, known)
      .catch((thrown) =>
        log.warn(SOURCE, `cannot write ${path}, its facts are asked for again: ${formatError(thrown)}`),
      );
  }
}

/** What a forge answers. One that wants no more requests, or gives no answer, is not asked for a while. */
function createAsking({ clock, get, readVariable }: EntitiesOptions) {
  /** By a forge's API. */
  const pauses = new Map<string, { untilMs: number; why: string }>();

  return async (located: LocatedEntity, signal: AbortSignal | undefined) => {
    const { api } = located.forge;
    const pause = pauses.get(api);
    if (pause && clock.now() < pause.untilMs) return { why: pause.why };
    const { askForge } = await import("./ask-forge.js");
    const { fact, why, untilMs } = await askForge(located, { clock, get, readVariable, signal });
    if (signal?.aborted) return {};
    if (untilMs !== undefined && why !== undefined) pauses.set(api, { untilMs, why });
    return { fact, why };
  };
}

/** Is it on the project's own forge, in its project or its group? */
function isOf({ forge, name: { sign }, path }: LocatedEntity, home: Home | undefined): boolean {
  if (forge.api !== home?.forge.api) return false;
  return sign === "&" ? home.path.startsWith(`${path}/`) : path === home.path;
}

/** The newest fact per entity, without old facts and those of the future, which would never be replaced. */
function keepNewest(facts: readonly EntityFact[], nowMs: number): Known {
  const kept = facts.filter(({ askedMs }) => askedMs <= nowMs && nowMs - askedMs < KEPT_MS);
  const newest = new Map(kept.toSorted((a, b) => a.askedMs - b.askedMs).map((one) => [one.id, one]));
  return new Map([...newest].slice(-MOST_FACTS));
}

function planEnrichment(
  names: readonly EntityName[],
  { known, nowMs, ...places }: Parameters<typeof locateEntity>[1] & { known: Known; nowMs: number },
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
