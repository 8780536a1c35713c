/**
 * The answer of the `fork` tool: what each fork said, what its first request had from the prompt cache, what all of it
 * took. The notes read it again, so what is written and what is read stand side by side.
 */
import { formatCount } from "../format.js";
import type { UsedTokens } from "../seams/host.js";
import type { FileTouch } from "./ledger.js";

export interface ForkReport {
  task: string;
  /** What it said, or why it said nothing. */
  answer: string;
  hasAnswered: boolean;
  /** Did it begin with what was said before, or with a brief of it? And why. */
  history: "shared" | { brief: string };
  first?: UsedTokens;
  used: UsedTokens;
  requests: number;
  /** Files it touched, as the notes spell them. */
  files: readonly FileTouch[];
  refusals: readonly string[];
}

/** Below, the beginning was not the parent's: said, so that nobody goes on in the belief that it is cheap. */
const SHARED = 0.9;
const LONGEST_TASK = 160;
const MOST_FILES = 30;
/** One call has far fewer tasks; what has more is no answer of ours. */
const MOST_REPORTS = 100;

export function formatForkReports(reports: readonly ForkReport[]): string {
  return reports
    .map((report, index) => {
      const task = report.task.replace(/\s+/g, " ").trim().slice(0, LONGEST_TASK);
      const lines = [
        report.answer.trim(),
        formatCost(report),
        formatTouched(report.files),
        formatRefusals(report),
      ];
      return [
        `=== fork ${index + 1} of ${reports.length}: ${task}`,
        ...lines.filter((line) => line !== ""),
      ].join("\n");
    })
    .join("\n\n");
}

/** Share of the prompt that came from the cache, 0 to 1. */
function readHit({ cacheRead, input }: UsedTokens): number {
  return cacheRead === 0 ? 0 : cacheRead / (cacheRead + input);
}

function formatCost({ first, history, requests, used }: ForkReport): string {
  const begun = history === "shared" ? formatFirst(first) : `no shared cache: ${history.brief}`;
  const all = `${requests} ${requests === 1 ? "request" : "requests"}, ${formatCount(used.input)} tokens read anew, ${formatCount(used.cacheRead)} from the cache, ${formatCount(used.output)} answered`;
  return `[Strata] ${begun}; ${all}`;
}

function formatFirst(first: UsedTokens | undefined): string {
  if (!first) return "the provider did not report its first request";
  const prompt = first.input + first.cacheRead;
  const hit = readHit(first);
  const share = `${(Math.floor(hit * 1_000) / 10).toFixed(1)} %`;
  const remark = hit < SHARED ? ", so the beginning was not shared as a whole" : "";
  return `first request: ${formatCount(first.cacheRead)} of ${formatCount(prompt)} prompt tokens from the cache (${share}${remark})`;
}

const CHANGED = "[Strata] changed: ";
const READ = "[Strata] read: ";

function formatTouched(files: readonly FileTouch[]): string {
  const names = (isEdited: boolean): string[] =>
    files.filter((file) => file.isEdited === isEdited).map(({ name }) => name);
  return [
    [CHANGED, names(true)],
    [READ, names(false)],
  ]
    .flatMap(([label, all]) =>
      all && all.length > 0 ? `${label}${(all as string[]).slice(0, MOST_FILES).join(", ")}` : [],
    )
    .join("\n");
}

function formatRefusals({ refusals }: ForkReport): string {
  if (refusals.length === 0) return "";
  return `[Strata] refused, because nobody could be asked: ${[...new Set(refusals)].join("; ")}`;
}

/** What can be known of each fork from the tool's answer; none where it is not such an answer. */
export function parseForkReports(text: string): Pick<ForkReport, "task" | "answer" | "files">[] {
  return text.split(/^=== fork \d+ of \d+: /m, 1 + MOST_REPORTS).flatMap((block, index) => {
    if (index === 0) return [];
    const [task = "", ...lines] = block.split("\n");
    const answer = lines
      .filter((line) => !line.startsWith("[Strata] "))
      .join("\n")
      .trim();
    const files = [
      ...readNames(lines, CHANGED).map((name) => ({ name, isEdited: true })),
      ...readNames(lines, READ).map((name) => ({ name, isEdited: false })),
    ];
    return [{ task, answer, files }];
  });
}

function readNames(lines: readonly string[], label: string): string[] {
  const line = lines.findLast((one) => one.startsWith(label));
  return line === undefined ? [] : line.slice(label.length).split(", ");
}
