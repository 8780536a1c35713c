/**
 * The server's routes and the checks in front of them. A request passes through, in this order:
 *
 *     measure → headers → Host → /health, /open/<code>
 *                              → Origin → key or cookie → rate limit → body limit → time limit
 *                              → /stats, /metrics, /link, /mcp, the inspector
 *
 * Knows neither sockets nor projects: its options provide the answers.
 */
import { isIP } from "node:net";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import { timeout } from "hono/timeout";
import { formatError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import { type Access, KEY_CLIENT } from "./access.js";
import { type Health, toPublic } from "./health.js";
import type { ServerMetrics } from "./metrics.js";
import { type HostRules, LOOPBACK } from "./settings.js";

export interface AppOptions {
  clock: Clock;
  access: Access;
  hosts: HostRules;
  /** With the key; health and a browser's session are unlimited. */
  requestsPerMinute: number;
  /** Never rejects. */
  health(): Promise<Health>;
  stats(): Promise<unknown>;
  metrics: ServerMetrics;
  /** Reports errors of handlers; the client only sees that the server failed. */
  complain(what: string): void;
  /** Shows the path of a new one-time link to the person at the server; never to the client that asked for it. */
  printLink(path: string): void;
  /** Handles everything under `/mcp`. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
  /** Handles `/`, and everything under `/api` and `/assets`. */
  inspector?: Hono | undefined;
}

/** Time limit for the start of a response. */
const ANSWER_MS = 60_000;
/** Much larger than any memory. */
export const MOST_BODY_BYTES = 1_000_000;
const SESSION_COOKIE = "strata";

/**
 * Allows no inline scripts, frames or other origins: the inspector's scripts and styles are files of this server. With
 * Trusted Types, the browser itself refuses `innerHTML` and similar.
 */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
};

export function createApp(options: AppOptions): Hono {
  const { access, health, hosts, inspector, mcp, metrics, stats } = options;
  const app = new Hono();
  app.onError((thrown, context) => {
    // A verdict on the request, or the time limit's.
    if (thrown instanceof HTTPException && thrown.status !== 500)
      return context.json({ error: thrown.message }, thrown.status);
    options.complain(`${context.req.method} ${new URL(context.req.url).pathname}: ${formatError(thrown)}`);
    return refuse(context, 500, "the server failed; see its terminal");
  });
  app.notFound((context) => refuse(context, 404, "not found"));
  app.use(measure(options));
  app.use(
    secureHeaders({
      contentSecurityPolicy: PAGE_POLICY,
      xFrameOptions: "DENY",
      strictTransportSecurity: false,
      referrerPolicy: "no-referrer",
      crossOriginResourcePolicy: "same-origin",
      crossOriginOpenerPolicy: "same-origin",
    }),
  );
  app.use(async (context, next) => {
    await next();
    if (!context.res.headers.has("cache-control")) context.header("cache-control", "no-store");
  });
  app.use(async (context, next) => {
    if (!METHODS.has(context.req.method)) return refuse(context, 405, "method not allowed");
    if (isAllowedHost(context.req.header("host") ?? "", hosts)) return next();
    return refuse(
      context,
      403,
      "expected a Host header that names this machine; strata serve --allow-host adds a name",
    );
  });
  app.get("/health", async (context) => {
    const found = await health();
    return context.json(toPublic(found), found.status === "ok" ? 200 : 503);
  });
  app.get("/open/:code", (context) => openPage(context, access));
  app.use(
    checkOrigin,
    identify(options),
    bodyLimit({
      maxSize: MOST_BODY_BYTES,
      onError: (context) => refuse(context, 413, `expected a body of at most ${MOST_BODY_BYTES} bytes`),
    }),
    timeout(ANSWER_MS, new HTTPException(504, { message: `no answer within ${ANSWER_MS / 1000} s` })),
  );
  app.get("/stats", async (context) => context.json(await stats()));
  app.get("/metrics", async (context) => {
    context.header("content-type", metrics.contentType);
    return context.body(await metrics.format());
  });
  app.post("/link", (context) => {
    options.printLink(`/open/${access.createCode()}`);
    return context.json({ message: "strata serve printed a new link in its terminal" }, 202);
  });
  if (mcp) for (const path of ["/mcp", "/mcp/*"]) app.all(path, (context) => mcp(context.req.raw));
  if (inspector) {
    for (const path of ["/", "/api/*"]) app.use(path, requireBrowser(access));
    app.route("/", inspector);
  }
  return app;
}

type Refusal = 400 | 401 | 403 | 404 | 405 | 413 | 429 | 500 | 504;

const refuse = (context: Context, status: Refusal, error: string): Response =>
  context.json({ error }, status);

function measure({ clock, metrics }: Pick<AppOptions, "clock" | "metrics">): MiddlewareHandler {
  return async (context, next) => {
    const startedMs = clock.now();
    await next();
    metrics.observe({
      method: METHODS.has(context.req.method) ? context.req.method : "other",
      route: nameRoute(context.req.path),
      status: context.res.status,
      seconds: Math.max(0, clock.now() - startedMs) / 1000,
    });
  };
}

const METHODS: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
const ROUTES: readonly string[] = ["health", "stats", "metrics", "link", "open", "mcp", "api", "assets"];

/** The first part of the path if it is known: clients must not be able to create metric series. */
function nameRoute(path: string): string {
  if (path === "/") return "/";
  const [, first = ""] = path.split("/", 2);
  return ROUTES.includes(first) ? `/${first}` : "other";
}

/**
 * Responds with a page that loads `/`. After a redirect, the browser would not send the cookie if the link was on another
 * site, such as a web terminal, because the request would still count as that site's.
 */
function openPage(context: Context, access: Access): Response {
  const session =
    context.req.method === "GET" ? access.openSession(context.req.param("code") ?? "") : undefined;
  // A browser with a session can open its link again.
  const isIn = access.identify({ cookie: getCookie(context, nameCookie(context)) }) !== undefined;
  if (session === undefined && !isIn)
    return refuse(
      context,
      401,
      "this link was already used or has expired; restart strata serve, or get another one with POST /link and the key",
    );
  if (session !== undefined)
    setCookie(context, nameCookie(context), session, { httpOnly: true, sameSite: "Strict", path: "/" });
  return context.html(
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Strata</title><a href="/">Strata</a>',
  );
}

/** Browsers share cookies between all ports of a host, so servers on two ports need two names. */
function nameCookie(context: Context): string {
  const [, port] = /:(\d+)$/.exec(context.req.header("host") ?? "") ?? [];
  return port === undefined ? SESSION_COOKIE : `${SESSION_COOKIE}-${port}`;
}

/**
 * The page shows private memories, and a change there counts as the user's. Programs and agents have the key, so the key
 * is not enough.
 */
function requireBrowser(access: Access): MiddlewareHandler {
  return async (context, next) =>
    access.identify({ cookie: getCookie(context, nameCookie(context)) }) === undefined
      ? refuse(
          context,
          403,
          "the key does not open the page; POST /link with the key, and open the link that strata serve prints in a browser",
        )
      : next();
}

/** Requests without valid credentials have a separate limit, so they cannot use up a client's. */
function identify({ access, clock, requestsPerMinute: limit }: AppOptions): MiddlewareHandler {
  const count = createRateLimit(clock, limit);
  return async (context, next) => {
    const { req } = context;
    const client = access.identify({
      authorization: req.header("authorization"),
      apiKey: req.header("x-api-key"),
      cookie: getCookie(context, nameCookie(context)),
    });
    // The page reads what it shows again every few seconds.
    if (client !== undefined && client !== KEY_CLIENT) return next();
    const { isAllowed, remaining, resetSeconds } = count(`${client ?? ""} ${readAddress(context)}`);
    context.header("ratelimit-limit", String(limit));
    context.header("ratelimit-remaining", String(remaining));
    context.header("ratelimit-reset", String(resetSeconds));
    if (!isAllowed) {
      context.header("retry-after", String(resetSeconds));
      return refuse(context, 429, `at most ${limit} requests per minute; wait ${resetSeconds} s`);
    }
    if (client !== undefined) return next();
    context.header("www-authenticate", 'Bearer realm="strata"');
    return refuse(
      context,
      401,
      "expected the key as Authorization: Bearer KEY; in a browser, open the link that strata serve prints",
    );
  };
}

/** The client's address as Node's server reports it; empty without a socket. */
function readAddress(context: Context): string {
  const env: { incoming?: { socket?: { remoteAddress?: string } } } | undefined = context.env;
  return env?.incoming?.socket?.remoteAddress ?? "";
}

const WINDOW_MS = 60_000;
/** Bounds memory: one more client begins a new window for all. */
const MOST_CLIENTS = 10_000;

/** Counts a client's requests in the current minute. */
function createRateLimit(clock: Pick<Clock, "now">, limit: number) {
  const used = new Map<string, number>();
  let endsMs = 0;
  return (client: string) => {
    const leftMs = endsMs - clock.now();
    // If the end is more than a window ahead, the clock was set back.
    if (leftMs <= 0 || leftMs > WINDOW_MS || used.size >= MOST_CLIENTS) {
      used.clear();
      endsMs = clock.now() + WINDOW_MS;
    }
    const count = (used.get(client) ?? 0) + 1;
    used.set(client, count);
    return {
      isAllowed: count <= limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.max(1, Math.ceil((endsMs - clock.now()) / 1000)),
    };
  };
}

/*
 * Refuses requests that other sites make a browser send. Pure.
 *
 * `Host`: a site whose name was pointed at this machine (DNS rebinding) sends its own name, so only names of this machine
 * pass. IP addresses cannot be rebound; if others can reach the server, any address passes.
 * `Origin` and `Sec-Fetch-Site`: browsers add them to the requests of a page; only the inspector's page may send any.
 * Hono's csrf looks at forms alone.
 */

/** Whether the server accepts this `Host` header. Any port passes, to allow tunnels. */
function isAllowedHost(host: string, { isAnyAddress, names }: HostRules): boolean {
  const [, address, word] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  const name = (address ?? word)?.toLowerCase();
  if (name === undefined) return false;
  return LOOPBACK.includes(name) || names.includes(name) || (isAnyAddress && isIP(name) !== 0);
}

/** Lets a request pass that this host's own page has sent, or no page. */
const checkOrigin: MiddlewareHandler = async (context, next) => {
  const site = context.req.header("sec-fetch-site") ?? "none";
  const origin = context.req.header("origin");
  // A proxy may use https.
  const [, from] = /^https?:\/\/(.+)$/i.exec(origin ?? "") ?? [];
  const isOwn = from !== undefined && from.toLowerCase() === context.req.header("host")?.toLowerCase();
  return (site === "same-origin" || site === "none") && (origin === undefined || isOwn)
    ? next()
    : refuse(context, 403, "requests from other sites are refused");
};
