/** Asks forges about entities, one request at a time, as GitHub demands. */
import type { Memory } from "../../memory/memory.js";
import { type EntityName, findEntityNames, parseEntityName } from "../../recall/entities.js";
import { type Asked, type AskOptions, askForge, type Limit } from "./ask-forge.js";
import { type EntityFact, isFresh, type KnownFacts } from "./entity-fact.js";
import { type Forge, formatLocated, type Home, type LocatedEntity, locateEntity } from "./forges.js";

export interface Enricher {
  /** Asks about each entity, in this order, and saves the answers. Never rejects. */
  enrich(due: readonly LocatedEntity[], run?: EnrichRun): Promise<Enrichment>;
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

/** Number of answers per write, so that a killed process loses few. */
const WRITTEN_AFTER = 20;
/** Pause after a forge has failed. */
const AFTER_FAILURE_MS = 60_000;
/** Number of refusals in a row after which the forge is paused. */
const MOST_REFUSALS = 3;

export function createEnricher(
  options: Omit<AskOptions, "signal" | "wasThere"> & { facts: Pick<KnownFacts, "add" | "all"> },
): Enricher {
  const { clock, facts: known } = options;
  const pauses = createPauses(clock.now);

  return {
    async enrich(due, { onStep, signal } = {}) {
      const facts: EntityFact[] = [];
      const problems = new Set<string>();
      let written = 0;
      for (const [n, located] of due.entries()) {
        if (signal?.aborted) break;
        onStep?.(n, due.length);
        const { api } = located.forge;
        const why = pauses.why(api);
        if (why !== undefined) {
          problems.add(why);
          continue;
        }
        const before = known.all().get(formatLocated(located))?.state ?? "none";
        const asked = await askForge(located, {
          ...{ ...options, wasThere: before !== "none" },
          ...(signal && { signal }),
        });
        if (signal?.aborted) break;
        pauses.note(api, asked);
        if (asked.kind === "fact") facts.push(asked.fact);
        else problems.add(asked.kind === "limited" ? asked.limit.why : asked.why);
        if (facts.length - written < WRITTEN_AFTER) continue;
        await known.add(facts.slice(written));
        written = facts.length;
      }
      await known.add(facts.slice(written));
      return { facts, problems: [...problems], left: due.length - facts.length };
    },
  };
}

/** Paused forges, by their API. */
function createPauses(now: () => number) {
  const pauses = new Map<string, Limit>();
  const refusals = new Map<string, number>();

  return {
    /** Why the forge is paused; `undefined` if it is not. */
    why(api: string): string | undefined {
      const pause = pauses.get(api);
      return pause && now() < pause.untilMs ? pause.why : undefined;
    },

    note(api: string, asked: Asked): void {
      refusals.set(api, asked.kind === "refused" ? (refusals.get(api) ?? 0) + 1 : 0);
      if (asked.kind === "refused" && (refusals.get(api) ?? 0) < MOST_REFUSALS) return;
      if (asked.kind === "failed" || asked.kind === "refused")
        pauses.set(api, { untilMs: now() + AFTER_FAILURE_MS, why: asked.why });
      else if (asked.limit) pauses.set(api, asked.limit);
    },
  };
}

/* Plans which entities to ask about. Pure. */

export interface EnrichmentPlan {
  /** To ask about, in this order. */
  due: LocatedEntity[];
  /** Known from a recent answer. */
  fresh: LocatedEntity[];
  /** By an entity's text: why it cannot be asked about. */
  nowhere: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  forges: readonly Forge[];
  home: Home | undefined;
  known: ReadonlyMap<string, EntityFact>;
  nowMs: number;
}

/** Entities never asked about come first, then those asked about longest ago; else in the given order. */
export function planEnrichment(
  names: readonly EntityName[],
  { forges, home, known, nowMs }: PlanOptions,
): EnrichmentPlan {
  const located = new Map<string, LocatedEntity>();
  const nowhere = new Map<string, string>();
  for (const name of names) {
    const place = locateEntity(name, { forges, home });
    if (typeof place === "string") nowhere.set(`${name.path ?? ""}${name.sign}${name.number}`, place);
    else located.set(formatLocated(place), place);
  }
  const askedMs = (id: string): number => known.get(id)?.askedMs ?? 0;
  const isKnown = (id: string): boolean => {
    const fact = known.get(id);
    return fact !== undefined && isFresh(fact, nowMs);
  };
  const sorted = [...located].toSorted(([a], [b]) => askedMs(a) - askedMs(b));
  const part = (wanted: boolean) => sorted.flatMap(([id, one]) => (isKnown(id) === wanted ? [one] : []));
  return { due: part(false), fresh: part(true), nowhere };
}

/**
 * Entities in the user's own active memories; open blockers first. A repository must not choose requests with the
 * user's token, and no forge gets anything of private memories, not even the name of a project.
 */
export function findNamesIn(memories: readonly Memory[]): EntityName[] {
  const own = memories.filter(
    ({ isForeign, sensitivity, status }) => !isForeign && sensitivity !== "private" && status === "active",
  );
  const isBlocker = ({ type }: Memory): boolean => type === "blocker";
  const sorted = [...own.filter(isBlocker), ...own.filter((memory) => !isBlocker(memory))];
  return sorted.flatMap(({ content, entities, title }) => [
    ...entities.flatMap((entity) => parseEntityName(entity) ?? []),
    ...findEntityNames(`${title}\n${content}`),
  ]);
}
