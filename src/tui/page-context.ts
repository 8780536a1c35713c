/** `/context` as a page: what stands in the context, largest first, and what can be done about each item. */
import { toPrintable } from "../printable.js";
import type { Action, ContextItem } from "../steering/context-items.js";
import { fit } from "./columns.js";
import { countOf, formatTokens } from "./figures.js";
import { formatMoney } from "../format.js";
import type { Pages } from "./pages.js";
import type { SelectOption, SelectPage } from "./screen-host.js";

const ROW_COLUMNS = 61;
const NAME_COLUMNS = 44;

export const ACTION_NAMES: Readonly<Record<Action, string>> = {
  drop: "Drop",
  pin: "Pin",
  unpin: "Unpin",
  expand: "Expand",
  "undo-cut": "Undo the cut",
};

const ACTION_ENDS: Readonly<Record<Action, string>> = {
  drop: "out of the context from the next request on; the whole stays in its file",
  pin: "no layer ever moves it",
  unpin: "layers may move it again",
  expand: "the whole comes back once, at the end of the context",
  "undo-cut": "the messages before it are sent again while they fit",
};

export async function showContext({ actions, host, nowMs: _ }: Pages): Promise<void> {
  const session = host.sessionID();
  if (session === undefined)
    return host.dialogs.alert("Context", "There is no session on the screen. Open one first.");
  for (;;) {
    const items = await actions.readItems(session);
    if (!items || items.length === 0)
      return host.dialogs.alert("Context", "Nothing is known yet. The list is written with the next request.");
    const id = await host.dialogs.select(planContext(items));
    const item = items.find((one) => one.id === id);
    if (!item) return;
    const action = await host.dialogs.select(planItem(item));
    if (action === undefined) return;
    if (action === "back" || typeof action === "object") continue;
    if (!(await host.dialogs.confirm(`${ACTION_NAMES[action]}?`, formatConsequence(item, action)))) continue;
    await actions.steer({ session, action, item: item.id });
    host.dialogs.toast(`${ACTION_NAMES[action].toLowerCase()}: from the next request on`, "success");
  }
}

const KIND_OF: Readonly<Record<ContextItem["kind"], string>> = {
  result: "result",
  input: "input",
  turn: "turn",
  cut: "cut",
  summary: "summary",
};

/** Pure. In the order of the file, which is largest first. */
export function planContext(items: readonly ContextItem[]): SelectPage<string> {
  const sum = items.reduce((total, { tokens }) => total + tokens, 0);
  return {
    title: `Context: ${countOf(items.length, "item")}, ${formatTokens(sum)} tokens`,
    placeholder: "Filter",
    options: items.map((item) => ({
      title: fit(`${item.tool ?? KIND_OF[item.kind]}  ${toPrintable(item.name)}`, NAME_COLUMNS),
      value: item.id,
      description: describeItem(item),
      footer: formatTokens(item.tokens),
    })),
  };
}

function describeItem({ isPinned, state, superseded, turn }: ContextItem): string {
  return [
    `turn ${turn}`,
    ...(isPinned ? ["pinned"] : []),
    ...(state === "whole" ? [] : [state]),
    ...(superseded === undefined ? [] : [toPrintable(superseded)]),
  ].join(", ");
}

type ItemChoice = Action | "back" | { row: number };

/** Pure. What is impossible says why. */
export function planItem(item: ContextItem): SelectPage<ItemChoice> {
  const possible = (Object.keys(ACTION_NAMES) as Action[]).filter((one) => item.actions[one] !== undefined);
  const impossible = (Object.keys(ACTION_NAMES) as Action[]).flatMap((one) => {
    const why = item.actions[one] === undefined ? item.not?.[one] : undefined;
    return why === undefined ? [] : [`${ACTION_NAMES[one]} is not possible: ${why}`];
  });
  const facts = [
    `${item.tool ?? KIND_OF[item.kind]} in turn ${item.turn}, ${countOf(item.age, "answer")} ago`,
    `${formatTokens(item.tokens)} tokens as sent now, ${formatTokens(item.wholeTokens)} whole`,
    ...(item.superseded === undefined ? [] : [item.superseded]),
    ...(item.file === undefined ? [] : [`whole in ${item.file}`]),
    ...impossible,
  ];
  return {
    title: fit(toPrintable(item.name), ROW_COLUMNS),
    options: [
      ...possible.map(
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
  const parts = [
    ...(frees > 0 ? [`frees ${formatTokens(frees)}`] : []),
    ...(frees < 0 ? [`adds ${formatTokens(-frees)}`] : []),
    ...(cacheLost > 0
      ? [`loses ${formatTokens(cacheLost)} of cache${dollars > 0 ? ` (${formatMoney(dollars)})` : ""}`]
      : ["loses no cache"]),
  ];
  return parts.join(", ");
}

function formatConsequence(item: ContextItem, action: Action): string {
  const file = action === "drop" && item.file !== undefined ? ` ${item.file}` : "";
  return `${fit(toPrintable(item.name), 60)}: ${ACTION_ENDS[action]}${file}. It ${formatPrice(item, action)}.`;
}
