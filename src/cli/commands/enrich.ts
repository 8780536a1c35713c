/** `strata enrich`: asks GitLab and GitHub about the merge requests, issues and epics that memories name. */
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import type { Memory } from "../../memory/memory.js";
import { type CliContext, exitCodes, type Run, readWhole, WRONG_ARGUMENT } from "../../operations/command.js";
import { formatFactLine, openKnownEntities } from "../../operations/open-candidates.js";
import { withMemories } from "../../operations/open-memories.js";
import { createProgress } from "../../operations/progress.js";
import { openProject } from "../../operations/project.js";
import {
  type Enrichment,
  type EnrichmentPlan,
  type Entities,
  findNamesIn,
} from "../../sources/entities/entities.js";
import { type EntityState, formatLocated } from "../../sources/entities/forges.js";
import { type EntityName, parseEntityName } from "../../text/entities.js";

const OVER: ReadonlySet<EntityState> = new Set(["merged", "closed", "not planned", "duplicate"]);

export const run: Run = async (cli, { dryRun, json, limit }, args) => {
  const { clock, say, warn } = cli;
  const most = readWhole("--limit", limit, { usual: 100, least: 1, most: 1_000 });
  const given = args.map(requireName);
  const project = await openProject(cli);
  const entities = await openKnownEntities(project);
  await entities.load();
  const memories = await withMemories(project, (store) => store.list());
  const isGiven = given.length > 0;
  const plan = entities.plan(isGiven ? given : findNamesIn(memories));
  // Entities named on the command line are asked about even if a recent answer is known.
  const due = isGiven ? [...plan.due, ...plan.fresh] : plan.due;
  const chosen = due.slice(0, most);
  const nowhere = [...plan.nowhere].map(([entity, why]) => ({ entity, why }));
  if (dryRun === true) {
    const wouldAsk = chosen.map(formatLocated);
    if (json) say(JSON.stringify({ wouldAsk, nowhere, left: due.length - chosen.length }, null, 2));
    else {
      for (const id of wouldAsk) say(id);
      say(`Would ask about ${formatEntities(wouldAsk.length)}. Nothing was sent.`);
      warnNowhere(warn, plan);
    }
    return exitCodes.fine;
  }
  const { facts, isStopped, problems, ...asked } = await ask(cli, entities, chosen);
  const left = asked.left + due.length - chosen.length;
  const settled = findSettled(memories, entities);
  if (json) say(JSON.stringify({ facts, problems, nowhere, settled, left }, null, 2));
  else {
    for (const fact of facts) say(formatFactLine(fact, clock.now()));
    const later = left > 0 ? `; ${formatEntities(left)} left` : "";
    const fresh = isGiven ? 0 : plan.fresh.length;
    const known = fresh > 0 ? `; ${formatEntities(fresh)} known from a recent answer` : "";
    say(`Asked about ${formatEntities(facts.length)}${later}${known}.`);
    for (const { blocker, entity, state } of settled)
      say(`${blocker} is open, but ${entity} is ${state}; strata memory edit ${blocker} if it is resolved`);
    warnNowhere(warn, plan);
  }
  for (const problem of problems) warn(`strata: ${problem}`);
  if (isStopped) return exitCodes.interrupted;
  if (problems.length > 0) return facts.length > 0 ? exitCodes.problems : exitCodes.failed;
  return isGiven && nowhere.length > 0 ? exitCodes.problems : exitCodes.fine;
};

function requireName(text: string): EntityName {
  const name = parseEntityName(text);
  if (name) return name;
  throw new StrataError(
    WRONG_ARGUMENT,
    `"${text}" is not a merge request, issue or epic; write !12, #34, &5, acme/shop#34 or its URL`,
  );
}

/** Open blockers that name a closed or merged entity. */
function findSettled(memories: readonly Memory[], entities: Pick<Entities, "find">) {
  const isOpen = ({ isForeign, status, type }: Memory): boolean =>
    type === "blocker" && status === "active" && !isForeign;
  return memories.filter(isOpen).flatMap((blocker) => {
    const text = [blocker.title, blocker.content, ...blocker.entities].join("\n");
    const over = entities.find(text).filter(({ state }) => OVER.has(state));
    return over.map(({ id, state }) => ({ blocker: blocker.id, entity: id, state }));
  });
}

/** Ctrl-C stops the requests and keeps the answers so far. */
async function ask(
  cli: CliContext,
  entities: Entities,
  chosen: EnrichmentPlan["due"],
): Promise<Enrichment & { isStopped: boolean }> {
  const stop = new AbortController();
  const release = cli.onInterrupt?.(() => stop.abort());
  const progress = createProgress(cli, "Asking");
  try {
    const enrichment = await entities.enrich(chosen, { signal: stop.signal, onStep: progress.step });
    return { ...enrichment, isStopped: stop.signal.aborted };
  } finally {
    progress.end();
    release?.();
  }
}

/** One line per reason: memories may name hundreds of entities that cannot be asked about. */
function warnNowhere(warn: (text: string) => void, { nowhere }: EnrichmentPlan): void {
  for (const why of new Set(nowhere.values())) {
    const [first, ...others] = [...nowhere].flatMap(([entity, reason]) => (reason === why ? [entity] : []));
    const more = others.length > 0 ? ` and ${formatCount(others.length)} more` : "";
    warn(`strata: ${first}${more}: ${why}`);
  }
}

const formatEntities = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "entity" : "entities"}`;
