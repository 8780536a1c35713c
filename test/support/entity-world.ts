/** Entities of a project of GitHub or GitLab, on in-memory files. */
import type { Config } from "../../src/config/schema.js";
import type { Get } from "../../src/io/post.js";
import { planFolders } from "../../src/project/folders.js";
import { createEntities, type Entities } from "../../src/sources/entities/entities.js";
import { type EntityFact, formatFact } from "../../src/sources/entities/forges.js";
import { type EntityName, parseEntityName } from "../../src/text/entities.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createFakeLog, type FakeLog } from "./fake-log.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { defaults } from "./settings.js";

export interface EntityWorld {
  entities: Entities;
  clock: FakeClock;
  files: MemoryFiles;
  log: FakeLog;
  /** Asks about these entities and returns the facts in words. */
  ask(...texts: string[]): Promise<{ facts: string[]; problems: string[]; left: number }>;
  reopen(): Promise<EntityWorld>;
}

export async function openEntityWorld({
  background = false,
  clock = createFakeClock(),
  env = {},
  get,
  hosts = [],
  remote = "https://github.com/acme/shop",
  files = createMemoryFiles({
    "/project/.git/HEAD": "x",
    "/project/.git/config": `[remote "origin"]\n\turl = ${remote}\n`,
  }),
}: {
  /** Asks about what a text names. */
  background?: boolean;
  clock?: FakeClock;
  env?: Record<string, string>;
  get?: Get;
  hosts?: Config["recall"]["entities"]["hosts"];
  remote?: string;
  files?: MemoryFiles;
}): Promise<EntityWorld> {
  const log = createFakeLog();
  const settings = { ...defaults.recall, entities: { background, hosts } };
  const entities = createEntities({
    ...{ clock, files, get, log },
    config: { recall: settings },
    folders: planFolders("/project"),
    readVariable: (name) => env[name],
  });
  await entities.load();
  return {
    ...{ entities, clock, files, log },
    async ask(...texts) {
      const { due } = entities.plan(texts.map(nameOf));
      const { facts, ...rest } = await entities.enrich(due);
      return { ...rest, facts: facts.map(inWords) };
    },
    reopen: () => openEntityWorld({ clock, env, hosts, files, ...(get && { get }) }),
  };
}

export function nameOf(text: string): EntityName {
  const name = parseEntityName(text);
  if (!name) throw new Error(`${text} is no entity`);
  return name;
}

const inWords = (fact: EntityFact): string => `${fact.id} ${formatFact(fact)}`;
