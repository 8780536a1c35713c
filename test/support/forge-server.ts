/**
 * A scripted GitLab and GitHub on a local port. Answers have the fields, headers and errors that the APIs' documentation
 * gives them: docs.github.com/en/rest/issues, docs.gitlab.com/api.
 */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { fetchGet, type Get } from "../../src/io/post.js";

export interface ForgeAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: unknown;
}

export interface ForgeRequest {
  path: string;
  headers: IncomingHttpHeaders;
}

export interface ForgeServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: ForgeRequest[];
  /** Answers by path; a list is consumed from its front, and its last answer repeats. Default: 404. */
  readonly answers: Map<string, ForgeAnswer | ForgeAnswer[]>;
  /** Sends requests for this origin, such as `https://api.github.com`, to this server. */
  getFor(...origins: string[]): Get;
}

export async function startForgeServer(answers: Record<string, ForgeAnswer | ForgeAnswer[]> = {}) {
  const requests: ForgeRequest[] = [];
  const known = new Map(Object.entries(answers));
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "";
    requests.push({ path, headers: incoming.headers });
    const found = known.get(path) ?? notFound(path);
    const answer = Array.isArray(found) ? ((found.length > 1 ? found.shift() : found[0]) ?? {}) : found;
    const { body = "", headers = {}, status = 200 } = answer;
    const isText = typeof body === "string";
    const type = isText ? "text/plain" : "application/json; charset=utf-8";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const started: ForgeServer = {
    ...{ url, requests, answers: known },
    getFor:
      (...origins) =>
      (request) => {
        const origin = origins.find((one) => request.url.startsWith(`${one}/`));
        if (origin === undefined)
          throw new Error(`expected a request to ${origins.join(", ")}, came ${request.url}`);
        return fetchGet({ ...request, url: `${url}${request.url.slice(origin.length)}` });
      },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}

function notFound(path: string): ForgeAnswer {
  const isGitLab = path.startsWith("/api/v4/");
  const docs = "https://docs.github.com/rest/issues/issues#get-an-issue";
  return {
    status: 404,
    body: isGitLab
      ? { message: "404 Not found" }
      : { message: "Not Found", documentation_url: docs, status: "404" },
  };
}

const at = "2026-11-02T09:14:03Z";

interface Given {
  title?: string;
  state?: string;
  labels?: string[];
  author?: string;
}

const gitHubUser = (login: string) => ({
  ...{ login, id: 583231, node_id: "MDQ6VXNlcjU4MzIzMQ==", type: "User", site_admin: false },
  avatar_url: "https://avatars.example/u/583231",
  html_url: `https://github.com/${login}`,
});

/** `GET /repos/{owner}/{repo}/issues/{issue_number}` */
export function gitHubIssue(number: number, given: Given & Record<string, unknown> = {}): ForgeAnswer {
  const { author = "octocat", labels = ["bug"], state = "open", title = "Found a bug", ...more } = given;
  const url = `https://api.github.com/repos/acme/shop/issues/${number}`;
  return {
    headers: {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4998",
      "x-ratelimit-reset": "1795255200",
      "x-ratelimit-resource": "core",
    },
    body: {
      ...{ url, number, title, state, state_reason: null, locked: false, comments: 3, body: "It fails." },
      ...{
        id: 3_412_000 + number,
        node_id: "I_kwDO",
        repository_url: "https://api.github.com/repos/acme/shop",
      },
      html_url: `https://github.com/acme/shop/issues/${number}`,
      user: gitHubUser(author),
      labels: labels.map((name, n) => ({
        ...{ id: 208_045_946 + n, node_id: "LA_kw", name, color: "f29513", default: false },
        ...{ url: `https://api.github.com/repos/acme/shop/labels/${name}`, description: null },
      })),
      ...{ assignee: null, assignees: [], milestone: null, author_association: "MEMBER" },
      ...{ created_at: at, updated_at: at, closed_at: state === "open" ? null : at },
      ...more,
    },
  };
}

/** The same for a pull request, which GitHub also serves as an issue. */
export function gitHubPull(
  number: number,
  given: Given & { draft?: boolean; mergedAt?: string | null } = {},
) {
  const { draft = false, mergedAt = null, ...issue } = given;
  const url = `https://api.github.com/repos/acme/shop/pulls/${number}`;
  const html_url = `https://github.com/acme/shop/pull/${number}`;
  const pull_request = { url, html_url, merged_at: mergedAt, diff_url: `${html_url}.diff` };
  return gitHubIssue(number, { title: "Fix the bug", ...issue, draft, pull_request });
}

const gitLabUser = (username: string) => ({
  ...{ id: 4155490, username, public_email: null, name: "Sam Bauch", state: "active", locked: false },
  ...{ avatar_url: "https://gitlab.example/a.png", web_url: `https://gitlab.com/${username}` },
});

const gitLabCommon = (iid: number, { author = "sam", labels = ["bug"], state = "opened" }: Given) => ({
  ...{ id: 77_000 + iid, iid, project_id: 3, description: "It fails.", state, labels },
  ...{ author: gitLabUser(author), created_at: at, updated_at: at, upvotes: 0, downvotes: 0 },
  closed_at: state === "opened" ? null : at,
});

const gitLabHeaders = {
  "ratelimit-limit": "2000",
  "ratelimit-remaining": "1999",
  "ratelimit-reset": "1795255200",
};

/** `GET /projects/:id/merge_requests/:iid` */
export function gitLabMergeRequest(iid: number, given: Given & { draft?: boolean } = {}): ForgeAnswer {
  const { draft = false, title = "Fix the bug" } = given;
  return {
    headers: gitLabHeaders,
    body: {
      ...gitLabCommon(iid, given),
      ...{ title, draft, work_in_progress: draft, merge_status: "can_be_merged", sha: "8888888888888888" },
      ...{ target_branch: "main", source_branch: "fix", merge_user: null, merged_at: null },
      references: { short: `!${iid}`, relative: `!${iid}`, full: `acme/shop!${iid}` },
      web_url: `https://gitlab.com/acme/shop/-/merge_requests/${iid}`,
    },
  };
}

/** `GET /projects/:id/issues/:iid` */
export const gitLabIssue = (iid: number, given: Given = {}): ForgeAnswer => ({
  headers: gitLabHeaders,
  body: {
    ...gitLabCommon(iid, given),
    ...{ title: given.title ?? "Found a bug", type: "ISSUE", issue_type: "issue", confidential: false },
    references: { short: `#${iid}`, relative: `#${iid}`, full: `acme/shop#${iid}` },
    web_url: `https://gitlab.com/acme/shop/-/issues/${iid}`,
  },
});

/** `GET /groups/:id/epics/:epic_iid` */
export const gitLabEpic = (iid: number, given: Given = {}): ForgeAnswer => ({
  headers: gitLabHeaders,
  body: {
    ...gitLabCommon(iid, given),
    ...{
      title: given.title ?? "Checkout",
      group_id: 7,
      parent_id: null,
      parent_iid: null,
      work_item_id: 9_001,
    },
    references: { short: `&${iid}`, relative: `&${iid}`, full: `acme&${iid}` },
    web_url: `https://gitlab.com/groups/acme/-/epics/${iid}`,
  },
});

/** GitHub's refusal beyond the hourly limit. */
export const gitHubLimit = (resetMs: number): ForgeAnswer => ({
  status: 403,
  headers: {
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(Math.ceil(resetMs / 1_000)),
  },
  body: {
    message: "API rate limit exceeded for 203.0.113.7.",
    documentation_url: "https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting",
  },
});

/** GitHub's refusal of too many concurrent requests. */
export const gitHubSecondaryLimit = (seconds: number): ForgeAnswer => ({
  status: 403,
  headers: { "retry-after": String(seconds), "x-ratelimit-remaining": "4000" },
  body: {
    message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
  },
});

/** GitLab's refusal beyond the limit per minute. */
export const gitLabLimit = (seconds: number): ForgeAnswer => ({
  status: 429,
  headers: { "retry-after": String(seconds), "ratelimit-remaining": "0", "ratelimit-name": "throttle_api" },
  body: "Retry later\n",
});
