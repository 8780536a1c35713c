/** What `strata learn` prints: each sentence as it is learned, and a summary. */
import type { Learned, LearnedTurn } from "../../../layers/5-auto-memory/learn/learner.js";
import { formatCount } from "../../base/format.js";
import { type CliContext, type ExitCode, exitCodes } from "../../operations/command.js";
import type { SourcedTurn, SourceProblem } from "./files.js";
import type { JudgeState } from "./judging.js";

export interface Report {
  add(learned: LearnedTurn, turn: SourcedTurn): void;
  /** Memories that a judge has made of what waited. */
  addJudged(kept: readonly Learned[]): void;
  /** What a judge has done; what waits still is printed. */
  setJudge(state: JudgeState): void;
  addProblem(problem: SourceProblem): void;
  /** Prints the summary. */
  end(hasStopped: boolean): ExitCode;
}

export interface ReportOptions {
  isDry: boolean;
  /** One object a line on standard output; everything else goes to standard error. */
  asJSON: boolean;
  /** For `strata undo`. */
  runID: string;
}

/** Problems and reasons that are printed; the others are counted. */
const MOST_PRINTED = 20;

export function createReport(cli: CliContext, { asJSON, isDry, runID }: ReportOptions): Report {
  const counts = { messages: 0, kept: 0, candidates: 0, known: 0, refused: 0, problems: 0 };
  const reasons = new Map<string, number>();
  let judge: JudgeState | undefined;

  return {
    add({ known, learned, refused }, turn) {
      counts.messages++;
      counts.known += known;
      counts.refused += refused.length;
      for (const why of refused)
        if (reasons.has(why) || reasons.size < MOST_PRINTED) reasons.set(why, (reasons.get(why) ?? 0) + 1);
      for (const one of learned) print(one, turn);
    },

    addJudged(kept) {
      for (const one of kept) print(one);
    },

    setJudge(state) {
      judge = state;
      for (const one of state.waiting) print(one);
    },

    addProblem({ place, what }) {
      counts.problems++;
      if (counts.problems <= MOST_PRINTED) cli.warn(`${cli.style.yellow("Skipped")}  ${place}: ${what}`);
    },

    end(hasStopped) {
      const { problems } = counts;
      if (problems > MOST_PRINTED)
        cli.warn(`${cli.style.yellow("Skipped")}  ${problems - MOST_PRINTED} more of this kind`);
      const tell = asJSON ? cli.warn : cli.say;
      for (const [why, count] of reasons) cli.warn(`Refused  ${count === 1 ? "" : `${count} × `}${why}`);
      if (hasStopped) tell("Interrupted. What was learned is kept; run the command again to go on.");
      tell(formatSummary(counts, isDry));
      if (judge) tell(`Judged: ${count(judge.answered, "message", "messages")}, ${judge.spent}`);
      if (judge?.why !== undefined && !hasStopped)
        cli.warn(`Not judged further: ${judge.why}. What waits is judged by the next run.`);
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
    `${isDry ? "Would keep" : "Kept"}: ${count(kept, "memory", "memories")} from ${count(messages, "message", "messages")}`,
    ...(candidates > 0 ? [count(candidates, "candidate", "candidates")] : []),
    ...(known > 0 ? [`${formatCount(known)} already known`] : []),
    ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
  ];
  return parts.join(", ");
}

const count = (n: number, one: string, many: string): string => `${formatCount(n)} ${n === 1 ? one : many}`;
