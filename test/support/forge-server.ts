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
  /** Answers by path. Default: 404. */
  readonly answers: Map<string, ForgeAnswer>;
  /** Sends requests for this origin, such as `https://api.github.com`, to this server. */
  getFor(...origins: string[]): Get;
}

export async function startForgeServer(answers: Record<string, ForgeAnswer> = {}) {
  const requests: ForgeRequest[] = [];
  const known = new Map(Object.entries(answers));
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "";
    requests.push({ path, headers: incoming.headers });
    const { body = "", headers = {}, status = 200 } = known.get(path) ?? NOT_FOUND;
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
          throw new Error(`expected a request to ${origins.join(", ")}, got ${request.url}`);
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

const NOT_FOUND: ForgeAnswer = { status: 404, body: { message: "404 Not found" } };

const at = "2026-11-02T09:14:03Z";

interface Given {
  title?: string;
  state?: string;
  labels?: string[];
  author?: string;
}

/** `GET /repos/{owner}/{repo}/issues/{issue_number}` */
export function gitHubIssue(number: number, given: Given & Record<string, unknown> = {}): ForgeAnswer {
  const { author = "octocat", labels = ["bug"], state = "open", title = "Found a bug", ...more } = given;
  return {
    headers: { "x-ratelimit-remaining": "4998", "x-ratelimit-reset": "1795255200" },
    body: {
      ...{ number, title, state, state_reason: null, locked: false, comments: 3, body: "It fails." },
      html_url: `https://github.com/acme/shop/issues/${number}`,
      user: { login: author, id: 583231, type: "User", site_admin: false },
      labels: labels.map((name, n) => ({ id: 208_045_946 + n, name, color: "f29513", description: null })),
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
  const pull_request = { html_url: `https://github.com/acme/shop/pull/${number}`, merged_at: mergedAt };
  return gitHubIssue(number, { title: "Fix the bug", ...issue, draft, pull_request });
}

const gitLab = (iid: number, given: Given, more: object): ForgeAnswer => {
  const { author = "sam", labels = ["bug"], state = "opened", ...rest } = { ...more, ...given };
  return {
    headers: { "ratelimit-remaining": "1999", "ratelimit-reset": "1795255200" },
    body: {
      ...{ id: 77_000 + iid, iid, project_id: 3, description: "It fails.", state, labels, ...rest },
      author: { id: 4155490, username: author, name: "Sam Bauch", state: "active" },
      ...{ created_at: at, updated_at: at, closed_at: state === "opened" ? null : at },
    },
  };
};

/** `GET /projects/:id/merge_requests/:iid` */
export const gitLabMergeRequest = (iid: number, given: Given & { draft?: boolean } = {}): ForgeAnswer =>
  gitLab(iid, given, { title: "Fix the bug", work_in_progress: given.draft === true, merged_at: null });

/** `GET /projects/:id/issues/:iid` */
export const gitLabIssue = (iid: number, given: Given = {}): ForgeAnswer =>
  gitLab(iid, given, { title: "Found a bug", type: "ISSUE", confidential: false });

/** `GET /groups/:id/epics/:epic_iid` */
export const gitLabEpic = (iid: number, given: Given = {}): ForgeAnswer =>
  gitLab(iid, given, { title: "Checkout", group_id: 7, parent_id: null });

/** GitHub's refusal beyond the hourly limit. */
export const gitHubLimit = (resetMs: number): ForgeAnswer => ({
  status: 403,
  headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.ceil(resetMs / 1_000)) },
  body: { message: "API rate limit exceeded for 203.0.113.7." },
});

/** GitHub's refusal of too many concurrent requests. */
export const gitHubSecondaryLimit = (seconds: number): ForgeAnswer => ({
  status: 403,
  headers: { "retry-after": String(seconds), "x-ratelimit-remaining": "4000" },
  body: { message: "You have exceeded a secondary rate limit." },
});

/** GitLab's refusal beyond the limit per minute. */
export const gitLabLimit = (seconds: number): ForgeAnswer => ({
  status: 429,
  headers: { "retry-after": String(seconds), "ratelimit-remaining": "0" },
  body: "Retry later\n",
});
