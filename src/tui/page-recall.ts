/** `/recall` as a list to pick from. */

import { toPrintable } from "../base/printable.js";
import { formatDays } from "../memory/search/found.js";
import type { Found } from "../memory/search/search.js";
import { fit } from "./columns.js";
import { type Pages, ROW_COLUMNS } from "./page.js";
import { showMemory } from "./page-memories.js";
import type { SelectPage } from "./screen-host.js";

export async function showRecall(pages: Pages, given: string): Promise<void> {
  const { actions, host, nowMs } = pages;
  const asked =
    given ||
    (await host.dialogs.prompt("Search memories and notes", {
      placeholder: "which port does the server use",
    }));
  const words = asked?.trim() ?? "";
  if (words === "") return host.dialogs.close();
  const found = await actions.recall(words);
  if (found.length === 0)
    return host.dialogs.alert(`Nothing found for "${fit(words, 40)}"`, "Try other words.");
  for (;;) {
    const index = await host.dialogs.select(planFound(words, found, nowMs()));
    const chosen = index === undefined ? undefined : found[index];
    if (!chosen) return;
    if (chosen.kind === "session") {
      await host.dialogs.alert(
        `From an earlier session, ${formatDays(chosen.date, nowMs())}`,
        toPrintable(chosen.text),
      );
      continue;
    }
    if (!(await showMemory(pages, chosen.memory.id))) return;
  }
}

/** Pure. The value is the index in `found`. */
export function planFound(words: string, found: readonly Found[], nowMs: number): SelectPage<number> {
  return {
    title: `"${fit(words, 40)}": ${found.length} found`,
    options: found.map((one, value) => {
      const isMemory = one.kind === "memory";
      return {
        title: fit(toPrintable(isMemory ? one.memory.title : one.text), ROW_COLUMNS),
        value,
        footer: formatDays(isMemory ? one.memory.updated : one.date, nowMs),
        category: isMemory ? "Memories" : "Earlier sessions",
        ...(isMemory && { description: one.memory.type }),
      };
    }),
  };
}
