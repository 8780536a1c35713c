/** Likely sentences that wait: each is kept or dropped. */
import { readLatest, type WaitingCandidate } from "../candidates/candidate.js";
import { formatPercent } from "../format.js";
import { formatDays } from "../memory/search/found.js";
import { toPrintable } from "../printable.js";
import { fit } from "./columns.js";
import { type Pages, ROW_COLUMNS } from "./page.js";
import type { SelectPage } from "./screen-host.js";

export async function showCandidates({ actions, host, nowMs }: Pages): Promise<void> {
  for (;;) {
    const waiting = await actions.listCandidates();
    if (waiting.length === 0)
      return host.dialogs.alert("Candidates", "No sentence waits to become a memory.");
    const id = await host.dialogs.select(planCandidates(waiting, nowMs()));
    const chosen = waiting.find((one) => one.id === id);
    if (!chosen) return;
    const deed = await host.dialogs.select(planChoice(chosen));
    if (deed === undefined) return;
    if (deed === "back") continue;
    const changed = deed === "keep" ? await actions.keep(chosen.id) : await actions.drop(chosen.id);
    host.dialogs.toast(toPrintable(changed.what), changed.isDone ? "success" : "error");
  }
}

const wordsOf = (one: WaitingCandidate): string => toPrintable(readLatest(one)?.text ?? "");

/** Pure. */
export function planCandidates(waiting: readonly WaitingCandidate[], nowMs: number): SelectPage<string> {
  return {
    title: `Sentences that may become memories (${waiting.length})`,
    options: waiting.map((one) => ({
      title: fit(wordsOf(one), ROW_COLUMNS),
      value: one.id,
      footer: formatDays(new Date(readLatest(one)?.saidMs ?? 0).toISOString(), nowMs),
      description: formatPercent(one.worth),
      category: one.type,
    })),
  };
}

function planChoice(one: WaitingCandidate): SelectPage<"keep" | "drop" | "back"> {
  return {
    title: fit(wordsOf(one), ROW_COLUMNS),
    options: [
      { title: "Keep", description: `as a ${one.type}`, value: "keep" },
      { title: "Drop", description: "it does not come back", value: "drop" },
      { title: "Back to the list", value: "back" },
    ],
  };
}
