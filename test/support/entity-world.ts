/** Entities of a project of GitHub or GitLab, on in-memory files. */
import type { Config } from "../../src/config/schema.js";
import type { Get } from "../../src/io/post.js";
import { openEntities } from "../../src/sources/entities/entities.js";
import { type EntityFact, formatFact } from "../../src/sources/entities/forges.js";
import { type EntityName, parseEntityName } from "../../src/text/entities.js";
import { createFakeClock } from "./fake-clock.js";
import { createMemoryFiles } from "./memory-files.js";
import { defaults } from "./settings.js";

interface Given {
  env?: Record<string, string>;
  get?: Get;
  hosts?: Config["recall"]["entities"]["hosts"];
  remote?: string;
}

export async function openEntityWorld(given: Given) {
  const { env = {}, get, hosts = [], remote = "https://github.com/acme/shop" } = given;
  const entities = await openEntities({
    ...{ clock: createFakeClock(), get, project: "/project" },
    config: { recall: { ...defaults.recall, entities: { hosts } } },
    files: createMemoryFiles({
      "/project/.git/HEAD": "x",
      "/project/.git/config": `[remote "origin"]\n\turl = ${remote}\n`,
    }),
    readVariable: (name) => env[name],
  });
  return {
    /** Asks about these entities and returns the facts in words. */
    async ask(...texts: string[]) {
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
