/** The pages behind commands and keys. Loaded when the first one opens. */
import { formatError, StrataError } from "../base/error.js";
import { toPrintable } from "../base/printable.js";
import { type Found, formatDays } from "../memory/search/search.js";
import { fit } from "./format-sidebar.js";
import { type Opening, type Page, type Pages, ROW_COLUMNS } from "./page.js";
import { showCandidates } from "./page-candidates.js";
import { showContext } from "./page-context.js";
import { showMemories, showMemory } from "./page-memories.js";
import { showMemoryPage } from "./page-memory.js";
import type { SelectPage } from "./screen-host.js";

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
  if (isSure) await host.dialogs.alert("Taken back", toPrintable((await actions.change("undo")).what));
}

/* The notes on the session, and the user's own editor for them. */

const MOST_ROWS = 300;

export async function showNotes({ actions, host }: Pages): Promise<void> {
  const session = host.sessionID();
  const notes = session === undefined ? undefined : await actions.readNotes(session);
  if (!notes)
    return host.dialogs.alert(
      "Notes",
      "There are no notes on this session yet. They are written after each answer.",
    );
  const choice = await host.dialogs.select(planNotes(notes, actions.editor()));
  if (choice !== "edit") return host.dialogs.close();
  const changed = await actions.editFile(notes.path);
  host.dialogs.close();
  host.dialogs.toast(toPrintable(changed.what), changed.isDone ? "success" : "error");
}

/** Pure. `editor` is `undefined` where the user has set none. */
export function planNotes(
  { path, text }: { path: string; text: string },
  editor: string | undefined,
): SelectPage<"edit" | number> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return {
    title: "Notes on this session",
    options: [
      editor === undefined
        ? { title: "Set EDITOR to open them here", description: path, value: -1, category: "File" }
        : {
            title: `Open in ${fit(editor, 30)}`,
            description: "what you change stays",
            value: "edit",
            category: "File",
          },
      ...lines.slice(0, MOST_ROWS).map((line, value) => ({
        title: fit(toPrintable(line), ROW_COLUMNS),
        value,
        category: "What they say",
      })),
    ],
  };
}

/* `/recall` as a list to pick from. */

const MOST_HITS = 30;

export async function showRecall(pages: Pages, given: string): Promise<void> {
  const { actions, host, nowMs } = pages;
  const asked =
    given ||
    (await host.dialogs.prompt("Search memories and notes", {
      placeholder: "which port does the server use",
    }));
  const words = asked?.trim() ?? "";
  if (words === "") return host.dialogs.close();
  const { found } = await actions.read<{ found: Found[] }>("recall", { words, limit: MOST_HITS });
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
