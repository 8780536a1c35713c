/** `strata enrich`: asks GitLab and GitHub about the merge requests, issues and epics that memories name. */
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { formatCount, formatCounted } from "../base/format.js";
import type { Memory } from "../memory/memory.js";
import {
  type EnrichmentPlan,
  type Entities,
  findNamesIn,
  openEntities,
} from "../sources/entities/entities.js";
import { type EntityFact, type EntityState, formatFact, formatLocated } from "../sources/entities/forges.js";
import { type EntityName, findEntityNames, parseEntityName } from "../text/entities.js";
import { runLong, WRONG_ARGUMENT } from "./command.js";
import { withMemories } from "./open-memories.js";
import { amount, defineTerminalOperation, flag, names, REFUSED } from "./operation.js";
import type { Project } from "./project.js";

const OVER: ReadonlySet<EntityState> = new Set(["merged", "closed", "not planned", "duplicate"]);

const input = z.object({
  entities: names.default([]),
  limit: amount(1_000, 100, "maximum number of requests"),
  dryRun: flag.default(false).describe("shows what would be asked about; sends nothing"),
});

export const enrich = defineTerminalOperation(input, async (project, wanted) => {
  const { cli } = project;
  const given = wanted.entities.map(requireEntity);
  const entities = await openProjectEntities(project);
  const memories = await withMemories(project, (store) => store.list());
  const isGiven = given.length > 0;
  const plan = entities.plan(isGiven ? given : findNamesIn(memories));
  const { due } = plan;
  const chosen = due.slice(0, wanted.limit);
  const nowhere = [...plan.nowhere].map(([entity, why]) => ({ entity, why }));
  if (wanted.dryRun) {
    const wouldAsk = chosen.map(formatLocated);
    const text = [...wouldAsk, `Would ask about ${formatEntities(wouldAsk.length)}. Nothing was sent.`];
    const data = { wouldAsk, nowhere, left: due.length - chosen.length };
    return { text: text.join("\n"), data, notes: formatNowhere(plan) };
  }
  // Ctrl-C stops the requests and keeps the answers so far.
  const { facts, isStopped, problems, ...asked } = await runLong(
    cli,
    "Asking",
    async ({ signal }, onStep) => {
      const enrichment = await entities.enrich(chosen, { signal, onStep });
      return { ...enrichment, isStopped: signal.aborted };
    },
  );
  if (problems.length > 0 && facts.length === 0) throw new StrataError(REFUSED, problems.join("\n"));
  const left = asked.left + due.length - chosen.length;
  const settled = findSettled(memories, entities, facts);
  const later = left > 0 ? `; ${formatEntities(left)} left` : "";
  return {
    text: [
      ...facts.map(formatFactLine),
      `Asked about ${formatEntities(facts.length)}${later}.`,
      ...settled.map(
        ({ blocker, entity, state }) =>
          `${blocker} is open, but ${entity} is ${state}; strata memory edit ${blocker} if it is resolved`,
      ),
    ].join("\n"),
    data: { facts, problems, nowhere, settled, left },
    notes: [...formatNowhere(plan), ...problems.map((problem) => `strata: ${problem}`)],
    isProblem: isStopped || problems.length > 0 || (isGiven && nowhere.length > 0),
  };
});

/** Requests to GitLab and GitHub about the project's merge requests, issues and epics. */
export async function openProjectEntities({ cli, folders, settings }: Project): Promise<Entities> {
  const { config } = await settings();
  const readVariable = (name: string): string | undefined => cli.env[name];
  const { clock, files, get } = cli;
  return openEntities({ clock, config, files, project: folders.project, readVariable, get });
}

/** `github.com/acme/shop#34  issue, open, by alice: "Login fails"` */
export const formatFactLine = (fact: EntityFact): string => `${fact.id}  ${formatFact(fact)}`;

export function requireEntity(text: string): EntityName {
  const name = parseEntityName(text);
  const why = `"${text}" is not a merge request, issue or epic; write !12, #34, &5, acme/shop#34 or its URL`;
  if (!name) throw new StrataError(WRONG_ARGUMENT, why);
  return name;
}

/** Open blockers that name a closed or merged entity. */
function findSettled(
  memories: readonly Memory[],
  { identify }: Pick<Entities, "identify">,
  facts: readonly EntityFact[],
) {
  const isOpen = ({ isForeign, status, type }: Memory): boolean =>
    type === "blocker" && status === "active" && !isForeign;
  return memories.filter(isOpen).flatMap((blocker) => {
    const text = [blocker.title, blocker.content, ...blocker.entities].join("\n");
    const named = new Set(findEntityNames(text).map(identify));
    const over = facts.filter(({ id, state }) => OVER.has(state) && named.has(id));
    return over.map(({ id, state }) => ({ blocker: blocker.id, entity: id, state }));
  });
}

/** One line per reason: memories may name hundreds of entities that cannot be asked about. */
const formatNowhere = ({ nowhere }: EnrichmentPlan): string[] =>
  [...new Set(nowhere.values())].map((why) => {
    const [first, ...others] = [...nowhere].flatMap(([entity, reason]) => (reason === why ? [entity] : []));
    const more = others.length > 0 ? ` and ${formatCount(others.length)} more` : "";
    return `strata: ${first}${more}: ${why}`;
  });

const formatEntities = (count: number): string => formatCounted(count, "entity", "entities");
