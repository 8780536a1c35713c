/**
 * Facts of GitLab and GitHub about merge requests, issues and epics. What reads them and asks for them is loaded only if
 * there is something to read or to ask for.
 */
import { formatError } from "../../base/error.js";
import type { Config } from "../../config/schema.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { Log } from "../../io/log.js";
import type { Get } from "../../io/post.js";
import type { Folders } from "../../project/folders.js";
import type { Entities } from "./entities.js";

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
