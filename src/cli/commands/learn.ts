/** `strata learn`: memories from past conversations, decided as extraction decides while OpenCode runs. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createLearner, type Learner } from "../../../layers/5-auto-memory/learn/learner.js";
import { createSettled } from "../../../layers/5-auto-memory/learn/settled.js";
import { readConfigFiles } from "../../config/config-files.js";
import { createFindSimilar } from "../../gate/find-similar.js";
import { createGate } from "../../gate/gate.js";
import { createTemplateCheck, readTemplates } from "../../host/templates.js";
import type { OpenMemories } from "../../memory/store.js";
import { createDryFiles } from "../../seams/dry-files.js";
import { type CliContext, exitCodes, type Run } from "../command.js";
import { createTurnSplitter } from "../learn/exports.js";
import { findFiles, readFiles } from "../learn/files.js";
import { createReport, type Report } from "../learn/report.js";
import { type OpenSessions, openSessions } from "../learn/sessions.js";
import type { SourcedTurn, SourceEvents } from "../learn/source.js";
import { openCandidates } from "../open-candidates.js";
import { withMemories } from "../open-memories.js";
import { openOwnState } from "../open-own.js";
import { openProject } from "../open-project.js";
import { openSearch } from "../open-search.js";
import { createProgress } from "../progress.js";
import type { Project } from "../project.js";

export const run: Run = async (cli, { dryRun, json, server, sessions }, names) => {
  const url = typeof server === "string" ? server : undefined;
  const isOfSessions = sessions === true || url !== undefined;
  if (names.length === 0 && !isOfSessions) {
    cli.warn("strata: nothing to learn from; name files, or --sessions for OpenCode's own sessions");
    return exitCodes.usage;
  }
  const isDry = dryRun === true;
  const files = isDry ? createDryFiles(cli.files, cli.clock) : cli.files;
  const project = await openProject({ ...cli, files });
  const found = await findFiles(cli, names);
  const runID = randomUUID().slice(0, 8);
  const report = createReport(cli, { isDry, asJSON: json === true, runID });
  const stored = isOfSessions ? await openSessions(project, url) : undefined;
  const progress = createProgress(cli, "Learning");
  const events: SourceEvents = { onProblem: report.addProblem, onProgress: progress.step };
  try {
    const templates = [...(await listTemplates(project)), ...(stored?.templates ?? [])];
    const turns = listTurns(readFiles(cli, found, events), stored, events);
    const hasStopped = await withMemories(project, async (memories) => {
      const learner = await openLearner(project, memories, {
        runID,
        isTheirs: not(createTemplateCheck(templates)),
      });
      return learnAll(cli, { turns, learner, report });
    });
    progress.end();
    return report.end(hasStopped);
  } finally {
    progress.end();
    await stored?.close();
  }
};

/** Learns turn by turn until the end or an interrupt; returns whether it was interrupted. */
async function learnAll(
  cli: CliContext,
  { learner, report, turns }: { turns: AsyncIterable<SourcedTurn>; learner: Learner; report: Report },
): Promise<boolean> {
  const stop = new AbortController();
  const release = cli.onInterrupt?.(() => stop.abort());
  try {
    for await (const turn of turns) {
      if (stop.signal.aborted) return true;
      report.add(await learner(turn), turn);
    }
    return stop.signal.aborted;
  } finally {
    release?.();
  }
}

async function* listTurns(
  ofFiles: AsyncIterable<SourcedTurn>,
  stored: OpenSessions | undefined,
  events: SourceEvents,
): AsyncGenerator<SourcedTurn, void, void> {
  yield* ofFiles;
  if (!stored) return;
  const split = createTurnSplitter();
  for await (const session of stored.sessions(events)) yield* split(session);
}

async function openLearner(
  project: Project,
  memories: OpenMemories,
  { isTheirs, runID }: { runID: string; isTheirs(text: string): boolean },
): Promise<Learner> {
  const { cli, folders, log } = project;
  const findSimilar = createFindSimilar(memories, await openSearch(project, memories));
  const { files } = openOwnState(project);
  return createLearner({
    ...{ clock: cli.clock, isTheirs, log, memories, run: runID },
    candidates: openCandidates(project),
    gate: createGate({ memories: { ...memories, list: async () => memories.known() }, findSimilar }),
    settled: createSettled({ files, folder: folders.extraction, log }),
  });
}

async function listTemplates(project: Project): Promise<string[]> {
  const { cli, globalFolder, root } = project;
  const { configFiles } = await project.settings();
  const { parsed } = await readConfigFiles(cli.files, configFiles);
  const configs = parsed.map(({ contents }) => contents);
  return readTemplates(cli.files, { configs, folders: [join(root, ".opencode"), globalFolder] });
}

const not =
  (check: (text: string) => boolean) =>
  (text: string): boolean =>
    !check(text);
