/**
 * Merge requests, issues and epics with their forge's facts: read from disk, looked up on request or, if the
 * user has allowed it, in the background. Loaded only if there is something to read or look up.
 */
import { formatError } from "../../base/error.js";
import type { Config } from "../../config/schema.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import { fetchGet, type Get } from "../../io/post.js";
import type { Folders } from "../../project/folders.js";
import { type EntityName, findEntityNames } from "../../recall/entities.js";
import {
  createEnricher,
  type Enrichment,
  type EnrichmentPlan,
  type EnrichRun,
  planEnrichment,
} from "./enrich.js";
import { boundFact, createKnownFacts, type EntityFact, SOURCE } from "./entity-fact.js";
import { formatLocated, type Home, locateEntity, planForges, readHome } from "./forges.js";

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
  plan(names: readonly EntityName[]): EnrichmentPlan;
  /** Asks about them now and saves the answers. Never rejects. */
  enrich(due: EnrichmentPlan["due"], run?: EnrichRun): Promise<Enrichment>;
  /**
   * Asks about the entities of the project's own forge project that the text names, unless a recent
   * answer is known.
   * Never rejects. Only `strata enrich` asks about entities of other projects.
   */
  refresh(text: string): Promise<void>;
}

/** Maximum number of background requests for one text. */
const MOST_REFRESHED = 5;

export function createEntities(options: EntitiesOptions): Entities {
  const { clock, config, files, folders, get = fetchGet, log, readVariable } = options;
  const forges = planForges(config.recall.entities.hosts);
  const facts = createKnownFacts({ clock, files, log, path: folders.entities });
  const enricher = createEnricher({ clock, get, readVariable, facts });
  let home: Home | undefined;
  const told = new Set<string>();

  const plan = (names: readonly EntityName[]): EnrichmentPlan =>
    planEnrichment(names, { forges, home, known: facts.all(), nowMs: clock.now() });

  return {
    async load() {
      try {
        home = await readHome(files, folders.project, forges);
      } catch (thrown) {
        tell(`cannot read the project's git remotes: ${formatError(thrown)}`);
      }
      await facts.load();
    },

    find(text) {
      const places = findEntityNames(text).map((name) => locateEntity(name, { forges, home }));
      const ids = places.flatMap((place) => (typeof place === "string" ? [] : [formatLocated(place)]));
      const known = [...new Set(ids)].flatMap((id) => facts.all().get(id) ?? []);
      return known.map(boundFact);
    },

    plan,
    enrich: enricher.enrich,

    async refresh(text) {
      const { due } = plan(findEntityNames(text));
      const own = due.filter(({ forge, name: { sign }, path: at }) => {
        if (forge.api !== home?.forge.api) return false;
        return sign === "&" ? home.path.startsWith(`${at}/`) : at === home.path;
      });
      const { problems } = await enricher.enrich(own.slice(0, MOST_REFRESHED));
      for (const problem of problems) tell(problem);
    },
  };

  /** Logs each sentence once. */
  function tell(problem: string): void {
    if (!told.has(problem)) log.warn(SOURCE, problem);
    told.add(problem);
  }
}
