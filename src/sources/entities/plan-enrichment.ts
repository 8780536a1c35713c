/** Plans which entities to ask about. Pure. */
import type { Memory } from "../../memory/memory.js";
import { type EntityName, findEntityNames, parseEntityName } from "../../recall/entities.js";
import { type EntityFact, isFresh } from "./entity-fact.js";
import { type Forge, formatLocated, type Home, type LocatedEntity, locateEntity } from "./forges.js";

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
