/** Entities of a project of GitHub or GitLab, on in-memory files. */
import type { Config } from "../../src/config/schema.js";
import type { Get } from "../../src/io/post.js";
import { type Entities, openEntities } from "../../src/sources/entities/entities.js";
import { type EntityFact, formatFact } from "../../src/sources/entities/forges.js";
import { type EntityName, parseEntityName } from "../../src/text/entities.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createMemoryFiles } from "./memory-files.js";
import { defaults } from "./settings.js";

export interface EntityWorld {
  entities: Entities;
  clock: FakeClock;
  /** Asks about these entities and returns the facts in words. */
  ask(...texts: string[]): Promise<{ facts: string[]; problems: string[]; left: number }>;
}

export async function openEntityWorld({
  clock = createFakeClock(),
  env = {},
  get,
  hosts = [],
  remote = "https://github.com/acme/shop",
}: {
  clock?: FakeClock;
  env?: Record<string, string>;
  get?: Get;
  hosts?: Config["recall"]["entities"]["hosts"];
  remote?: string;
}): Promise<EntityWorld> {
  const entities = await openEntities({
    ...{ clock, get, project: "/project" },
    config: { recall: { ...defaults.recall, entities: { hosts } } },
    files: createMemoryFiles({
      "/project/.git/HEAD": "x",
      "/project/.git/config": `[remote "origin"]\n\turl = ${remote}\n`,
    }),
    readVariable: (name) => env[name],
  });
  return {
    ...{ entities, clock },
    async ask(...texts) {
      const { due } = entities.plan(texts.map(nameOf));
      const { facts, ...rest } = await entities.enrich(due);
      return { ...rest, facts: facts.map(inWords) };
    },
  };
}

function nameOf(text: string): EntityName {
  const name = parseEntityName(text);
  if (!name) throw new Error(`${text} is no entity`);
  return name;
}

const inWords = (fact: EntityFact): string => `${fact.id} ${formatFact(fact)}`;
