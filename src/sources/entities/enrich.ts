/** Asks forges about entities, one request at a time, as GitHub demands. */
import { type Asked, type AskOptions, askForge, type Limit } from "./ask-forge.js";
import type { EntityFact } from "./entity-fact.js";
import { formatLocated, type LocatedEntity } from "./forges.js";
import type { KnownFacts } from "./known-facts.js";

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
