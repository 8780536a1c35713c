import type { Config } from "../config/schema.js";
import type { Models } from "../seams/host.js";

/** Whether model calls may be made, and with which model; without one it is the host's choice. */
export type Choice = { kind: "allowed"; model?: string } | { kind: "refused"; why: string };

/**
 * What the settings and the configured models come to. "auto" means that nobody pays unasked: only a model that was
 * named for it, or a small one beside the main one, is used.
 */
export function planChoice({ enabled, model }: Config["background"], { main, small }: Models): Choice {
  if (enabled === false) return { kind: "refused", why: "background.enabled is false" };
  const hasSmall = small !== undefined && small !== main;
  if (enabled === "auto" && model === undefined && !hasSmall) {
    const why =
      'background.enabled is "auto" and no small model other than the main one is configured ' +
      "(small_model in opencode.json); set background.model, or background.enabled to true";
    return { kind: "refused", why };
  }
  const chosen = model ?? small ?? main;
  return { kind: "allowed", ...(chosen !== undefined && { model: chosen }) };
}
