/** What stands in a context, as text: for `/context` where no screen half is loaded, and for `strata context`. Pure. */
import { formatCount, formatMoney } from "../base/format.js";
import { toLine } from "../text/text.js";
import type { Action, ActionCost, ContextItem, ContextItems } from "./context-items.js";
import { formatName } from "./find-item.js";

export interface TableOptions {
  /** Number of items shown. */
  most: number;
  /** Characters of a line. */
  width: number;
  /** What a person types before an action: "strata" or "/context". */
  command: string;
}

const USUAL_ACTIONS = "drop, pin, unpin, expand, undo-cut";
const LEAST_NAME = 16;

export function formatItems(
  { budget, items, omitted, tokens }: ContextItems,
  { command, most, width }: TableOptions,
): string {
  const shown = items.slice(0, most);
  const share = budget > 0 ? ` (${Math.round((tokens / budget) * 100)} %)` : "";
  const head = `${formatCount(tokens)} tokens of ${formatCount(budget)}${share} in the context of this session.`;
  if (shown.length === 0)
    return `${head}\nNothing in it can be steered yet: no tool was called, and no turn has ended.`;
  const rows = shown.map((item) => [
    item.id,
    formatCount(item.tokens),
    String(item.turn),
    String(item.age),
    formatName(item),
    formatState(item),
  ]);
  const table = formatTable([["id", "tokens", "turn", "age", "what", "state"], ...rows], width);
  const left = items.length - shown.length + omitted;
  return [
    head,
    "",
    ...table,
    ...(left > 0 ? [`… and ${formatCount(left)} smaller ones`] : []),
    "",
    `${command} ACTION ID changes one, with your next message: ${USUAL_ACTIONS}. Age is counted in answers.`,
  ].join("\n");
}

/** The columns are aligned; the one before the last is shortened to fit the width. */
function formatTable(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const named = columns - 2;
  const others = widths.reduce((sum, one, at) => (at === named ? sum : sum + one), 0) + 2 * (columns - 1);
  const room = Math.min(widths[named] ?? 0, Math.max(LEAST_NAME, width - others));
  return rows.map((row) =>
    row
      .map((cell, at) => {
        if (at === named) return toLine(cell, room - 1).padEnd(room);
        const isNumber = at > 0 && at < named;
        return isNumber ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}

function formatState({ isPinned, state, superseded }: ContextItem): string {
  return [isPinned ? `${state}, pinned` : state, ...(superseded === undefined ? [] : [superseded])].join(
    ", ",
  );
}

/** What an action will do, before it is done. */
export function formatCost(item: ContextItem, action: Action, cost: ActionCost): string {
  const name = `${item.id} (${formatName(item)})`;
  if (action === "pin") return `${name} will be pinned: no layer moves it. That costs nothing.`;
  if (action === "unpin") return `${name} will be unpinned: layers may move it again. That costs nothing.`;
  const { cacheLost, dollars, frees } = cost;
  const money = dollars === undefined || dollars === 0 ? "" : `, about ${formatMoney(dollars)}`;
  const lost =
    cacheLost === 0
      ? `no cached tokens are lost${money}`
      : `${formatCount(cacheLost)} cached tokens are written again${money}`;
  if (action === "drop")
    return `${name} will leave the context: about ${formatCount(frees)} tokens fewer in each request; ${lost}. Its whole text stays in a file that the context names.`;
  const what =
    action === "expand"
      ? "will come back whole, once, behind your next message"
      : "will be undone: the messages before it are sent again";
  return `${name} ${what}: about ${formatCount(-frees)} tokens more in each request; ${lost}.`;
}
