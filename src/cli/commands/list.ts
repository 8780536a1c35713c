/** `strata list` */
import { DAY_MS } from "../../base/days.js";
import { StrataError } from "../../base/error.js";
import { isHandedOver, readSessions, type WaitingCandidate } from "../../memory/candidates/candidate.js";
import { formatCandidates, readSurroundings } from "../../memory/candidates/why.js";
import type { Memory, MemoryType } from "../../memory/memory.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  MOST_DAYS,
  type Run,
  readType,
  readWhole,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { openPersonsCandidates } from "../../operations/open-candidates.js";
import { withMemories } from "../../operations/open-memories.js";
import { openProject, type Project } from "../../operations/project.js";

const MOST_ID_WIDTH = 60;

export const run: Run = async (cli, { archived, candidates, foreign, json, type: wanted, unused }) => {
  const { say, style, warn } = cli;
  const type = readType(wanted);
  if (candidates && (archived || foreign || unused !== undefined))
    throw new StrataError(
      WRONG_ARGUMENT,
      "--candidates cannot be combined with --archived, --foreign or --unused",
    );
  const days = readWhole("--unused", unused, { least: 1, most: MOST_DAYS, usual: 1 });
  const latestMs = unused === undefined ? Number.POSITIVE_INFINITY : cli.clock.now() - days * DAY_MS;
  const project = await openProject(cli);
  if (candidates) return listCandidates(project, { type, isJSON: json === true });
  return withMemories(project, async (memories) => {
    const all = await memories.list({ archived: archived === true });
    const shown = all
      .filter((memory) => type === undefined || memory.type === type)
      .filter(({ isForeign }) => !foreign || isForeign)
      .filter(({ id, updated }) => Math.max(memories.useOf(id)?.lastMs ?? 0, Date.parse(updated)) <= latestMs)
      .sort((a, b) => a.id.localeCompare(b.id));
    const problems = memories.problems();
    if (json) say(JSON.stringify({ memories: shown, problems }, null, 2));
    else if (shown.length === 0) say("No memories.");
    else for (const row of formatRows(cli, shown)) say(row);
    const foreigners = all.filter(({ isForeign }) => isForeign).length;
    if (foreigners > 0 && !json)
      warn(`${style.yellow("Not yours")}  ${foreigners} came with the repository; strata trust lists them`);
    return problems.length > 0 ? exitCodes.problems : exitCodes.fine;
  });
};

async function listCandidates(
  project: Project,
  { isJSON, type }: { isJSON: boolean; type: MemoryType | undefined },
): Promise<ExitCode> {
  const { clock, say } = project.cli;
  const candidates = await openPersonsCandidates(project);
  const shown = (await candidates.list()).filter((one) => type === undefined || one.type === type);
  if (isJSON) say(JSON.stringify({ candidates: shown.map(describeCandidate) }, null, 2));
  else if (shown.length === 0) say("No candidates wait.");
  else for (const row of formatCandidates(shown, clock.now())) say(row);
  return exitCodes.fine;
}

function describeCandidate(candidate: WaitingCandidate): object {
  const { worth, id, said, type } = candidate;
  const standing = said.filter(({ isTakenBack }) => !isTakenBack);
  return {
    ...{ id, type, worth, sessions: readSessions(candidate).length, ...readSurroundings(candidate) },
    ...(isHandedOver(candidate) && { isHandedOver: true }),
    said: standing.map(({ message, saidMs, session }) => ({
      ...{ session, message },
      at: new Date(saidMs).toISOString(),
    })),
  };
}

/** Id, days since the last change, title. */
function formatRows({ clock, style }: CliContext, memories: readonly Memory[]): string[] {
  const width = Math.min(MOST_ID_WIDTH, Math.max(...memories.map(({ id }) => id.length)));
  return memories.map(({ id, isForeign, isPersonal, status, title, updated }) => {
    const days = Math.max(0, Math.floor((clock.now() - Date.parse(updated)) / DAY_MS));
    const marks = [
      ...(status === "active" ? [] : [status]),
      ...(isForeign ? ["not yours"] : []),
      ...(isPersonal ? ["not in git"] : []),
    ];
    const mark = marks.length === 0 ? "" : style.dim(`  (${marks.join(", ")})`);
    return `${id.padEnd(width)}  ${style.dim(`${days} d`.padStart(6))}  ${title}${mark}`;
  });
}
