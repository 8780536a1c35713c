/**
 * Asks a forge for one entity, within a time limit, and describes failures in words. Uses no client library:
 * @gitbeaker/rest 43.8 sends the token along with a redirect to another host and repeats a refused request ten times within
 * a second; @octokit/request 10 needs Node 22.
 *
 *     200                                   the fact
 *     404, 410                              also a fact: it does not exist, or the token may not see it
 *     301, 302, 307, 308                    followed once, within the same API only: a token goes nowhere else
 *     429, and 403 with signs of a limit    no request to this forge until the limit ends
 *     403, and an unexpected answer         no answer about this entity
 *     anything else                         the forge is not asked for a minute
 */
import { formatError } from "../../base/error.js";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import { type Answer, fetchGet, type Get } from "../../io/post.js";
import {
  boundFact,
  type EntityFact,
  type EntityKind,
  type EntityState,
  type Forge,
  formatLocated,
  type LocatedEntity,
} from "./forges.js";

export interface AskOptions {
  clock: Clock;
  /** Default: the network. */
  get: Get | undefined;
  readVariable(name: string): string | undefined;
  signal: AbortSignal | undefined;
}

export interface Asked {
  fact?: EntityFact;
  /** Why there is no fact, or no further one until `untilMs`. Contains no token. */
  why?: string;
  /** The forge wants no request before this time, or answers none. */
  untilMs?: number;
}

/** GitLab limits a description to 1 MB, GitHub to 256 kB. */
const MOST_ANSWER_BYTES = 2_000_000;
const WITHIN_MS = 10_000;
/** Pause if a forge fails, or does not state how long its limit lasts; GitHub asks for at least a minute. */
const USUAL_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 24 * 60 * 60_000;

/** How each kind of forge is asked, and what its answer says. One endpoint of GitHub serves issues and pull requests. */
const apis = {
  github: {
    url: ({ name, path }: LocatedEntity) =>
      `repos/${path.split("/").map(encodeURIComponent).join("/")}/issues/${name.number}`,
    headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
    tokenHeader: (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` }),
    kind: (_: LocatedEntity, { pull_request: pull }: PlainRecord): EntityKind =>
      isRecord(pull) ? "pull request" : "issue",
    state({ draft, pull_request: pull, state, state_reason }: PlainRecord): EntityState {
      // `merged_at` is `null` for unmerged pull requests.
      if (isRecord(pull) && typeof pull.merged_at === "string") return "merged";
      if (state !== "closed") return draft === true ? "draft" : "open";
      return state_reason === "not_planned"
        ? "not planned"
        : state_reason === "duplicate"
          ? "duplicate"
          : "closed";
    },
    author: ({ user }: PlainRecord) => (isRecord(user) ? user.login : undefined),
  },
  gitlab: {
    // Projects and groups by their full path, encoded.
    url: ({ name: { number, sign }, path }: LocatedEntity) =>
      `${sign === "&" ? "groups" : "projects"}/${encodeURIComponent(path)}/${GITLAB[sign].endpoint}/${number}`,
    headers: { accept: "application/json" },
    tokenHeader: (token: string): Record<string, string> => ({ "private-token": token }),
    kind: ({ name }: LocatedEntity): EntityKind => GITLAB[name.sign].kind,
    state({ draft, state, work_in_progress: isWork }: PlainRecord): EntityState {
      // "locked" means that the merge is in progress.
      if (state === "merged" || state === "closed") return state;
      return draft === true || isWork === true ? "draft" : "open";
    },
    author: ({ author }: PlainRecord) => (isRecord(author) ? author.username : undefined),
  },
};

const GITLAB = {
  "!": { endpoint: "merge_requests", kind: "merge request" },
  "#": { endpoint: "issues", kind: "issue" },
  "&": { endpoint: "epics", kind: "epic" },
} as const;

/** Never rejects. */
export async function askForge(located: LocatedEntity, options: AskOptions): Promise<Asked> {
  const { clock, readVariable } = options;
  const { forge } = located;
  const failed = (why: string): Asked => ({ why, untilMs: clock.now() + USUAL_PAUSE_MS });
  const { name = "", token } = readToken(forge, readVariable);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    return failed(
      `${forge.host}: expected a token in the environment variable ${name}, one with spaces or special characters came`,
    );
  const waited = await waitAtMost(clock, WITHIN_MS, (limit) => send(located, token, { ...options, limit }));
  if (waited.kind === "overran") return failed(`${forge.host} did not answer within ${WITHIN_MS / 1_000} s`);
  if (waited.kind === "failed") {
    const why = formatError(waited.thrown);
    return failed(`${forge.host}: ${token ? why.replaceAll(token, "[token]") : why}`);
  }
  return judge(located, waited.value, { hasToken: token !== undefined, nowMs: clock.now() });
}

/** Nothing without a token: public projects need none. */
function readToken(
  { host, hostNames = [], tokenNames }: Forge,
  readVariable: AskOptions["readVariable"],
): { name?: string; token?: string } {
  const read = (name: string): string => (readVariable(name) ?? "").trim();
  if (hostNames.some((name) => namesOther(read(name), host))) return {};
  const name = tokenNames.find((one) => read(one) !== "");
  return name === undefined ? {} : { name, token: read(name) };
}

/** Does the text, such as `git.acme.com` or `https://git.acme.com`, name a host other than gitlab.com? */
function namesOther(named: string, host: string): boolean {
  if (named === "") return false;
  const url = named.includes("://") ? named : `https://${named}`;
  return !URL.canParse(url) || new URL(url).hostname !== host;
}

/** Follows the forge's redirect for an entity that has moved to another project. */
async function send(
  located: LocatedEntity,
  token: string | undefined,
  { get = fetchGet, limit, signal }: AskOptions & { limit: AbortSignal },
): Promise<Answer> {
  const { api, kind } = located.forge;
  const { headers, tokenHeader, url: pathOf } = apis[kind];
  const common = {
    headers: { "user-agent": "opencode-strata", ...headers, ...(token !== undefined && tokenHeader(token)) },
    maxBytes: MOST_ANSWER_BYTES,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  };
  const url = `${api}/${pathOf(located)}`;
  const answer = await get({ url, ...common });
  const { location = "" } = answer.headers;
  if (![301, 302, 307, 308].includes(answer.status) || !URL.canParse(location, url)) return answer;
  const target = new URL(location, url).href;
  return target.startsWith(`${api}/`) ? get({ url: target, ...common }) : answer;
}

function judge(
  located: LocatedEntity,
  answer: Answer,
  { hasToken, nowMs }: { hasToken: boolean; nowMs: number },
): Asked {
  const { host, kind, tokenNames } = located.forge;
  const { headers, status } = answer;
  const names = tokenNames.join(" or ");
  const more =
    names === ""
      ? "a token, whose variable tokenEnv names in recall.entities.hosts"
      : `a token in the environment variable ${names}`;
  const advice = hasToken ? `check the token in ${names}` : `try ${more}`;
  const refused = (why: string): Asked => ({ why: `${formatLocated(located)}: ${host} ${why}` });
  const untilMs = findPause(answer, nowMs);
  const limit: Asked = {};
  if (untilMs !== undefined) {
    const until = `${host} allows no more requests until ${new Date(untilMs).toISOString()}`;
    Object.assign(limit, { untilMs, why: hasToken ? until : `${until}; ${more} allows more` });
  }
  if (status === 200) {
    const fact = readAnswer(located, parseJson(answer.text), nowMs);
    return fact ? { fact, ...limit } : refused("sent an unexpected answer");
  }
  if (status === 404 || status === 410) {
    const about = { id: formatLocated(located), kind: apis[kind].kind(located, {}), askedMs: nowMs };
    return { fact: { ...about, state: "none", title: "", labels: [] }, ...limit };
  }
  if (untilMs !== undefined) return limit;
  if (status >= 300 && status < 400) {
    const { location = "" } = headers;
    const target = URL.canParse(location) ? new URL(location).host : "another address";
    return refused(`redirects to ${target}, which is not followed`);
  }
  if (status === 403) return refused(`answered with status 403; ${advice}`);
  const why = `${host} answered with status ${status}${status === 401 ? `; ${advice}` : ""}`;
  return { why, untilMs: nowMs + USUAL_PAUSE_MS };
}

/**
 * Until when the forge wants no further request: `Retry-After` in seconds, or the end of the period if nothing remains
 * of it. GitHub's headers begin with "x-". A 429 without either means a minute.
 */
function findPause({ headers, status }: Answer, nowMs: number): number | undefined {
  const until = (ms: number): number => nowMs + Math.min(Math.max(ms, 1_000), LONGEST_PAUSE_MS);
  const after = Number(headers["retry-after"]);
  if ((status === 429 || status === 403) && Number.isFinite(after)) return until(after * 1_000);
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  if (remaining === "0" && Number.isFinite(reset)) return until(reset * 1_000 - nowMs);
  return status === 429 ? until(USUAL_PAUSE_MS) : undefined;
}

/** `undefined` if the answer is not such an entity. */
function readAnswer(located: LocatedEntity, answer: unknown, askedMs: number): EntityFact | undefined {
  if (!isRecord(answer) || typeof answer.title !== "string") return undefined;
  const { labels, title } = answer;
  const api = apis[located.forge.kind];
  const author = api.author(answer);
  // GitHub sends labels as objects, GitLab and older versions as texts.
  const names = [labels].flat().map((label: unknown) => (isRecord(label) ? label.name : label));
  return boundFact({
    ...{
      id: formatLocated(located),
      kind: api.kind(located, answer),
      state: api.state(answer),
      title,
      askedMs,
    },
    ...(typeof author === "string" && author !== "" && { author }),
    labels: names.filter((label) => typeof label === "string"),
  });
}
