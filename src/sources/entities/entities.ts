/**
 * Asks GitLab and GitHub about merge requests, issues and epics, one at a time and each within a time limit. Nothing of the
 * answers is kept. Uses no client library: @gitbeaker/rest 43.8 sends the token along with a redirect to another host and
 * repeats a refused request ten times within a second; @octokit/request 10 needs Node 22.
 *
 *     200                                   the fact
 *     404, 410                              also a fact: it does not exist, or the token may not see it
 *     301, 302, 307, 308                    followed once, within the same API only: a token goes nowhere else
 *     403, and an unexpected answer         no answer about this entity
 *     429, and 403 with signs of a limit    no further request to this forge
 *     anything else                         the same
 */
import { formatError } from "../../base/error.js";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import type { Config } from "../../config/schema.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { type Answer, fetchGet, type Get } from "../../io/post.js";
import { isConfidential, type Memory } from "../../memory/memory.js";
import { type EntityName, findEntityNames, formatEntityName, parseEntityName } from "../../text/entities.js";
import {
  boundFact,
  type EntityFact,
  type EntityKind,
  type EntityState,
  type Forge,
  formatLocated,
  type Home,
  type LocatedEntity,
  locateEntity,
  planForges,
  readHome,
} from "./forges.js";

interface EntitiesOptions {
  clock: Clock;
  config: Pick<Config, "recall">;
  files: Files;
  project: string;
  readVariable(name: string): string | undefined;
  /** Replaced in tests only. */
  get?: Get | undefined;
}

export type Entities = Awaited<ReturnType<typeof openEntities>>;

export interface EnrichmentPlan {
  /** To ask about, in the given order, each once. */
  due: LocatedEntity[];
  /** By an entity's text: why it cannot be asked about. */
  nowhere: ReadonlyMap<string, string>;
}

export interface Enrichment {
  facts: EntityFact[];
  /** Distinct sentences about failed requests. */
  problems: string[];
  /** Number of entities without an answer. */
  left: number;
}

/** Reads the project's remotes, and asks nothing yet. Never rejects. */
export async function openEntities(options: EntitiesOptions) {
  const { config, files, project } = options;
  const forges = planForges(config.recall.entities.hosts);
  let home: Home | undefined;
  let problem: string | undefined;
  try {
    home = await readHome(files, project, forges);
  } catch (thrown) {
    problem = `cannot read the project's git remotes: ${formatError(thrown)}`;
  }

  return {
    plan(names: readonly EntityName[]): EnrichmentPlan {
      const located = new Map<string, LocatedEntity>();
      const nowhere = new Map<string, string>();
      for (const name of names) {
        const place = locateEntity(name, { forges, home });
        if (typeof place === "string") nowhere.set(formatEntityName(name), problem ?? place);
        else located.set(formatLocated(place), place);
      }
      return { due: [...located.values()], nowhere };
    },

    /** The id by which a fact of this entity goes. */
    identify(name: EntityName): string | undefined {
      const place = locateEntity(name, { forges, home });
      return typeof place === "string" ? undefined : formatLocated(place);
    },

    /** Asks about each, in this order and one at a time as GitHub demands. Never rejects. */
    async enrich(
      due: readonly LocatedEntity[],
      { onStep, signal }: { signal?: AbortSignal; onStep?(done: number, all: number): void } = {},
    ): Promise<Enrichment> {
      const facts: EntityFact[] = [];
      const problems = new Set<string>();
      /** Why a forge is not asked again, by its API. */
      const silent = new Map<string, string>();
      for (const [n, located] of due.entries()) {
        if (signal?.aborted) break;
        onStep?.(n, due.length);
        const { api } = located.forge;
        const silence = silent.get(api);
        const { fact, isLast, why }: Asked =
          silence === undefined ? await ask(located, { ...options, signal }) : { why: silence };
        if (signal?.aborted) break;
        if (isLast && why !== undefined) silent.set(api, why);
        if (fact) facts.push(fact);
        else if (why !== undefined) problems.add(why);
      }
      return { facts, problems: [...problems], left: due.length - facts.length };
    },
  };
}

/**
 * Entities in the user's own active memories; open blockers first. A repository must not choose requests with the
 * user's token, and no forge gets anything of private memories, not even the name of a project.
 */
export function findNamesIn(memories: readonly Memory[]): EntityName[] {
  const own = memories.filter(
    (memory) => !memory.isForeign && !isConfidential(memory) && memory.status === "active",
  );
  const sorted = own.toSorted((a, b) => Number(b.type === "blocker") - Number(a.type === "blocker"));
  return sorted.flatMap(({ content, entities, title }) => [
    ...entities.flatMap((entity) => parseEntityName(entity) ?? []),
    ...findEntityNames(`${title}\n${content}`),
  ]);
}

/* One request and its answer. */

/** GitLab limits a description to 1 MB, GitHub to 256 kB. */
const MOST_ANSWER_BYTES = 2_000_000;
const WITHIN_MS = 10_000;
/** If a forge does not say how long its limit lasts; GitHub asks for at least a minute. */
const USUAL_LIMIT_MS = 60_000;

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
      if (state_reason === "not_planned") return "not planned";
      return state_reason === "duplicate" ? "duplicate" : "closed";
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

type AskOptions = Pick<EntitiesOptions, "clock" | "get" | "readVariable"> & {
  signal: AbortSignal | undefined;
};

interface Asked {
  fact?: EntityFact;
  /** Why there is no fact, or no further one. Contains no token. */
  why?: string;
  /** The forge wants no more requests, or answers none. */
  isLast?: true;
}

/** Never rejects. */
async function ask(located: LocatedEntity, options: AskOptions): Promise<Asked> {
  const { clock, readVariable } = options;
  const { host } = located.forge;
  const { name = "", token } = readToken(located.forge, readVariable);
  const wanted = `${host}: expected a token in the environment variable ${name}`;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    return { isLast: true, why: `${wanted}, one with spaces or special characters came` };
  const waited = await waitAtMost(clock, WITHIN_MS, (limit) => send(located, token, { ...options, limit }));
  if (waited.kind === "overran")
    return { isLast: true, why: `${host} did not answer within ${WITHIN_MS / 1_000} s` };
  if (waited.kind === "failed") {
    const why = formatError(waited.thrown);
    return { isLast: true, why: `${host}: ${token ? why.replaceAll(token, "[token]") : why}` };
  }
  return judge(located, waited.value, { hasToken: token !== undefined, nowMs: clock.now() });
}

/** Nothing without a token: public projects need none. */
function readToken({ host, hostNames = [], tokenNames }: Forge, readVariable: AskOptions["readVariable"]) {
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
  const end = findLimit(answer, nowMs);
  const until = `${host} allows no more requests until ${end}`;
  const limit: Asked = end ? { isLast: true, why: hasToken ? until : `${until}; ${more} allows more` } : {};
  if (status === 200) {
    const fact = readAnswer(located, parseJson(answer.text));
    return fact ? { fact, ...limit } : refused("sent an unexpected answer");
  }
  if (status === 404 || status === 410) {
    const about = { id: formatLocated(located), kind: apis[kind].kind(located, {}) };
    return { fact: { ...about, state: "none", title: "", labels: [] }, ...limit };
  }
  if (end !== undefined) return limit;
  if (status >= 300 && status < 400) {
    const { location = "" } = headers;
    const target = URL.canParse(location) ? new URL(location).host : "another address";
    return refused(`redirects to ${target}, which is not followed`);
  }
  if (status === 403) return refused(`answered with status 403; ${advice}`);
  const todo = status === 401 ? `; ${advice}` : "";
  return { isLast: true, why: `${host} answered with status ${status}${todo}` };
}

/**
 * The end of the forge's limit: `Retry-After` in seconds, or the end of the period if nothing remains of it. GitHub's
 * headers begin with "x-". A 429 without either means a minute.
 */
function findLimit({ headers, status }: Answer, nowMs: number): string | undefined {
  const after = Number(headers["retry-after"]);
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  const isLimit = status === 429 || status === 403;
  if (isLimit && Number.isFinite(after)) return formatTime(nowMs + after * 1_000);
  if (remaining === "0" && Number.isFinite(reset)) return formatTime(reset * 1_000);
  return status === 429 ? formatTime(nowMs + USUAL_LIMIT_MS) : undefined;
}

function formatTime(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? "an unknown time" : time.toISOString();
}

/** `undefined` if the answer is not such an entity. */
function readAnswer(located: LocatedEntity, answer: unknown): EntityFact | undefined {
  if (!isRecord(answer) || typeof answer.title !== "string") return undefined;
  const { labels, title } = answer;
  const api = apis[located.forge.kind];
  const author = api.author(answer);
  // GitHub sends labels as objects, GitLab and older versions as texts.
  const names = [labels].flat().map((label: unknown) => (isRecord(label) ? label.name : label));
  return boundFact({
    ...{ id: formatLocated(located), kind: api.kind(located, answer), state: api.state(answer), title },
    ...(typeof author === "string" && author !== "" && { author }),
    labels: names.filter((label) => typeof label === "string"),
  });
}
