/** GitHub's API: one endpoint serves issues and pull requests. Pure. */
import { isRecord } from "../../base/records.js";
import type { EntityState, Said } from "./entity-fact.js";
import type { ForgeRequest } from "./forge-request.js";
import type { LocatedEntity } from "./forges.js";

export function planGitHubRequest(
  { forge, name, path }: LocatedEntity,
  token: string | undefined,
): ForgeRequest {
  const project = path.split("/").map(encodeURIComponent).join("/");
  return {
    url: `${forge.api}/repos/${project}/issues/${name.number}`,
    headers: {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };
}

/** `undefined` if the answer is not an issue or a pull request. */
export function readGitHubAnswer(answer: unknown): Said | undefined {
  if (!isRecord(answer) || typeof answer.title !== "string") return undefined;
  const { labels, pull_request: pull, title, user } = answer;
  return {
    kind: isRecord(pull) ? "pull request" : "issue",
    state: readState(answer),
    title,
    labels: readLabels(labels),
    ...(isRecord(user) && { author: user.login }),
  };
}

/** `merged_at` is `null` for unmerged pull requests. */
function readState({ draft, pull_request: pull, state, state_reason }: Record<string, unknown>): EntityState {
  if (isRecord(pull) && typeof pull.merged_at === "string") return "merged";
  if (state !== "closed") return draft === true ? "draft" : "open";
  if (state_reason === "not_planned") return "not planned";
  return state_reason === "duplicate" ? "duplicate" : "closed";
}

/** GitHub sends labels as objects; older versions as texts. */
function readLabels(labels: unknown): string[] {
  if (!Array.isArray(labels)) return [];
  return labels.flatMap((label: unknown) => {
    const name = isRecord(label) ? label.name : label;
    return typeof name === "string" ? [name] : [];
  });
}
