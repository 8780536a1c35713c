/**
 * Facts of GitLab and GitHub about merge requests, issues and epics. What reads them and asks for them is loaded only if
 * there is something to read or to ask for.
 */
import { formatError } from "../../base/error.js";
import type { EntityFact } from "./ask-forge.js";
import type { Entities, EntitiesOptions } from "./entities.js";

export interface OpenEntities {
  /** Reads known facts, and asks about the entities in this text if the user has allowed it. Never rejects. */
  prepare(text?: string): Promise<void>;
  /** Known facts about the entities that the text names, in its order. Never waits. */
  find(text: string): readonly EntityFact[];
  /** For `strata enrich`. */
  load(): Promise<Entities>;
}

export function openEntities(options: EntitiesOptions): OpenEntities {
  const { config, files, folders, log } = options;
  const mayAsk = config.recall.entities.background;
  let loading: Promise<Entities> | undefined;
  let loaded: Entities | undefined;

  return {
    async prepare(text = "") {
      try {
        if (!mayAsk && !loaded && !(await files.stat(folders.entities))) return;
        const entities = await load();
        await entities.load();
        if (mayAsk) await entities.refresh(text);
      } catch (thrown) {
        log.warn("entities", `cannot read known facts about issues: ${formatError(thrown)}`);
      }
    },
    find: (text) => loaded?.find(text) ?? [],
    load,
  };

  function load(): Promise<Entities> {
    loading ??= import("./entities.js").then(({ createEntities }) => {
      loaded = createEntities(options);
      return loaded;
    });
    return loading;
  }
}

/** `issue, open, by alice, labels bug, api: "Login fails"`; the caller adds the age. */
export function formatFact({ author, kind, labels, state, title }: EntityFact): string {
  if (state === "none") return `${kind}, not there or not visible`;
  const by = author === undefined ? "" : `, by ${author}`;
  const labelled = labels.length === 0 ? "" : `, labels ${labels.join(", ")}`;
  return `${kind}, ${state}${by}${labelled}: ${JSON.stringify(title)}`;
}
