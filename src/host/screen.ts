/**
 * The TUI entry, `./tui` of the package. OpenCode 2 loads it beside the plugin and calls `setup`. OpenCode 1 loads it
 * only if a `tui.json` names it and calls `tui`, which does nothing: `server` does the work.
 *
 * Follows OpenCode 2's published contract, which shows toasts with `context.ui.toast.show`. Does nothing in a host
 * without it.
 */
import { isRecord } from "../records.js";

/** Warning for users of OpenCode 2. */
export const NO_PORT = "opencode-strata does nothing in OpenCode 2 yet, it works in OpenCode 1.18 only";

/** Long enough for a user who has just opened the TUI. */
const SHOWN_MS = 20_000;

/** Shows the warning as a toast in OpenCode 2. Accepts any context and never throws. */
export function sayNoPort(context: unknown): void {
  try {
    const ui = isRecord(context) ? context.ui : undefined;
    const toast = isRecord(ui) ? ui.toast : undefined;
    if (!isRecord(toast) || typeof toast.show !== "function") return;
    toast.show({
      title: "Strata",
      message: `${NO_PORT}: context and memory work as if it were not installed.`,
      variant: "warning",
      duration: SHOWN_MS,
    });
  } catch {
    // A failed toast must not break the host's TUI.
  }
}
