/**
 * Short messages in the TUI of OpenCode 2, which loads the `./tui` entry beside the plugin and calls `setup`. Follows its
 * published contract: toasts with `context.ui.toast.show`, a durable store, and the plugin's own events from the server
 * half. Does nothing in a host without them.
 */
import { isRecord } from "../records.js";
import { SCREEN_EVENTS } from "./setup/screen-events.js";

/** How far the plugin has been tried in OpenCode 2. */
export const WRITTEN_AGAINST =
  "Strata is written against OpenCode 2's documentation of September 2026 and has not yet been run in it";

/** Long enough for a user who has just opened the TUI. */
const SHOWN_MS = 20_000;
/** Name of the durable store, and its contents before the first start. */
const STORE = "strata";
const FRESH = { isSaid: false };
const VARIANTS = new Set(["info", "success", "warning", "error"]);

/**
 * Says once that the plugin has not been run in OpenCode 2, and shows its toasts. Accepts any context, never throws.
 */
export function openScreen(context: unknown): (() => void) | undefined {
  try {
    const show = findToast(context);
    if (!show) return undefined;
    if (isFirst(context))
      show({
        title: "Strata",
        message: `${WRITTEN_AGAINST}. Run strata doctor to see what works here.`,
        variant: "warning",
        duration: SHOWN_MS,
      });
    return listen(context, show);
  } catch {
    // A failed toast must not break the host's TUI.
    return undefined;
  }
}

type Show = (toast: object) => unknown;

function findToast(context: unknown): Show | undefined {
  const ui = isRecord(context) ? context.ui : undefined;
  const toast = isRecord(ui) ? ui.toast : undefined;
  if (!isRecord(toast) || typeof toast.show !== "function") return undefined;
  return (given) => (toast.show as Show)(given);
}

/** Without a store that remembers, every start is the first. */
function isFirst(context: unknown): boolean {
  const storage = isRecord(context) ? context.storage : undefined;
  if (!isRecord(storage) || typeof storage.store !== "function") return true;
  const pair: unknown = storage.store(STORE, { initial: FRESH });
  const [state, update]: unknown[] = Array.isArray(pair) ? pair : [];
  if (isRecord(state) && state.isSaid === true) return false;
  if (typeof update === "function")
    void Promise.resolve(
      update((draft: unknown) => {
        if (isRecord(draft)) draft.isSaid = true;
      }),
    ).catch(() => {});
  return true;
}

/** The server half has no screen of its own. Its events reach the screens of every location. */
function listen(context: unknown, show: Show): (() => void) | undefined {
  const { client, location } = isRecord(context) ? context : {};
  if (!isRecord(client) || typeof client.rpc !== "function") return undefined;
  const rpc: unknown = client.rpc(SCREEN_EVENTS);
  const events = isRecord(rpc) ? rpc.events : undefined;
  if (!isRecord(events) || typeof events.on !== "function") return undefined;
  const stop: unknown = events.on("toast", (event: unknown) => {
    const toast = readToast(event, location);
    if (toast) show(toast);
  });
  return typeof stop === "function" ? () => void stop() : undefined;
}

function readToast(event: unknown, here: unknown): object | undefined {
  if (!isRecord(event) || !isRecord(event.data)) return undefined;
  const { data, location } = event;
  const isElsewhere = isRecord(here) && isRecord(location) && here.directory !== location.directory;
  if (isElsewhere || typeof data.message !== "string") return undefined;
  const variant = VARIANTS.has(String(data.variant)) ? data.variant : "info";
  return { message: data.message, variant };
}
