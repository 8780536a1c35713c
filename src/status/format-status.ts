/** Formats the status for people: sections about the project, its memory, and what is on; problems last. */

import { sep } from "node:path";
import { wrap } from "../base/columns.js";
import { formatCount, formatCounted, formatPercent, formatTokens } from "../base/format.js";
import { findCacheShare } from "../costs/sums.js";
import { formatWaiting } from "../memory/candidates/candidate.js";
import { formatContext, formatSaving } from "./format-figures.js";
import type { SessionStatus, Status } from "./status.js";
import type { Todo } from "./todo.js";

/** Maximum number of rows of each list. */
const MOST_ROWS = 5;
/** Longer titles end with "…". */
const MOST_TITLE = 40;

/** `first` and `problems` come before those of the project; `todos` wait for a person. */
export function formatStatus(
  status: Status,
  style: StatusStyle,
  given: { first?: readonly Section[]; problems?: readonly string[]; todos?: readonly Todo[] },
): string {
  const { first = [], problems = [], todos = [] } = given;
  const troubles = [...problems, ...status.problems].map((problem): Row => ["", problem]);
  const sections: Section[] = [
    ...first,
    describeProject(status),
    { heading: "Memory", rows: describeMemory(status) },
    describeTodos(todos),
    { heading: "State", rows: describeState(status) },
    { heading: "Problems", rows: troubles, isList: true },
  ];
  return formatSections(sections.map(shortenPaths(status)), style);
}

/** Paths in the project are shown as seen from it: they fit a line. */
function shortenPaths({ folders }: Status): (section: Section) => Section {
  return (section) => ({
    ...section,
    rows: section.rows.map(([label, text]): Row => [label, text.replaceAll(folders.project + sep, "")]),
  });
}

function describeProject({ saved, savings, sessions }: Status): Section {
  const count = Object.keys(sessions).length;
  if (count === 0)
    return { heading: "This project", rows: [["Sessions", "none yet, so nothing has been saved"]] };
  const cache = findCacheShare(savings);
  const sent = `${formatTokens(savings.sent)} tokens sent`;
  return {
    heading: `This project: ${formatCounted(count, "session")}`,
    rows: [
      ["Today", formatSaving(saved.today)],
      ["In all", formatSaving(saved.project)],
      ...(cache === undefined
        ? []
        : [["Cache", `${formatPercent(cache)} of ${sent} came from the cache`] as const]),
      ...describeRemoved(savings),
      ...describeSessions(sessions),
    ],
  };
}

/** What left the context, and what that has cost. */
export function describeRemoved(totals: Status["savings"]): Row[] {
  const { backgroundTokens, cacheLost, cleared, compactions, judging, shrunk, spilled, tokensFreed } = totals;
  const events = listCounts([
    [spilled, `${formatCounted(spilled, "result")} moved to files`],
    [shrunk, `${formatCount(shrunk)} shrunk`],
    [cleared, `${formatCount(cleared)} cleared`],
    [compactions, `history replaced ${formatCounted(compactions, "time")}`],
  ]);
  const costs = listCounts([
    [cacheLost, `${formatTokens(cacheLost)} cached tokens written again`],
    [backgroundTokens, `${formatTokens(backgroundTokens)} tokens in background calls`],
  ]);
  return [
    ["Left context", events === "" ? "nothing yet" : `${formatTokens(tokensFreed)} tokens: ${events}`],
    ["That cost", costs || "nothing"],
    ...(judging > 0 ? [["Judging", describeJudging(totals)] as const] : []),
  ];
}

/** "what to remember: 0.4 % of what was paid (3K tokens)"; without the share where nothing else was paid. */
export function describeJudging({ cost = 0, judging }: Status["savings"]): string {
  const tokens = `${formatTokens(judging)} tokens`;
  return `what to remember: ${cost > judging ? `${formatPercent(judging / cost)} of what was paid (${tokens})` : tokens}`;
}

/** Without those that are zero. */
const listCounts = (counts: readonly (readonly [count: number, text: string])[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([, text]) => text)
    .join(", ");

/** The last used sessions, newest first. */
function describeSessions(sessions: Status["sessions"]): Row[] {
  const newest = Object.entries(sessions)
    .sort(([, a], [, b]) => (b.lastUsed ?? "").localeCompare(a.lastUsed ?? ""))
    .map(([id, session]) => formatSession(id, session));
  return describeList("Last sessions", newest, "strata stats lists all");
}

function formatSession(id: string, session: SessionStatus): string {
  const { breaker, contextTokens: now, contextWithout: without = 0, saved } = session;
  const context = now === undefined ? "" : `context ${formatContext({ now, without })}, `;
  const off = breaker === undefined ? "" : `; automatic summaries do not help: ${breaker}`;
  return `${formatTitle(session.title, id)}: ${context}${formatSaving(saved)}${off}`;
}

/** The title in quotes, or the id. */
export function formatTitle(title: string | undefined, id: string): string {
  if (title === undefined) return id;
  return `"${title.length > MOST_TITLE ? `${title.slice(0, MOST_TITLE - 1).trimEnd()}…` : title}"`;
}

/** The usual way of each; `strata todo` has all. */
function describeTodos(todos: readonly Todo[]): Section {
  const lines = todos.map(({ ways: [way], what }) => (way ? `${what}: ${way.command}` : what));
  return {
    heading: `${formatCounted(todos.length, "thing")} ${todos.length === 1 ? "waits" : "wait"} for you (strata todo)`,
    rows: describeList("", lines),
    isList: true,
  };
}

function describeMemory({ blockers, candidates = 0, memories }: Status): Row[] {
  const all = Object.values(memories).reduce((sum, count) => sum + count, 0);
  const types = Object.entries(memories).map(([type, count]) => `${type} ${formatCount(count)}`);
  const open = blockers.map(({ id, title }) => `${title} (${id})`);
  return [
    ["Memories", all === 0 ? "none" : `${formatCount(all)}: ${types.join(", ")}`],
    ...(candidates > 0 ? [["Candidates", `${formatWaiting(candidates)} (strata candidates)`] as const] : []),
    ...describeList("Open blockers", open),
  ];
}

function describeState({ background, folders, layers, results }: Status): Row[] {
  const names = (isOn: boolean) => Object.keys(layers).filter((name) => layers[name] === isOn);
  const off = names(false);
  const moved = `${formatCounted(results.files, "file")}, ${formatBytes(results.bytes)}`;
  return [
    ["Switched on", names(true).join(", ") || "nothing"],
    ...(off.length > 0 ? [["Switched off", off.join(", ")] as const] : []),
    ...describeBackground(background),
    ["Moved results", `${moved}, in ${folders.toolResults}`],
    ["Log", folders.log],
    ["Savings ledger", folders.savings],
  ];
}

function describeBackground(background: Status["background"]): Row[] {
  if (!background) return [];
  const { callsLeft, tokensLeft, why } = background;
  const left = `${formatCounted(callsLeft, "call")} and ${formatTokens(tokensLeft)} tokens left today`;
  return [
    ["Own model calls", left],
    ...(why === undefined ? [] : [["", `none are made now: ${why}`] as const]),
  ];
}

/** 81999 → "82 KB". */
function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}

/** One row per text; no rows for an empty list. */
function describeList(label: string, texts: readonly string[], where?: string): Row[] {
  const rows = texts.slice(0, MOST_ROWS).map((text, index): Row => [index === 0 ? label : "", text]);
  const more = texts.length - rows.length;
  if (more <= 0) return rows;
  return [...rows, ["", `and ${formatCount(more)} more${where === undefined ? "" : `; ${where}`}`]];
}

/*
 * A page of text in sections, at most 72 columns wide: it is shown in a message of 80 columns and in narrow terminals.
 *
 *     Heading
 *       Label           text, wrapped to the column
 *                       of the text
 */

/** Emphasis of labels. Messages in a session have no colours. */
export type StatusStyle = Record<"bold" | "yellow", (text: string) => string>;

/** A label and a text. Without a label the text continues the rows before, or is an item of its own in a list. */
export type Row = readonly [label: string, text: string];

export interface Section {
  heading: string;
  rows: readonly Row[];
  /** The rows are sentences without labels, about something wrong. */
  isList?: boolean;
}

export const COLUMNS = 72;
const INDENT = "  ";
const LABEL_COLUMNS = 16;
const TEXT_COLUMN = INDENT.length + LABEL_COLUMNS;
const BULLET = "- ";

/** Sections without rows are left out. */
export function formatSections(sections: readonly Section[], style: StatusStyle): string {
  return sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ heading, isList, rows }) => {
      const lines = rows.flatMap((row) => (isList ? formatItem(row) : formatRow(row, style)));
      const head = wrapText(heading, COLUMNS).map(isList ? style.yellow : style.bold);
      return [...head, ...lines].join("\n");
    })
    .join("\n\n");
}

function formatRow([label, text]: Row, style: StatusStyle): string[] {
  const [first = "", ...rest] = wrapText(text, COLUMNS - TEXT_COLUMN);
  const head = `${INDENT}${style.bold(label)}${" ".repeat(Math.max(1, LABEL_COLUMNS - label.length))}`;
  return [(label === "" ? " ".repeat(TEXT_COLUMN) : head) + first, ...rest.map(indentTo(TEXT_COLUMN))];
}

function formatItem([, text]: Row): string[] {
  const column = INDENT.length + BULLET.length;
  const [first = "", ...rest] = wrapText(text, COLUMNS - column);
  return [`${INDENT}${BULLET}${first}`, ...rest.map(indentTo(column))];
}

/** A line at least. */
const wrapText = (text: string, columns: number): string[] =>
  text.trim() === "" ? [""] : wrap(text, columns);

const indentTo =
  (column: number) =>
  (line: string): string =>
    " ".repeat(column) + line;
