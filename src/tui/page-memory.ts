/** `/memory` as a page: the session's figures, the project's, and what can be done. */

import { fit, padTo } from "../base/columns.js";
import { countMemories, formatCounted, formatPercent, formatTokens } from "../base/format.js";
import { KIND_NAMES } from "../status/format-figures.js";
import type { SessionScreen } from "../status/session-screen.js";
import { formatLess, formatSaving, listProblems, rankKinds } from "./format-sidebar.js";
import { type Opening, type Page, ROW_COLUMNS } from "./page.js";
import type { SelectOption, SelectPage } from "./screen-host.js";

/** A row's page; a row without one has a sentence of its own, or only shows a figure. */
export type MemoryChoice = { page: Exclude<Page, "memory"> } | { sentence: string } | { row: string };

type Option = SelectOption<MemoryChoice>;

const LABEL_COLUMNS = 18;
const STEERING: readonly Option[] = [
  {
    title: "See what fills the context …",
    description: "drop, pin, expand",
    value: { page: "context" },
    category: "Steer",
  },
  { title: "Open the notes on this session …", value: { page: "notes" }, category: "Steer" },
];

/** Resolves with the page to open next; `undefined` once the user has closed this one. */
export async function showMemoryPage({ host, shown }: Opening): Promise<Exclude<Page, "memory"> | undefined> {
  const page = planMemoryPage(shown);
  let current: MemoryChoice | undefined;
  for (;;) {
    const choice = await host.dialogs.select({ ...page, ...(current && { current }) });
    if (!choice) return undefined;
    if ("page" in choice) return choice.page;
    if ("sentence" in choice) await host.dialogs.alert("Strata", choice.sentence);
    current = choice;
  }
}

/** Pure. */
export function planMemoryPage(screen: SessionScreen | undefined): SelectPage<MemoryChoice> {
  return {
    title: screen?.title ? `Strata: ${fit(screen.title, 50)}` : "Strata",
    options: [
      ...(screen
        ? [...planSession(screen), ...planNow(screen), ...planKinds(screen)]
        : [figure("This session", "context", "figures follow with the next request")]),
      ...planMemory(screen),
      ...(screen ? STEERING : []),
    ],
  };
}

const figure = (category: string, label: string, text: string): Option => ({
  title: padTo(label, LABEL_COLUMNS) + fit(text, ROW_COLUMNS - LABEL_COLUMNS),
  value: { row: `${category} ${label}` },
  category,
});

function planSession({ cache, context, saved }: SessionScreen): Option[] {
  const { isEstimate, now, threshold, without } = context;
  const of = threshold > 0 ? ` of ${formatTokens(threshold)}, ${formatPercent(now / threshold)}` : "";
  const category = "This session";
  const rates = [
    ...(cache.last === undefined ? [] : [`${formatPercent(cache.last)} in the last request`]),
    ...(cache.session === undefined ? [] : [`${formatPercent(cache.session)} in all`]),
  ];
  return [
    figure(category, "context", `${isEstimate ? "about " : ""}${formatTokens(now)} tokens${of}`),
    ...(without > now
      ? [figure(category, "without Strata", `${formatTokens(without)} tokens (${formatLess(context)})`)]
      : []),
    ...(rates.length > 0 ? [figure(category, "cache hits", rates.join(", "))] : []),
    figure(category, "saved", formatSaving(saved.session)),
    figure("Project", "saved today", formatSaving(saved.today)),
    figure("Project", "saved in all", formatSaving(saved.project)),
  ];
}

const planKinds = ({ context }: SessionScreen): Option[] =>
  rankKinds(context).map((kind) => {
    const tokens = context.kinds[kind];
    const part = context.now > 0 ? `, ${formatPercent(tokens / context.now)}` : "";
    return figure("In the context", KIND_NAMES[kind], `${formatTokens(tokens)} tokens${part}`);
  });

/** Sentences are shown whole when they are chosen. */
const planNow = (screen: SessionScreen): Option[] =>
  [...listProblems(screen), ...screen.background.map((one) => `in the background: ${one}`)].map(
    (sentence) => ({ title: fit(sentence, ROW_COLUMNS), value: { sentence }, category: "Now" }),
  );

function planMemory(screen: SessionScreen | undefined): Option[] {
  const category = "Memory";
  const { blockers = 0, candidates = 0, memories, todos = 0 } = screen?.memory ?? {};
  const known = [
    ...(memories === undefined ? [] : [countMemories(memories)]),
    ...(blockers > 0 ? [formatCounted(blockers, "open blocker")] : []),
  ];
  return [
    {
      title: "Settle what waits for you …",
      description: todos > 0 ? formatCounted(todos, "thing") : "nothing",
      value: { page: "todo" },
      category,
    },
    {
      title: "Look at the memories …",
      description: known.join(", "),
      value: { page: "memories" },
      category,
    },
    {
      title: "Keep or drop candidates …",
      description: candidates > 0 ? formatCounted(candidates, "likely sentence") : "",
      value: { page: "keep" },
      category,
    },
    {
      title: "Search …",
      description: "memories and what was said in earlier sessions",
      value: { page: "recall" },
      category,
    },
    { title: "Take back the last change …", value: { page: "undo" }, category },
  ];
}
