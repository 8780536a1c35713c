/** The pages behind commands and keys. Loaded when the first one opens. */
import { formatError, StrataError } from "../error.js";
import { toPrintable } from "../printable.js";
import type { Actions } from "./actions.js";
import { showCandidates } from "./page-candidates.js";
import { showContext } from "./page-context.js";
import { showMemories } from "./page-memories.js";
import { showMemoryPage } from "./page-memory.js";
import { showNotes } from "./page-notes.js";
import { showRecall } from "./page-recall.js";
import type { ScreenHost } from "./screen-host.js";
import type { Shown } from "./sound-screen.js";
import type { PageName } from "./submitted.js";

/** What a page works with. */
export interface Pages {
  actions: Actions;
  host: ScreenHost;
  /** The figures of the session on the screen. */
  shown: Shown | undefined;
  nowMs(): number;
}

export type Page = PageName | "memories" | "undo";

/** Resolves when the page is closed. Never rejects: what fails is told in a dialog, and to `complain` if unexpected. */
export async function openPage(
  { complain, page, words = "" }: { page: Page; words?: string; complain(thrown: unknown): void },
  pages: Pages,
): Promise<void> {
  try {
    await show(page, words, pages);
  } catch (thrown) {
    if (!(thrown instanceof StrataError)) complain(thrown);
    await pages.host.dialogs.alert(`Strata: /${page}`, toPrintable(formatError(thrown)));
  }
}

async function show(page: Page, words: string, pages: Pages): Promise<void> {
  const next = page === "memory" ? await showMemoryPage(pages) : page;
  if (next === "context") return showContext(pages);
  if (next === "recall") return showRecall(pages, words);
  if (next === "keep") return showCandidates(pages);
  if (next === "notes") return showNotes(pages);
  if (next === "memories") return showMemories(pages);
  if (next === "undo") return undo(pages);
  pages.host.dialogs.close();
}

async function undo({ actions, host }: Pages): Promise<void> {
  const isSure = await host.dialogs.confirm(
    "Take back the last change of memory",
    "Undoes what was last remembered, changed or archived, or the whole last dream. Memories changed since stay.",
  );
  if (isSure) await host.dialogs.alert("Taken back", toPrintable(await actions.undo()));
}
