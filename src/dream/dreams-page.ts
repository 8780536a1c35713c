/** `.opencode/memory/DREAMS.md`: what each dream has changed, the newest first, for people. */
import { toLine } from "../notes/line.js";
import type { Change, Finding } from "./change.js";

export interface DreamReport {
  /** Of this dream, for undo. */
  id: string;
  /** ISO date-time. */
  time: string;
  changes: readonly Change[];
  findings: readonly Finding[];
  /** What a model has staged and was not taken. */
  refused: readonly string[];
  usedModel: boolean;
}

const HEAD = `# Dreams

What was tidied in memory, the newest first. Nothing is deleted: what went lies in \`archive/\` and names its successor.
\`/memory-undo\` or \`strata undo\` takes the last one back.
`;
const MOST_LINES = 500;
const MOST_FINDINGS = 20;
const LONGEST_LINE = 300;
const ENTRY = /^## /m;

/** The page with this dream on top. What is beyond 500 lines goes from the end, whole dreams at a time. */
export function addDream(page: string, report: DreamReport): string {
  const start = page.search(ENTRY);
  const earlier = start === -1 ? [] : page.slice(start).split(/^(?=## )/m);
  const kept: string[] = [];
  let lines = HEAD.split("\n").length;
  for (const entry of [`${formatDream(report)}\n`, ...earlier]) {
    lines += entry.split("\n").length - 1;
    if (kept.length > 0 && lines > MOST_LINES) break;
    kept.push(entry);
  }
  return `${HEAD}\n${kept.join("").trimEnd()}\n`;
}

function formatDream({ changes, findings, id, refused, time, usedModel }: DreamReport): string {
  const lines = [
    `## ${time.slice(0, 16).replace("T", " ")} · ${id}`,
    "",
    `${formatCounts(changes)}${usedModel ? ", with a model" : ""}.`,
    "",
    ...changes.map(
      ({ before, kind, reason }) => `- ${kind} \`${before.id}\`: ${toLine(reason, LONGEST_LINE)}`,
    ),
  ];
  const more = [
    ...findings.slice(0, MOST_FINDINGS).map(({ what }) => `- ${toLine(what, LONGEST_LINE)}`),
    ...(findings.length > MOST_FINDINGS ? [`- and ${findings.length - MOST_FINDINGS} more`] : []),
    ...refused
      .slice(0, MOST_FINDINGS)
      .map((why) => `- not taken from the model: ${toLine(why, LONGEST_LINE)}`),
  ];
  return [...lines, ...(more.length > 0 ? ["", "To look at:", "", ...more] : []), ""].join("\n");
}

function formatCounts(changes: readonly Change[]): string {
  if (changes.length === 0) return "Nothing to change";
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  return kinds.map((kind) => `${changes.filter((one) => one.kind === kind).length} ${kind}`).join(", ");
}
