/** `.opencode/memory/DREAMS.md`: the changes of each dream, newest first, for people. */
import { toLine } from "../../src/text.js";
import type { Change, ChangeKind, Finding } from "./change.js";

export interface DreamReport {
  /** Identifies the dream for undo. */
  id: string;
  /** ISO date-time. */
  time: string;
  changes: readonly Change[];
  findings: readonly Finding[];
  /** Reasons why staged changes of the model were rejected. */
  refused: readonly string[];
  usedModel: boolean;
  /** Number of sessions whose notes are old enough for the archive. */
  oldNotes?: number;
  /** Ids of memories outside `private/` that git ignores. */
  keptOut?: ReadonlySet<string>;
}

const HEAD = `# Dreams

What was tidied in memory, the newest first. Nothing is deleted: what went lies in \`archive/\` and names its successor.
\`/memory-undo\` or \`strata undo\` takes the last one back.
`;
const MOST_LINES = 500;
const MOST_REFUSALS = 20;
const LONGEST_LINE = 300;
const ENTRY = /^## /m;
const KINDS: readonly ChangeKind[] = ["merged", "superseded", "archived", "confirmed", "reworded"];
const UNDONE = "taken back";

/** Adds a dream on top of the page. Above 500 lines the oldest dreams are dropped whole. */
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

/** Marks the dream on the page as undone. */
export function markUndone(page: string, id: string, time: string): string {
  return page
    .split("\n")
    .map((line) =>
      line.startsWith("## ") && line.endsWith(` · ${id}`) ? `${line} · ${UNDONE} ${formatTime(time)}` : line,
    )
    .join("\n");
}

/** One dream's entry on the page. */
export function formatDream({
  changes,
  findings,
  id,
  oldNotes = 0,
  refused,
  time,
  usedModel,
}: DreamReport): string {
  const lines = [
    `## ${formatTime(time)} · ${id}`,
    "",
    `${formatCounts(changes)}${usedModel ? ", with a model" : ""}.`,
    "",
    ...groupByReason(changes).map(formatGroup),
    ...(oldNotes > 0
      ? [
          `- notes of ${oldNotes} unused ${oldNotes === 1 ? "session" : "sessions"} moved to \`session-memory/archive/\``,
        ]
      : []),
  ];
  const more = [
    ...findings.map(({ what }) => `- ${toLine(what, LONGEST_LINE)}`),
    ...refused
      .slice(0, MOST_REFUSALS)
      .map((why) => `- not taken from the model: ${toLine(why, LONGEST_LINE)}`),
  ];
  return [...lines, ...(more.length > 0 ? ["", "To look at:", "", ...more] : []), ""].join("\n");
}

/** Changes of one kind and reason share a line; superseded memories are named in the line of their successor. */
function groupByReason(changes: readonly Change[]): Change[][] {
  const groups = new Map<string, Change[]>();
  for (const change of changes.filter(({ kind }) => kind !== "superseded")) {
    const key = `${change.kind} ${change.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()];
}

function formatGroup(group: readonly Change[]): string {
  const [first] = group;
  const ids = group.map(({ before }) => `\`${before.id}\``).join(", ");
  return `- ${first?.kind} ${ids}: ${toLine(first?.reason ?? "", LONGEST_LINE)}`;
}

const formatTime = (time: string): string => time.slice(0, 16).replace("T", " ");

/** For example "3 merged, 1 archived". */
export function formatCounts(changes: readonly Change[]): string {
  if (changes.length === 0) return "Nothing to change";
  const counts = KINDS.map((kind) => [changes.filter((one) => one.kind === kind).length, kind] as const);
  return counts
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`)
    .join(", ");
}
