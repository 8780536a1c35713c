import { type Chosen, type Claim, findClaimOn, type ModelClaims } from "../config/model-claims.js";
import type { Config } from "../config/schema.js";
import type { Models } from "../seams/host.js";

type Configured = { main: string | undefined; small: string | undefined };

/** Whether model calls may be made, and with which model; without one it is the host's choice. */
export type Choice =
  | { kind: "allowed"; model?: string }
  | {
      kind: "refused";
      why: string;
      /** What a file of the project set, where that is the reason. */
      claim?: Claim;
    };

/**
 * What the settings and the configured models come to. "auto" means that nobody pays unasked: only a model that was
 * named for it, or a small one beside the main one, is used. And nobody's words go where a repository sends them: the
 * model, and the provider that it is asked from, must not be a project's choice.
 */
export function planChoice(
  { enabled, model }: Config["background"],
  { main, small }: Models,
  claims: ModelClaims,
): Choice {
  if (enabled === false) return { kind: "refused", why: "background.enabled is false" };
  // A project that names another main model does not make a small one of the user's main one.
  const hasSmall = small !== undefined && small !== main && small !== claims.users.main;
  if (enabled === "auto" && model === undefined && !hasSmall) {
    const why =
      'background.enabled is "auto" and no small model other than the main one is configured ' +
      "(small_model in opencode.json); set background.model, or background.enabled to true";
    return { kind: "refused", why };
  }
  const chosen = findChosen(model, { main, small }, claims);
  const claim = findClaimOn(chosen, claims);
  if (claim) return { kind: "refused", why: formatClaim(claim), claim };
  return { kind: "allowed", ...(chosen.model !== undefined && { model: chosen.model }) };
}

/** The model, and the key of OpenCode's that named it, where it is not the user's own value. */
function findChosen(model: string | undefined, { main, small }: Configured, { users }: ModelClaims): Chosen {
  if (model !== undefined) return { model };
  if (small !== undefined)
    return small === users.small ? { model: small } : { model: small, key: "small_model" };
  if (main === undefined) return {};
  return main === users.main ? { model: main } : { model: main, key: "model" };
}

function formatClaim({ file, key }: Claim): string {
  const todo = key.startsWith("provider.")
    ? "take it out there, or name a model of another provider in background.model"
    : "name a model in background.model there";
  return `${key} in ${file} is the project's, and where words go is set in your own configuration: ${todo}`;
}
