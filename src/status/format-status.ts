/** Formats the status for people. */
import { formatWaiting } from "../candidates/format-waiting.js";
import { formatCount } from "../format.js";
import { formatSaved, formatSavedShort, isLoss } from "./format-saved.js";
import type { Status } from "./status.js";

/** Emphasis of labels. Messages in a session have no colours. */
export interface StatusStyle {
  bold(text: string): string;
  yellow(text: string): string;
}

/** A label and a sentence. */
export type Row = readonly [label: string, text: string];

/** Maximum number of lines of each list. */
const MOST_LINES = 5;

/** One line per row, `first` before the others. */
export function formatStatus(status: Status, style: StatusStyle, first: readonly Row[] = []): string {
  const rows = [...first, ...formatSavings(status), ...formatSessions(status), ...formatState(status)];
  const problems = status.problems.map((problem): Row => [style.yellow("Problem".padEnd(16)), problem]);
  return [...rows.map(([label, text]): Row => [style.bold(label.padEnd(16)), text]), ...problems]
    .map(([label, text]) => `${label}  ${text}`)
    .join("\n");
}

function formatSavings({ savings, sessions }: Status): Row[] {
  const { spilled, cleared, compactions, tokensFreed, cacheLost, backgroundTokens, sent, cached } = savings;
  return [
    [
      "All sessions",
      `${countOf(spilled, "result")} moved to files, ${formatCount(cleared)} cleared, history replaced ${countOf(compactions, "time")}`,
    ],
    ["", `about ${formatCount(tokensFreed)} tokens left the context and are not sent again`],
    ["", `${formatCount(sent)} tokens sent, ${formatCount(cached)} of them from the prompt cache`],
    [
      "",
      `cost: ${formatCount(cacheLost)} cached tokens written again, ${formatCount(backgroundTokens)} tokens of background calls`,
    ],
    [
      isLoss(savings) ? "Cost more" : "Saved",
      `${formatSaved(savings)}, in ${countOf(Object.keys(sessions).length, "session")}`,
    ],
  ];
}

/** The last used sessions, newest first. */
function formatSessions({ sessions }: Status): Row[] {
  const newest = Object.entries(sessions).sort(([, a], [, b]) =>
    (b.lastUsed ?? "").localeCompare(a.lastUsed ?? ""),
  );
  const rows = newest.slice(0, MOST_LINES).map(([id, session], index): Row => {
    const size = session.contextTokens;
    const context = size === undefined ? "" : `context ${formatCount(size)}, `;
    const breaker =
      session.breaker === undefined ? "" : `; automatic summaries do not help: ${session.breaker}`;
    return [
      index === 0 ? "Last sessions" : "",
      `${id}  tokens: ${context}removed ${formatCount(session.tokensFreed)}, ${formatSavedShort(session)}${breaker}`,
    ];
  });
  const more = newest.length - rows.length;
  return more > 0 ? [...rows, ["", `and ${formatCount(more)} more: strata status --json`]] : rows;
}

function formatState(status: Status): Row[] {
  const { background, blockers, candidates = 0, conflicts, folders, layers, memories, results } = status;
  const known = Object.entries(memories).map(([type, count]) => `${type} ${formatCount(count)}`);
  const names = (isOn: boolean) => Object.keys(layers).filter((name) => layers[name] === isOn);
  const off = names(false);
  return [
    ["Memories", known.join(", ") || "none"],
    ...(candidates > 0
      ? [["Candidates", `${formatWaiting(candidates)} (strata list --candidates)`] as const]
      : []),
    ...formatList(
      "Open blockers",
      blockers.map(({ id, title }) => `${title}  (${id})`),
    ),
    ...formatList(
      "Conflicts",
      conflicts.map(({ path, title }) => `two versions of "${title}", choose one: ${path}`),
    ),
    ["Switched on", names(true).join(", ") || "nothing"],
    ...(off.length > 0 ? [["Switched off", off.join(", ")] as const] : []),
    ...formatBackground(background),
    [
      "Moved results",
      `${countOf(results.files, "file")}, ${formatCount(results.bytes)} bytes, in ${folders.toolResults}`,
    ],
    ["Log", folders.log],
    ["Savings ledger", folders.savings],
  ];
}

function formatBackground(background: Status["background"]): Row[] {
  if (!background) return [];
  const { callsLeft, tokensLeft, why } = background;
  const left = `${countOf(callsLeft, "call")} and ${formatCount(tokensLeft)} tokens left today`;
  return [
    ["Background calls", left],
    ...(why === undefined ? [] : [["", `none are made now: ${why}`] as const]),
  ];
}

const countOf = (count: number, what: string): string =>
  `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;

/** One row per text; no rows for an empty list. */
function formatList(label: string, texts: readonly string[]): Row[] {
  const rows = texts.slice(0, MOST_LINES).map((text, index): Row => [index === 0 ? label : "", text]);
  const more = texts.length - rows.length;
  return more > 0 ? [...rows, ["", `and ${formatCount(more)} more`]] : rows;
}
