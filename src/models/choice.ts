import { type Chosen, type Claim, findClaimOn, type ModelClaims } from "../config/model-claims.js";
import type { Config } from "../config/schema.js";
import type { Models } from "../io/host.js";

type Configured = { main: string | undefined; small: string | undefined };

/** Whether model calls are allowed, and with which model; if absent, the host chooses. */
export type Choice =
  | { kind: "allowed"; model?: string }
  | {
      kind: "refused";
      why: string;
      /** The project's setting that is the reason, if any. */
      claim?: Claim;
    };

/**
 * Decides from the settings and the configured models. "auto" never spends unasked: it uses only a model named for the
 * purpose, or a small model other than the main one. Text is never sent where a repository wants it: neither the model
 * nor its provider may be set by a project.
 */
export function planChoice(
  { enabled, model }: Config["background"],
  { main, small }: Models,
  claims: ModelClaims,
): Choice {
  if (enabled === false) return { kind: "refused", why: "background.enabled is false" };
  // If a project names another main model, the user's main one does not become a small one.
  const hasSmall = small !== undefined && small !== main && small !== claims.users.main;
  if (enabled === "auto" && model === undefined && !hasSmall) {
    const why =
      'background.enabled is "auto" and no small model other than the main one is configured ' +
      "(small_model in opencode.json; in OpenCode 2 agents.title.model); set background.model, or background.enabled to true";
    return { kind: "refused", why };
  }
  const chosen = findChosen(model, { main, small }, claims);
  const claim = findClaimOn(chosen, claims);
  if (claim) return { kind: "refused", why: formatClaim(claim), claim };
  return { kind: "allowed", ...(chosen.model !== undefined && { model: chosen.model }) };
}

/** The model, and the OpenCode setting that named it if the value is not the user's own. */
function findChosen(model: string | undefined, { main, small }: Configured, { users }: ModelClaims): Chosen {
  if (model !== undefined) return { model };
  if (small !== undefined)
    return small === users.small ? { model: small } : { model: small, key: "small_model" };
  if (main === undefined) return {};
  return main === users.main ? { model: main } : { model: main, key: "model" };
}

function formatClaim({ file, key }: Claim): string {
  const todo = /^providers?\./.test(key)
    ? "remove it there, or set background.model to another provider's model in your own configuration"
    : "set background.model in your own configuration";
  return `${key} in ${file} is set by the project, which must not decide where text is sent: ${todo}`;
}
