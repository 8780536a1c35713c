/**
 * Short messages in the TUI of OpenCode 2, which loads the `./tui` entry beside the plugin and calls `setup`: toasts
 * with `context.ui.toast.show`, on the plugin's own events from the server half. Does nothing in a host without them.
 */
import { isRecord } from "../base/shape.js";
import { SCREEN_EVENTS } from "./2/screen-events.js";

const VARIANTS = new Set(["info", "success", "warning", "error"]);

/** Shows the toasts of the server half. Accepts any context, never throws. */
export function openScreen(context: unknown): (() => void) | undefined {
  try {
    const show = findToast(context);
    return show && listen(context, show);
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
