/** `/memory` as a page: the session's figures, the project's, and what can be done. */

import { formatPercent, formatTokens } from "../format.js";
import { fit, padTo } from "./columns.js";
import { countOf, formatChange, formatSaving } from "./figures.js";
import { KIND_NAMES } from "./format-sidebar.js";
import { type Opening, type Page, ROW_COLUMNS } from "./page.js";
import type { SelectOption, SelectPage } from "./screen-host.js";
import type { Shown } from "./sound-screen.js";

/** A row's page; a row without one has a sentence of its own, or only shows a figure. */
export type MemoryChoice = { page: Exclude<Page, "memory"> } | { sentence: string } | { row: string };

type Option = SelectOption<MemoryChoice>;

const LABEL_COLUMNS = 18;

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
export function planMemoryPage(shown: Shown | undefined): SelectPage<MemoryChoice> {
  const title = shown?.title === undefined ? "Strata" : `Strata: ${fit(shown.title, 50)}`;
  return {
    title,
    placeholder: "Filter",
    options: [
      ...(shown ? [...planSession(shown), ...planNow(shown), ...planKinds(shown)] : planNothing()),
      ...planMemory(shown),
      ...planDoing(shown),
    ],
  };
}

const figure = (category: string, label: string, text: string): Option => ({
  title: padTo(label, LABEL_COLUMNS) + fit(text, ROW_COLUMNS - LABEL_COLUMNS),
  value: { row: `${category} ${label}` },
  category,
});

function planNothing(): Option[] {
  return [figure("This session", "context", "figures follow with the next request")];
}

function planSession({ hits, isEstimate, now, saved, threshold, without }: Shown): Option[] {
  const of =
    threshold === undefined ? "" : ` of ${formatTokens(threshold)}, ${formatPercent(now / threshold)}`;
  const change = without === undefined ? undefined : formatChange(now, without);
  const category = "This session";
  const rates = [
    ...(hits.last === undefined ? [] : [`${formatPercent(hits.last)} in the last request`]),
    ...(hits.session === undefined ? [] : [`${formatPercent(hits.session)} in all`]),
  ];
  return [
    figure(category, "context", `${isEstimate ? "about " : ""}${formatTokens(now)} tokens${of}`),
    ...(without !== undefined && change !== undefined && without > now
      ? [figure(category, "without Strata", `${formatTokens(without)} tokens (${change})`)]
      : []),
    ...(rates.length > 0 ? [figure(category, "cache hits", rates.join(", "))] : []),
    ...(saved.session ? [figure(category, "saved", formatSaving(saved.session))] : []),
    ...(saved.today ? [figure("Project", "saved today", formatSaving(saved.today))] : []),
    ...(saved.project ? [figure("Project", "saved in all", formatSaving(saved.project))] : []),
  ];
}

function planKinds({ kinds, now }: Shown): Option[] {
  return [...kinds]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, tokens]) => {
      const part = now > 0 ? `, ${formatPercent(tokens / now)}` : "";
      return figure("In the context", KIND_NAMES[kind], `${formatTokens(tokens)} tokens${part}`);
    });
}

/** Sentences are shown whole when they are chosen. */
function planNow({ background, breaker, warnings }: Shown): Option[] {
  const off = breaker === undefined ? [] : [`automatic summaries do not help: ${breaker}`];
  return [...off, ...warnings, ...background.map((one) => `in the background: ${one}`)].map((sentence) => ({
    title: fit(sentence, ROW_COLUMNS),
    value: { sentence },
    category: "Now",
  }));
}

function planMemory(shown: Shown | undefined): Option[] {
  const category = "Memory";
  const { blockers = 0, candidates = 0, conflicts = 0, memories } = shown?.memory ?? {};
  const open = [
    ...(blockers > 0 ? [countOf(blockers, "open blocker")] : []),
    ...(conflicts > 0 ? [countOf(conflicts, "conflict")] : []),
  ].join(", ");
  const known = memories === undefined ? "" : countOf(memories, "memory", "memories");
  return [
    {
      title: "Look at the memories …",
      description: [known, open].filter((one) => one !== "").join(", "),
      value: { page: "memories" },
      category,
    },
    {
      title: "Keep or drop candidates …",
      description: candidates > 0 ? `${countOf(candidates, "likely sentence")} that wait` : "",
      value: { page: "keep" },
      category,
    },
    {
      title: "Search …",
      description: "memories and notes of earlier sessions",
      value: { page: "recall" },
      category,
    },
    { title: "Take back the last change …", value: { page: "undo" }, category },
  ];
}

function planDoing(shown: Shown | undefined): Option[] {
  const category = "Steer";
  if (!shown) return [];
  return [
    {
      title: "See what fills the context …",
      description: "drop, pin, expand",
      value: { page: "context" },
      category,
    },
    { title: "Open the notes on this session …", value: { page: "notes" }, category },
  ];
}
