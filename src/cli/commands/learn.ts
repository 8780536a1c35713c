/** `strata learn`: memories from past conversations, decided as extraction decides while OpenCode runs. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  createLearner,
  createSettled,
  type Learned,
  type LearnedTurn,
  type Learner,
} from "../../../layers/5-auto-memory/learn/learner.js";
import { createTurnSplitter } from "../../../layers/5-auto-memory/learn/past-sessions.js";
import { countMemories, formatCount, formatCounted } from "../../base/format.js";
import { readConfigFiles } from "../../config/plugin-entries.js";
import { createTemplateCheck, readTemplates } from "../../host/1/past-sessions.js";
import { createDryFiles } from "../../io/dry-files.js";
import type { OpenMemories } from "../../memory/store/store.js";
import {
  type CliContext,
  createProgress,
  type ExitCode,
  exitCodes,
  type Run,
} from "../../operations/command.js";
import { withMemories } from "../../operations/open-memories.js";
import { openGate } from "../../operations/open-search.js";
import {
  type OpenSessions,
  openSessions,
  type SourceEvents,
  type SourceProblem,
} from "../../operations/open-sessions.js";
import { openCandidates, openOwnState } from "../../operations/own-state.js";
import { openProject, type Project } from "../../operations/project.js";
import {
  type JudgeState,
  type Judging,
  type JudgingOptions,
  openJudging,
  planJudge,
  type Wanted,
} from "../learn/judging.js";
import { findFiles, type PastFile, readFiles, type SourcedTurn } from "../learn/sources.js";

export const run: Run = async (cli, options, names) => {
  const { dryRun, json, server, sessions } = options;
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
  const wanted = await planJudge(project, options, { canOffer: isOfSessions });
  const runID = randomUUID().slice(0, 8);
  const report = createReport(cli, { isDry, asJSON: json === true, runID });
  const needsServer = isOfSessions || (wanted !== undefined && cli.generate === undefined);
  const stored = needsServer ? await openSessions(project, url) : undefined;
  const source = { found, stored, isOfSessions };
  const stop = new AbortController();
  const release = cli.onInterrupt?.(() => stop.abort());
  try {
    const given = { isDry, isYes: options.yes === true, report, runID, source, stop: stop.signal, wanted };
    await withMemories(project, (memories) => learnAll(project, memories, given));
    return report.end(stop.signal.aborted);
  } finally {
    release?.();
    await stored?.close();
  }
};

interface Given {
  isDry: boolean;
  isYes: boolean;
  report: Report;
  runID: string;
  source: PastSource;
  stop: AbortSignal;
  wanted: Wanted | undefined;
}

interface PastSource {
  found: readonly PastFile[];
  stored: OpenSessions | undefined;
  isOfSessions: boolean;
}

/** Turn by turn until the end or an interrupt. */
async function learnAll(project: Project, memories: OpenMemories, given: Given): Promise<void> {
  const { report, runID: run, source, stop } = given;
  const { cli, folders, log } = project;
  const templates = await listTemplates(project);
  const isTemplate = createTemplateCheck([...templates, ...(source.stored?.templates ?? [])]);
  const { files } = openOwnState(project);
  const shared = {
    ...{ clock: cli.clock, log, memories, run },
    candidates: openCandidates(project),
    gate: await openGate(project, memories),
    settled: createSettled({ files, folder: folders.extraction, log }),
  };
  const learner = createLearner({ ...shared, isTheirs: (text) => !isTemplate(text) });
  const judging = await prepareJudging(project, { ...given, learner, shared });
  const progress = createProgress(cli, "Learning");
  const events: SourceEvents = { onProblem: report.addProblem, onProgress: progress.step };
  try {
    for await (const turn of listTurns(cli, source, events)) {
      if (stop.aborted) return;
      const { learned, ...counts } = await learner.learn(turn);
      const isWaiting = judging ? learned.filter(({ isCandidate }) => isCandidate) : [];
      report.add({ ...counts, learned: learned.filter((one) => !isWaiting.includes(one)) }, turn);
      if (judging) report.addJudged(await judging.add(isWaiting));
    }
    if (judging && !stop.aborted) report.addJudged(await judging.end());
  } finally {
    progress.end();
    await learner.end();
    if (judging) report.setJudge(await judging.state());
  }
}

/** Reads the conversations once to know what judging takes; `undefined` if nobody judges. */
async function prepareJudging(
  project: Project,
  { learner, wanted, ...given }: Given & { learner: Learner } & Pick<JudgingOptions, "shared">,
): Promise<Judging | undefined> {
  const { source, stop } = given;
  const server = source.stored?.model;
  const generate = project.cli.generate ?? server?.generate;
  if (!wanted || !generate) return undefined;
  const progress = createProgress(project.cli, "Reading");
  const events: SourceEvents = { onProblem() {}, onProgress: progress.step };
  const open = [];
  try {
    for await (const turn of listTurns(project.cli, source, events)) {
      if (stop.aborted) return undefined;
      open.push(...(await learner.listOpen(turn)));
    }
  } finally {
    progress.end();
  }
  return openJudging(project, {
    ...{ ...given, generate, open, wanted, parentID: server?.parentID ?? "" },
    sessions: source.isOfSessions ? source.stored?.ids.length : undefined,
  });
}

async function* listTurns(
  cli: Pick<CliContext, "clock" | "files">,
  { found, isOfSessions, stored }: PastSource,
  events: SourceEvents,
): AsyncGenerator<SourcedTurn, void, void> {
  yield* readFiles(cli, found, events);
  if (!isOfSessions || !stored) return;
  const split = createTurnSplitter();
  for await (const session of stored.sessions(events)) yield* split(session);
}

async function listTemplates(project: Project): Promise<string[]> {
  const { cli, globalFolder, root } = project;
  const { configFiles } = await project.settings();
  const { parsed } = await readConfigFiles(cli.files, configFiles);
  const configs = parsed.map(({ contents }) => contents);
  return readTemplates(cli.files, { configs, folders: [join(root, ".opencode"), globalFolder] });
}

/* What `strata learn` prints: each sentence as it is learned, and a summary. */

type Report = ReturnType<typeof createReport>;

/** Problems and reasons that are printed; the others are counted. */
const MOST_PRINTED = 20;

/** `asJSON`: one object a line on standard output; everything else goes to standard error. */
function createReport(
  cli: CliContext,
  { asJSON, isDry, runID }: { asJSON: boolean; isDry: boolean; runID: string },
) {
  const counts = { messages: 0, kept: 0, candidates: 0, known: 0, refused: 0, problems: 0 };
  const reasons = new Map<string, number>();
  let judge: JudgeState | undefined;

  return {
    add({ known, learned, refused }: LearnedTurn, turn: SourcedTurn): void {
      counts.messages++;
      counts.known += known;
      counts.refused += refused.length;
      for (const why of refused)
        if (reasons.has(why) || reasons.size < MOST_PRINTED) reasons.set(why, (reasons.get(why) ?? 0) + 1);
      for (const one of learned) print(one, turn);
    },

    addJudged(kept: readonly Learned[]): void {
      for (const one of kept) print(one);
    },

    /** What a judge has done; what waits still is printed. */
    setJudge(state: JudgeState): void {
      judge = state;
      for (const one of state.waiting) print(one);
    },

    addProblem({ place, what }: SourceProblem): void {
      counts.problems++;
      if (counts.problems <= MOST_PRINTED) cli.warn(`${cli.style.yellow("Skipped")}  ${place}: ${what}`);
    },

    end(hasStopped: boolean): ExitCode {
      const { problems } = counts;
      if (problems > MOST_PRINTED)
        cli.warn(`${cli.style.yellow("Skipped")}  ${problems - MOST_PRINTED} more of this kind`);
      const tell = asJSON ? cli.warn : cli.say;
      for (const [why, count] of reasons) cli.warn(`Refused  ${count === 1 ? "" : `${count} × `}${why}`);
      if (hasStopped) tell("Interrupted. What was learned is kept; run the command again to go on.");
      tell(formatSummary(counts, isDry));
      if (judge) tell(`Judged: ${formatCounted(judge.answered, "message")}, ${judge.spent}`);
      if (judge?.why !== undefined && !hasStopped)
        cli.warn(`Not judged further: ${judge.why}. The next run judges the rest.`);
      if (isDry) tell("Nothing was changed: this was a dry run.");
      else if (counts.kept > 0) tell(`strata undo --run ${runID} reverts it.`);
      if (hasStopped) return exitCodes.interrupted;
      return problems > 0 ? exitCodes.problems : exitCodes.fine;
    },
  };

  function print(one: Learned, turn?: SourcedTurn): void {
    counts[one.isCandidate ? "candidates" : "kept"]++;
    cli.say(asJSON ? formatJSON(one, turn) : formatLine(one, isDry));
  }
}

function formatJSON(
  { content, isCandidate, message, session, title, type, why }: Learned,
  turn: SourcedTurn | undefined,
) {
  const given = { message: turn?.given?.id ?? message, session: turn?.given?.session ?? session };
  return JSON.stringify({ ...given, type, title, content, why, candidate: isCandidate });
}

function formatLine({ isCandidate, session, title, type, why }: Learned, isDry: boolean): string {
  const what = isCandidate ? "Candidate" : isDry ? "Would keep" : "Kept";
  return `${what.padEnd(10)}  ${type.padEnd(10)}  ${title}  (${session}; ${why})`;
}

function formatSummary(
  counts: Record<"messages" | "kept" | "candidates" | "known" | "refused", number>,
  isDry: boolean,
): string {
  const { candidates, kept, known, messages, refused } = counts;
  const parts = [
    `${isDry ? "Would keep" : "Kept"}: ${countMemories(kept)} from ${formatCounted(messages, "message")}`,
    ...(candidates > 0 ? [formatCounted(candidates, "candidate")] : []),
    ...(known > 0 ? [`${formatCount(known)} already known`] : []),
    ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
  ];
  return parts.join(", ");
}
