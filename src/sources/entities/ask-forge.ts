/**
 * Asks a forge for one entity, within a time limit, and describes failures in words. Uses no client library:
 * @gitbeaker/rest 43.8 sends the token along with a redirect to another host and repeats a refused request ten times within
 * a second; @octokit/request 10 needs Node 22.
 *
 *     200                                   the fact
 *     404, 410                              also a fact: it does not exist, or the token may not see it
 *     404 without a token                   a refusal if it existed before: it may be private
 *     301, 302, 307, 308                    followed once, within the same API only: a token goes nowhere else
 *     429, and 403 with signs of a limit    no request to this forge until the limit ends
 *     403, and an unexpected answer         a refusal of this entity
 *     anything else                         a failure of the forge
 */
import { formatError } from "../../base/error.js";
import { isRecord, parseJson } from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Get, GetAnswer } from "../../io/post.js";
import { type EntityFact, type EntityKind, type EntityState, type Said, toFact } from "./entity-fact.js";
import { type Forge, formatLocated, type LocatedEntity } from "./forges.js";

export interface AskOptions {
  clock: Clock;
  get: Get;
  readVariable(name: string): string | undefined;
  signal?: AbortSignal;
  /** Has the forge shown the entity before? Then a 404 without a token proves nothing. */
  wasThere?: boolean;
}

/** The forge wants no requests before this time. */
export interface Limit {
  untilMs: number;
  why: string;
}

export type Asked =
  | { kind: "fact"; fact: EntityFact; limit?: Limit }
  | { kind: "limited"; limit: Limit }
  /** Affects this entity only. */
  | { kind: "refused"; why: string }
  /** The forge currently answers nothing. */
  | { kind: "failed"; why: string };

/** GitLab limits a description to 1 MB, GitHub to 256 kB. */
const MOST_ANSWER_BYTES = 2_000_000;
const WITHIN_MS = 10_000;
/** Pause if a forge does not state how long its limit lasts; GitHub asks for at least a minute. */
const USUAL_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 24 * 60 * 60_000;
const REDIRECTS = new Set([301, 302, 307, 308]);

/** Never rejects. The messages contain no token. */
export async function askForge(located: LocatedEntity, options: AskOptions): Promise<Asked> {
  const { clock, readVariable } = options;
  const { forge } = located;
  const token = readToken(forge, readVariable);
  if (token !== undefined && typeof token !== "string") return { kind: "failed", why: token.why };
  const plan = forge.kind === "github" ? planGitHubRequest : planGitLabRequest;
  const request = plan(located, token);
  const waited = await waitAtMost(clock, WITHIN_MS, (limit) => send(request, forge, { ...options, limit }));
  if (waited.kind === "overran")
    return { kind: "failed", why: `${forge.host} did not answer within ${WITHIN_MS / 1_000} s` };
  if (waited.kind === "failed") {
    const why = formatError(waited.thrown);
    return { kind: "failed", why: `${forge.host}: ${token ? why.replaceAll(token, "[token]") : why}` };
  }
  const hasToken = token !== undefined;
  return judge(located, waited.value, { hasToken, nowMs: clock.now(), wasThere: options.wasThere === true });
}

/** `undefined` without a token: public projects need none. */
function readToken(
  { host, hostNames = [], tokenNames }: Forge,
  readVariable: AskOptions["readVariable"],
): string | undefined | { why: string } {
  const isOfOther = hostNames.some((name) => namesOther((readVariable(name) ?? "").trim(), host));
  if (isOfOther) return undefined;
  const name = tokenNames.find((one) => (readVariable(one) ?? "").trim() !== "");
  if (name === undefined) return undefined;
  const token = (readVariable(name) ?? "").trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  return {
    why: `${host}: expected a token in the environment variable ${name}, one with spaces or special characters came`,
  };
}

/** Does the text, such as `git.acme.com` or `https://git.acme.com`, name a host other than gitlab.com? */
function namesOther(named: string, host: string): boolean {
  if (named === "") return false;
  const url = named.includes("://") ? named : `https://${named}`;
  return !URL.canParse(url) || new URL(url).hostname !== host;
}

/** Follows the forge's redirect for an entity that has moved to another project. */
async function send(
  { headers, url }: ForgeRequest,
  { api }: Forge,
  { get, limit, signal }: AskOptions & { limit: AbortSignal },
): Promise<GetAnswer> {
  const common = {
    headers: { "user-agent": "opencode-strata", ...headers },
    maxBytes: MOST_ANSWER_BYTES,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  };
  const answer = await get({ url, ...common });
  const { location = "" } = answer.headers;
  if (!REDIRECTS.has(answer.status) || !URL.canParse(location, url)) return answer;
  const target = new URL(location, url).href;
  return target.startsWith(`${api}/`) ? get({ url: target, ...common }) : answer;
}

interface Circumstances {
  hasToken: boolean;
  nowMs: number;
  wasThere: boolean;
}

function judge(
  located: LocatedEntity,
  answer: GetAnswer,
  { hasToken, nowMs, wasThere }: Circumstances,
): Asked {
  const { forge } = located;
  const { host } = forge;
  const { headers, status, text } = answer;
  const limit = findLimit(answer, forge, { hasToken, nowMs });
  const told = (said: Said): Asked => ({
    kind: "fact",
    fact: toFact(located, said, nowMs),
    ...(limit && { limit }),
  });
  const refused = (why: string): Asked => ({
    kind: "refused",
    why: `${formatLocated(located)}: ${host} ${why}`,
  });
  if (status === 200) {
    const body = parseJson(text);
    const said = forge.kind === "github" ? readGitHubAnswer(body) : readGitLabAnswer(located, body);
    return said ? told(said) : refused("sent an unexpected answer");
  }
  if (status === 404 && wasThere && !hasToken)
    return refused(`no longer shows it; try ${adviseToken(forge)}`);
  if (status === 404 || status === 410) return told(absent(located));
  if (limit) return { kind: "limited", limit };
  if (status >= 300 && status < 400)
    return refused(`redirects to ${hostOf(headers.location)}, which is not followed`);
  const advice = hasToken
    ? `check the token in ${forge.tokenNames.join(" or ")}`
    : `try ${adviseToken(forge)}`;
  if (status === 403) return refused(`answered with status 403; ${advice}`);
  const more = status === 401 ? `; ${advice}` : "";
  return { kind: "failed", why: `${host} answered with status ${status}${more}` };
}

const adviseToken = ({ tokenNames }: Forge): string =>
  tokenNames.length === 0
    ? "a token, whose variable tokenEnv names in recall.entities.hosts"
    : `a token in the environment variable ${tokenNames.join(" or ")}`;

function absent({ forge, name: { sign } }: LocatedEntity): Said {
  const kind = forge.kind === "github" ? "issue" : GITLAB_KINDS[sign];
  return { kind, state: "none", title: "", labels: [] };
}

function findLimit(
  answer: GetAnswer,
  forge: Forge,
  { hasToken, nowMs }: Pick<Circumstances, "hasToken" | "nowMs">,
): Limit | undefined {
  const untilMs = findPause(answer, nowMs);
  if (untilMs === undefined) return undefined;
  const more = hasToken ? "" : `; ${adviseToken(forge)} allows more`;
  return {
    untilMs,
    why: `${forge.host} allows no more requests until ${new Date(untilMs).toISOString()}${more}`,
  };
}

/**
 * Until when the forge wants no further request: `Retry-After` in seconds, or the end of the period if nothing remains
 * of it. GitHub's headers begin with "x-". A 429 without either means a minute.
 */
function findPause({ headers, status }: GetAnswer, nowMs: number): number | undefined {
  const isRefusal = status === 429 || status === 403;
  const until = (ms: number): number => nowMs + Math.min(Math.max(ms, 1_000), LONGEST_PAUSE_MS);
  const after = Number(headers["retry-after"]);
  if (isRefusal && Number.isFinite(after)) return until(after * 1_000);
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  if (remaining === "0" && Number.isFinite(reset)) return until(reset * 1_000 - nowMs);
  return status === 429 ? until(USUAL_PAUSE_MS) : undefined;
}

const hostOf = (location = ""): string =>
  URL.canParse(location) ? new URL(location).host : "another address";

/* GitLab's API: projects and groups by their full path, encoded. Pure. */

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

/* GitHub's API: one endpoint serves issues and pull requests. Pure. */

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
    state: readGitHubState(answer),
    title,
    labels: readLabels(labels),
    ...(isRecord(user) && { author: user.login }),
  };
}

/** `merged_at` is `null` for unmerged pull requests. */
function readGitHubState({
  draft,
  pull_request: pull,
  state,
  state_reason,
}: Record<string, unknown>): EntityState {
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

/** The request for an entity, in the form that its forge expects. */
export interface ForgeRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}
