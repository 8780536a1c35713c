/** The pages behind commands and keys. Loaded when the first one opens. */
import { formatError, StrataError } from "../base/error.js";
import { toPrintable } from "../base/printable.js";
import type { Opening, Page, Pages } from "./page.js";
import { showCandidates } from "./page-candidates.js";
import { showContext } from "./page-context.js";
import { showMemories } from "./page-memories.js";
import { showMemoryPage } from "./page-memory.js";
import { showNotes } from "./page-notes.js";
import { showRecall } from "./page-recall.js";

/** Resolves when the page is closed. Never rejects: what fails is told in a dialog, and to `complain` if unexpected. */
export async function openPage(
  { complain, page, words = "" }: { page: Page; words?: string; complain(thrown: unknown): void },
  opening: Opening,
): Promise<void> {
  try {
    await show(page, words, opening);
  } catch (thrown) {
    const isExpected = thrown instanceof StrataError;
    if (!isExpected) complain(thrown);
    const why = isExpected ? thrown.message : formatError(thrown);
    await opening.host.dialogs.alert(`Strata: /${page}`, toPrintable(why));
  }
}

async function show(page: Page, words: string, opening: Opening): Promise<void> {
  const next = page === "memory" ? await showMemoryPage(opening) : page;
  if (next === undefined) return;
  const pages: Pages = { ...opening, actions: await opening.loadActions() };
  if (next === "context") return showContext(pages);
  if (next === "recall") return showRecall(pages, words);
  if (next === "keep") return showCandidates(pages);
  if (next === "notes") return showNotes(pages);
  if (next === "memories") return showMemories(pages);
  return undo(pages);
}

async function undo({ actions, host }: Pages): Promise<void> {
  const isSure = await host.dialogs.confirm(
    "Take back the last change of memory",
    "Undoes what was last remembered, changed or archived, or the whole last dream. Memories changed since stay.",
  );
  if (isSure) await host.dialogs.alert("Taken back", toPrintable(await actions.undo()));
}
