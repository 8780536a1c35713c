/** `strata enrich`: asks GitLab and GitHub about the merge requests, issues and epics that memories name. */
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import type { Memory } from "../../memory/memory.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type Run,
  readWhole,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { formatFactLine, openKnownEntities } from "../../operations/open-candidates.js";
import { withMemories } from "../../operations/open-memories.js";
import { createProgress } from "../../operations/progress.js";
import { openProject } from "../../operations/project.js";
import { type EntityName, parseEntityName } from "../../recall/entities.js";
import { type Enrichment, type EnrichmentPlan, findNamesIn } from "../../sources/entities/enrich.js";
import type { Entities } from "../../sources/entities/entities.js";
import type { EntityState } from "../../sources/entities/entity-fact.js";
import { formatLocated } from "../../sources/entities/forges.js";

const OVER: ReadonlySet<EntityState> = new Set(["merged", "closed", "not planned", "duplicate"]);
const USUAL_LIMIT = 100;
const MOST_ASKED = 1_000;

export const run: Run = async (cli, { dryRun, json, limit }, args) => {
  const most = readWhole("--limit", limit, { usual: USUAL_LIMIT, least: 1, most: MOST_ASKED });
  const given = args.map(requireName);
  const project = await openProject(cli);
  const entities = await (await openKnownEntities(project)).load();
  await entities.load();
  const memories = await withMemories(project, (store) => store.list());
  const isGiven = given.length > 0;
  const plan = entities.plan(isGiven ? given : findNamesIn(memories));
  // Entities named on the command line are asked about even if a recent answer is known.
  const due = isGiven ? [...plan.due, ...plan.fresh] : plan.due;
  const chosen = due.slice(0, most);
  const report: Report = { plan, isGiven, json: json === true, left: due.length - chosen.length };
  if (dryRun === true) return reportPlan(cli, chosen, report);
  const enrichment = await ask(cli, entities, chosen);
  return reportAnswers(cli, { ...enrichment, settled: findSettled(memories, entities) }, report);
};

interface Report {
  plan: EnrichmentPlan;
  /** Were the entities named on the command line? */
  isGiven: boolean;
  json: boolean;
  /** Number of due entities beyond the limit. */
  left: number;
}

function requireName(text: string): EntityName {
  const name = parseEntityName(text);
  if (name) return name;
  throw new StrataError(
    WRONG_ARGUMENT,
    `"${text}" is not a merge request, issue or epic; write !12, #34, &5, acme/shop#34 or its URL`,
  );
}

/** An open blocker that names a closed or merged entity. */
interface Settled {
  blocker: string;
  entity: string;
  state: EntityState;
}

function findSettled(memories: readonly Memory[], entities: Pick<Entities, "find">): Settled[] {
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

function reportPlan({ say, warn }: CliContext, chosen: EnrichmentPlan["due"], report: Report): ExitCode {
  const ids = chosen.map(formatLocated);
  if (report.json)
    say(JSON.stringify({ wouldAsk: ids, nowhere: listNowhere(report), left: report.left }, null, 2));
  else {
    for (const id of ids) say(id);
    say(`Would ask about ${formatEntities(ids.length)}. Nothing was sent.`);
    warnNowhere(warn, report);
  }
  return exitCodes.fine;
}

function reportAnswers(
  { clock, say, warn }: CliContext,
  { facts, isStopped, left, problems, settled }: Enrichment & { isStopped: boolean; settled: Settled[] },
  report: Report,
): ExitCode {
  const unasked = left + report.left;
  if (report.json)
    say(JSON.stringify({ facts, problems, nowhere: listNowhere(report), settled, left: unasked }, null, 2));
  else {
    for (const fact of facts) say(formatFactLine(fact, clock.now()));
    const later = unasked > 0 ? `; ${formatEntities(unasked)} left` : "";
    const fresh = report.isGiven ? 0 : report.plan.fresh.length;
    const known = fresh > 0 ? `; ${formatEntities(fresh)} known from a recent answer` : "";
    say(`Asked about ${formatEntities(facts.length)}${later}${known}.`);
    for (const { blocker, entity, state } of settled)
      say(`${blocker} is open, but ${entity} is ${state}; strata edit ${blocker} if it is resolved`);
    warnNowhere(warn, report);
  }
  for (const problem of problems) warn(`strata: ${problem}`);
  if (isStopped) return exitCodes.interrupted;
  if (problems.length > 0) return facts.length > 0 ? exitCodes.problems : exitCodes.failed;
  return report.isGiven && report.plan.nowhere.size > 0 ? exitCodes.problems : exitCodes.fine;
}

const listNowhere = ({ plan }: Report): { entity: string; why: string }[] =>
  [...plan.nowhere].map(([entity, why]) => ({ entity, why }));

/** One line per reason: memories may name hundreds of entities that cannot be asked about. */
function warnNowhere(warn: (text: string) => void, { plan: { nowhere } }: Report): void {
  const byReason = new Map<string, string[]>();
  for (const [entity, why] of nowhere) byReason.set(why, [...(byReason.get(why) ?? []), entity]);
  for (const [why, [first = "", ...others]] of byReason) {
    const more = others.length > 0 ? ` and ${formatCount(others.length)} more` : "";
    warn(`strata: ${first}${more}: ${why}`);
  }
}

const formatEntities = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "entity" : "entities"}`;
