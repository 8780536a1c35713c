/** `/context` as a page: what stands in the context, largest first, and what can be done about each item. */
import { StrataError } from "../base/error.js";
import { formatCounted, formatMoney, formatPercent, formatTokens } from "../base/format.js";
import { toPrintable } from "../base/printable.js";
import {
  ACTIONS,
  type Action,
  type ContextItem,
  type ContextItems,
  formatCost,
  formatName,
  requireAction,
} from "../status/context-items.js";
import { fit, padTo } from "./format-sidebar.js";
import { type Pages, ROW_COLUMNS } from "./page.js";
import type { SelectOption, SelectPage } from "./screen-host.js";

/** Leaves room for the description in a dialog of 88 columns. */
const NAME_COLUMNS = 36;

const ACTION_NAMES: Readonly<Record<Action, string>> = {
  drop: "Drop",
  pin: "Pin",
  unpin: "Unpin",
  expand: "Expand",
  "undo-cut": "Undo the cut",
};

export async function showContext({ actions, host }: Pages): Promise<void> {
  const session = host.sessionID();
  if (session === undefined)
    return host.dialogs.alert("Context", "No session is on the screen. Open one first.");
  for (let current: string | undefined; ; ) {
    const read = await readItems(actions, session);
    if (!read || read.items.length === 0)
      return host.dialogs.alert(
        "Context",
        "Nothing in it can be steered yet. The list is written behind each request.",
      );
    const id = await host.dialogs.select({
      ...planContext(read, new Map(Object.entries(read.asked))),
      ...(current !== undefined && { current }),
    });
    const item = read.items.find((one) => one.id === id);
    if (!item) return;
    current = item.id;
    const action = await host.dialogs.select(planItem(item));
    if (action === undefined) return;
    if (action === "back" || typeof action === "object") continue;
    const cost = requireAction(item, action);
    const isSure = await host.dialogs.confirm(
      `${ACTION_NAMES[action]}?`,
      toPrintable(formatCost(item, action, cost)),
    );
    if (!isSure) continue;
    const { isDone, what } = await actions.change(`context ${action}`, { session, ids: [item.id] });
    const done = `${action} ${fit(formatName(item), 60)}: with your next message`;
    host.dialogs.toast(toPrintable(isDone ? done : what), isDone ? "success" : "error");
  }
}

/** `undefined` if nothing is written yet. */
async function readItems(
  actions: Pages["actions"],
  session: string,
): Promise<(ContextItems & { asked: Record<string, Action> }) | undefined> {
  try {
    return await actions.read("context", { session });
  } catch (thrown) {
    if (thrown instanceof StrataError && thrown.code === "NO_SESSION") return undefined;
    throw thrown;
  }
}

/** Pure. In the order of the file, which is largest first. `asked`: what is done with the next message, by item. */
export function planContext(
  { budget, items, omitted, tokens }: ContextItems,
  asked: ReadonlyMap<string, Action> = new Map(),
): SelectPage<string> {
  const of =
    budget > 0 ? ` of ${formatTokens(budget)} tokens (${formatPercent(tokens / budget)})` : " tokens";
  const more = omitted > 0 ? `, ${omitted} smaller ones left out` : "";
  return {
    title: `Context: ${formatTokens(tokens)}${of}${more}`,
    options: items.map((item) => ({
      title: padTo(fit(toPrintable(formatName(item)), NAME_COLUMNS), NAME_COLUMNS),
      value: item.id,
      description: describeItem(item, asked.get(item.id)),
      footer: formatTokens(item.tokens),
    })),
  };
}

function describeItem({ isPinned, state, superseded, turn }: ContextItem, asked: Action | undefined): string {
  return [
    ...(asked === undefined ? [] : [`${asked} asked for`]),
    `turn ${turn}`,
    ...(isPinned ? ["pinned"] : []),
    ...(state === "whole" ? [] : [state]),
    ...(superseded === undefined ? [] : [toPrintable(superseded)]),
  ].join(", ");
}

type ItemChoice = Action | "back" | { row: number };

/** Pure. What is not possible says why. */
export function planItem(item: ContextItem): SelectPage<ItemChoice> {
  const impossible = ACTIONS.flatMap((one) => {
    const why = item.actions[one] === undefined ? item.not?.[one] : undefined;
    return why === undefined ? [] : [`${ACTION_NAMES[one]}: not possible, ${why}`];
  });
  const facts = [
    `turn ${item.turn}, ${formatCounted(item.age, "answer")} ago, ${item.state}${item.isPinned ? ", pinned" : ""}`,
    `${formatTokens(item.tokens)} tokens as sent now, ${formatTokens(item.wholeTokens)} whole`,
    ...(item.superseded === undefined ? [] : [item.superseded]),
    ...(item.file === undefined ? [] : [`whole in ${item.file}`]),
    ...impossible,
  ];
  return {
    title: fit(toPrintable(formatName(item)), ROW_COLUMNS),
    options: [
      ...ACTIONS.filter((one) => item.actions[one] !== undefined).map(
        (value): SelectOption<ItemChoice> => ({
          title: `${ACTION_NAMES[value]} …`,
          description: formatPrice(item, value),
          value,
          category: "Do",
        }),
      ),
      { title: "Back to the list", value: "back", category: "Do" },
      ...facts.map(
        (fact, row): SelectOption<ItemChoice> => ({
          title: fit(toPrintable(fact), ROW_COLUMNS),
          value: { row },
          category: "About it",
        }),
      ),
    ],
  };
}

/** "frees 12.3K, loses 8.1K of cache ($0.02)". */
function formatPrice({ actions }: ContextItem, action: Action): string {
  const { cacheLost = 0, dollars = 0, frees = 0 } = actions[action] ?? {};
  const money = dollars > 0 ? ` (${formatMoney(dollars)})` : "";
  return [
    ...(frees > 0 ? [`frees ${formatTokens(frees)}`] : []),
    ...(frees < 0 ? [`adds ${formatTokens(-frees)}`] : []),
    cacheLost > 0 ? `loses ${formatTokens(cacheLost)} of cache${money}` : "loses no cache",
  ].join(", ");
}
