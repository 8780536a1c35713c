/**
 * The answer of the `fork` tool: each fork's answer, the cache hit of its first request, and the tokens used. The notes
 * parse it again, so formatter and parser are in one file.
 */
import { formatCount } from "../base/format.js";
import type { UsedTokens } from "../io/host.js";
import type { FileTouch } from "./stored.js";

export interface ForkReport {
  task: string;
  /** Its answer, or why there is none. */
  answer: string;
  /** Whether it began with the parent's history or with a brief, and why. */
  history: "shared" | { brief: string };
  first?: UsedTokens;
  used: UsedTokens;
  requests: number;
  /** Files it touched, spelt as in the notes. */
  files: readonly FileTouch[];
  refusals: readonly string[];
}

/** Below this hit rate the fork did not share the parent's prefix; the report says so, because it is then expensive. */
const SHARED = 0.9;
const LONGEST_TASK = 160;
const MOST_FILES = 30;
/** A call has far fewer tasks; text with more reports is not the tool's answer. */
const MOST_REPORTS = 100;

export function formatForkReports(reports: readonly ForkReport[]): string {
  return reports
    .map((report, index) => {
      const task = report.task.replace(/\s+/g, " ").trim().slice(0, LONGEST_TASK);
      const lines = [
        report.answer.trim(),
        formatCost(report),
        formatTouched(report.files, CHANGED),
        formatTouched(report.files, READ),
        formatRefusals(report),
      ];
      return [
        `=== fork ${index + 1} of ${reports.length}: ${task}`,
        ...lines.filter((line) => line !== ""),
      ].join("\n");
    })
    .join("\n\n");
}

function formatCost({ first, history, requests, used }: ForkReport): string {
  const begun = history === "shared" ? formatFirst(first) : `no shared cache: ${history.brief}`;
  const all = `${requests} ${requests === 1 ? "request" : "requests"}, ${formatCount(used.input)} tokens read anew, ${formatCount(used.cacheRead)} from the cache, ${formatCount(used.output)} answered`;
  return `[Strata] ${begun}; ${all}`;
}

function formatFirst(first: UsedTokens | undefined): string {
  if (!first) return "the provider did not report its first request";
  const prompt = first.input + first.cacheRead;
  const hit = first.cacheRead === 0 ? 0 : first.cacheRead / prompt;
  const share = `${(Math.floor(hit * 1_000) / 10).toFixed(1)} %`;
  const remark = hit < SHARED ? ", so the beginning was not shared as a whole" : "";
  return `first request: ${formatCount(first.cacheRead)} of ${formatCount(prompt)} prompt tokens from the cache (${share}${remark})`;
}

const CHANGED = "[Strata] changed: ";
const READ = "[Strata] read: ";

function formatTouched(files: readonly FileTouch[], label: string): string {
  const names = files.filter(({ isEdited }) => isEdited === (label === CHANGED)).map(({ name }) => name);
  return names.length === 0 ? "" : label + names.slice(0, MOST_FILES).join(", ");
}

function formatRefusals({ refusals }: ForkReport): string {
  if (refusals.length === 0) return "";
  return `[Strata] refused, because nobody could be asked: ${[...new Set(refusals)].join("; ")}`;
}

/** Parses the tool's answer into one entry per fork; empty for any other text. */
export function parseForkReports(text: string): Pick<ForkReport, "task" | "answer" | "files">[] {
  const [, ...blocks] = `\n${text}`.split(/\n=== fork \d+ of \d+: /, 1 + MOST_REPORTS);
  return blocks.map((block) => {
    const [task = ""] = block.split("\n", 1);
    const lines = block.slice(task.length);
    const answer = lines.replace(/\n\[Strata\] [^\n]*/g, "").trim();
    const files = [
      ...readNames(lines, CHANGED).map((name) => ({ name, isEdited: true })),
      ...readNames(lines, READ).map((name) => ({ name, isEdited: false })),
    ];
    return { task, answer, files };
  });
}

function readNames(lines: string, label: string): string[] {
  const at = lines.lastIndexOf(`\n${label}`);
  return at === -1 ? [] : (lines.slice(at + 1 + label.length).split("\n", 1)[0] ?? "").split(", ");
}
