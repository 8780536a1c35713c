/** The notes on the session, and the user's own editor for them. */
import { toPrintable } from "../base/printable.js";
import { fit } from "./columns.js";
import { type Pages, ROW_COLUMNS } from "./page.js";
import type { SelectPage } from "./screen-host.js";

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
