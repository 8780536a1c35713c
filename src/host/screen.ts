/**
 * Short messages in the TUI of OpenCode 2, which loads the `./tui` entry beside the plugin and calls `setup`: toasts
 * with `context.ui.toast.show`, on the plugin's own events from the server half.
 */
import { isRecord } from "../base/shape.js";

const VARIANTS = new Set(["info", "success", "warning", "error"]);

interface ScreenContext {
  location?: unknown;
  ui: { toast: { show(toast: object): unknown } };
  client: {
    rpc(events: object): { events: { on(name: string, listener: (event: unknown) => void): () => void } };
  };
}

/** Shows the toasts of the server half. Accepts any context and never throws: it would break the host's TUI. */
export function openScreen(context: unknown): (() => void) | undefined {
  try {
    const { client, location, ui } = context as ScreenContext;
    if (typeof ui.toast.show !== "function") return undefined;
    const stop = client.rpc(SCREEN_EVENTS).events.on("toast", (event) => {
      const toast = readToast(event, location);
      if (toast) ui.toast.show(toast);
    });
    return () => void stop();
  } catch {
    return undefined;
  }
}

/** The events reach the screens of every location. */
function readToast(event: unknown, here: unknown): object | undefined {
  if (!isRecord(event) || !isRecord(event.data)) return undefined;
  const { data, location } = event;
  const isElsewhere = isRecord(here) && isRecord(location) && here.directory !== location.directory;
  if (isElsewhere || typeof data.message !== "string") return undefined;
  const variant = VARIANTS.has(String(data.variant)) ? data.variant : "info";
  return { message: data.message, variant };
}

/** The events that the server half sends to the screen half in OpenCode 2, which has no toasts on the server. */
export const SCREEN_EVENTS = {
  id: "opencode-strata",
  methods: {},
  events: {
    toast: {
      schema: {
        type: "object",
        properties: { message: { type: "string" }, variant: { type: "string" } },
        required: ["message", "variant"],
        additionalProperties: false,
      },
    },
  },
} as const;
