/** GitLab's API: projects and groups by their full path, encoded. Pure. */
import { isRecord } from "../../base/records.js";
import type { EntityKind, EntityState, Said } from "./entity-fact.js";
import type { ForgeRequest } from "./forge-request.js";
import type { LocatedEntity } from "./forges.js";

const ENDPOINTS = { "!": "merge_requests", "#": "issues", "&": "epics" } as const;
export const GITLAB_KINDS: Readonly<Record<"!" | "#" | "&", EntityKind>> = {
  "!": "merge request",
  "#": "issue",
  "&": "epic",
};

export function planGitLabRequest(
  { forge, name: { number, sign }, path }: LocatedEntity,
  token: string | undefined,
): ForgeRequest {
  const owner = `${sign === "&" ? "groups" : "projects"}/${encodeURIComponent(path)}`;
  return {
    url: `${forge.api}/${owner}/${ENDPOINTS[sign]}/${number}`,
    headers: { accept: "application/json", ...(token !== undefined && { "private-token": token }) },
  };
}

/** `undefined` if the answer is not such an entity. */
export function readGitLabAnswer({ name: { sign } }: LocatedEntity, answer: unknown): Said | undefined {
  if (!isRecord(answer) || typeof answer.title !== "string") return undefined;
  const { author, labels, title } = answer;
  return {
    kind: GITLAB_KINDS[sign],
    state: readState(answer),
    title,
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === "string") : [],
    ...(isRecord(author) && { author: author.username }),
  };
}

/** "locked" means that the merge is in progress. */
function readState({ draft, state, work_in_progress }: Record<string, unknown>): EntityState {
  if (state === "merged" || state === "closed") return state;
  return draft === true || work_in_progress === true ? "draft" : "open";
}
