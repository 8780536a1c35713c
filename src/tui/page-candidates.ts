/** Likely sentences that wait: each is kept or dropped. */
import { formatPercent } from "../base/format.js";
import { toPrintable } from "../base/printable.js";
import { formatDays } from "../memory/search/search.js";
import type { DescribedCandidate } from "../operations/candidates.js";
import { fit, wrap } from "./format-sidebar.js";
import { type Pages, ROW_COLUMNS } from "./page.js";
import type { SelectPage } from "./screen-host.js";

export async function showCandidates({ actions, host, nowMs }: Pages): Promise<void> {
  for (;;) {
    const { candidates: waiting } = await actions.read<{ candidates: DescribedCandidate[] }>("candidates");
    if (waiting.length === 0)
      return host.dialogs.alert("Candidates", "No sentence waits to become a memory.");
    const picked = await host.dialogs.select(planCandidates(waiting, nowMs()));
    if (!picked) return;
    const chosen = waiting.find(({ id }) => id === picked.id);
    if (!chosen) return;
    const deed = picked.deed ?? (await host.dialogs.select(planChoice(chosen)));
    if (deed === undefined) return;
    if (typeof deed === "object" || deed === "back") continue;
    const changed = await actions.change(deed, { ids: [chosen.id] });
    host.dialogs.toast(toPrintable(changed.what), changed.isDone ? "success" : "error");
  }
}

const wordsOf = ({ text }: DescribedCandidate): string => toPrintable(text);

/** A candidate, and what a key has decided about it. */
interface Picked {
  id: string;
  deed?: "keep" | "drop";
}

/** Pure. In the store's order, which is that of worth. */
export function planCandidates(waiting: readonly DescribedCandidate[], nowMs: number): SelectPage<Picked> {
  return {
    title: `Sentences that may become memories (${waiting.length})`,
    options: waiting.map((one) => ({
      title: fit(wordsOf(one), ROW_COLUMNS),
      value: { id: one.id },
      footer: formatDays(one.said.at(-1)?.at ?? "", nowMs),
      description: [
        one.sessions > 1 && `said in ${one.sessions} sessions`,
        formatPercent(one.worth),
        one.type,
      ]
        .filter(Boolean)
        .join(", "),
    })),
    keys: [
      { key: "ctrl+y", title: "keeps", choose: ({ id }) => ({ id, deed: "keep" }) },
      { key: "ctrl+d", title: "drops", choose: ({ id }) => ({ id, deed: "drop" }) },
    ],
  };
}

type Choice = "keep" | "drop" | "back" | { row: number };

/** Pure. The sentence is marked between those beside it. */
export function planChoice(one: DescribedCandidate): SelectPage<Choice> {
  const { after, before, text } = one;
  const rows = [
    ...(before === undefined ? [] : wrap(toPrintable(before), ROW_COLUMNS - MARK.length)),
    ...wrap(toPrintable(text), ROW_COLUMNS - MARK.length).map((line) => `${MARK}${line}`),
    ...(after === undefined ? [] : wrap(toPrintable(after), ROW_COLUMNS - MARK.length)),
  ].slice(0, MOST_ROWS);
  return {
    title: fit(wordsOf(one), ROW_COLUMNS),
    options: [
      { title: "Keep", description: `as a ${one.type}`, value: "keep", category: "Do" },
      { title: "Drop", description: "it does not come back", value: "drop", category: "Do" },
      { title: "Back to the list", value: "back", category: "Do" },
      ...rows.map((title, row) => ({ title, value: { row }, category: "What you said" })),
    ],
  };
}

const MARK = "▸ ";
const MOST_ROWS = 20;
