/**
 * The screen half, `./tui` of the package. OpenCode 2 loads it by itself beside the plugin and calls `setup`; OpenCode
 * 1 loads it only where a `tui.json` names it and calls `tui`, which has nothing to say there: `server` does the work.
 *
 * Made after the published contract of OpenCode 2, which shows a short message by `context.ui.toast.show`. A host that
 * offers something else is left alone.
 */
import { isRecord } from "../records.js";

/** What people have to know about OpenCode 2. */
export const NO_PORT = "opencode-strata does nothing in OpenCode 2 yet, it works in OpenCode 1.18 only";

/** Long enough to be read by somebody who has just opened a screen. */
const SHOWN_MS = 20_000;

/** Says so on the screen of OpenCode 2. Takes whatever it is given and never throws. */
export function sayNoPort(context: unknown): void {
  try {
    const ui = isRecord(context) ? context.ui : undefined;
    const toast = isRecord(ui) ? ui.toast : undefined;
    if (!isRecord(toast) || typeof toast.show !== "function") return;
    toast.show({
      title: "Strata",
      message: `${NO_PORT}: your context and memory are as without it.`,
      variant: "warning",
      duration: SHOWN_MS,
    });
  } catch {
    // A host that does not know such messages shows none; it must not lose its screen over one.
  }
}
