import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { LINK_MS } from "../../src/serve/access.js";
import { HOST, KEY, KEYED, type Served, serveApp } from "../support/served.js";

const inspector = (): Hono => {
  const page = new Hono();
  page.get("/", (context) => context.text("the page"));
  page.get("/assets/page.css", (context) => context.text("a {}"));
  page.get("/api/fails", () => {
    throw new Error("ENOENT: /home/me/secret");
  });
  return page;
};

/** Every route that needs a key. */
const guarded = ["/stats", "/metrics", "/mcp", "/mcp/a", "/", "/assets/page.css", "/api/fails", "/none"];

describe("a request's key", () => {
  const keys: readonly [what: string, headers: Record<string, string>, passes: boolean][] = [
    ["no key", {}, false],
    ["the key", { authorization: `Bearer ${KEY}` }, true],
    ["the key behind a word in lower case", { authorization: `bearer ${KEY}` }, true],
    ["the key in X-API-Key", { "x-api-key": KEY }, true],
    ["another key", { authorization: "Bearer another" }, false],
    ["the beginning of the key", { authorization: `Bearer ${KEY.slice(0, -1)}` }, false],
    ["the key and more", { authorization: `Bearer ${KEY}x` }, false],
    ["the key in capitals", { authorization: `Bearer ${KEY.toUpperCase()}` }, false],
    ["an empty key", { authorization: "Bearer " }, false],
    ["an empty X-API-Key", { "x-api-key": "" }, false],
    ["the key as a password", { authorization: `Basic ${btoa(`me:${KEY}`)}` }, false],
    ["the key as a cookie", { cookie: `strata-9824=${KEY}` }, false],
    ["a wrong key beside the right one", { "x-api-key": "another", authorization: `Bearer ${KEY}` }, false],
    ["an invented cookie", { cookie: "strata-9824=invented" }, false],
  ];

  it.each(keys)("%s decides about every route but /health", async (_what, headers, passes) => {
    const { get } = serveApp({ inspector: inspector(), mcp: async () => new Response("mcp") });
    for (const path of guarded) {
      const { status } = await get(path, { host: HOST, ...headers });
      expect([path, status === 401]).toEqual([path, !passes]);
    }
    expect((await get("/health", { host: HOST, ...headers })).status).toBe(200);
  });

  it("is not read from the URL", async () => {
    const { get } = serveApp();
    expect((await get(`/stats?key=${KEY}&token=${KEY}&api_key=${KEY}`, { host: HOST })).status).toBe(401);
  });
});

describe("the host and the origin of a request", () => {
  const table: readonly [headers: Record<string, string>, passes: boolean][] = [
    [{ host: "127.0.0.1:9824" }, true],
    [{ host: "localhost:9824" }, true],
    [{ host: "LOCALHOST" }, true],
    [{ host: "[::1]:9824" }, true],
    [{ host: "localhost:8000" }, true],
    [{ host: "evil.example" }, false],
    [{ host: "localhost.evil.example:9824" }, false],
    [{ host: "127.0.0.1.nip.io" }, false],
    [{ host: "127.0.0.1@evil.example" }, false],
    [{ host: "192.168.0.7:9824" }, false],
    [{ host: "0.0.0.0:9824" }, false],
    [{ host: "" }, false],
    [{ host: "localhost:9824, evil.example" }, false],
    [{ host: HOST, origin: "http://127.0.0.1:9824" }, true],
    [{ host: HOST, origin: "https://127.0.0.1:9824" }, true],
    [{ host: HOST, origin: "http://127.0.0.1:3000" }, false],
    [{ host: HOST, origin: "http://localhost:9824" }, false],
    [{ host: HOST, origin: "https://evil.example" }, false],
    [{ host: HOST, origin: "null" }, false],
    [{ host: HOST, origin: "" }, false],
    [{ host: HOST, origin: "file://127.0.0.1:9824" }, false],
    [{ host: HOST, origin: "http://127.0.0.1:9824.evil.example" }, false],
    [{ host: HOST, origin: "http://me@127.0.0.1:9824" }, false],
    [{ host: HOST, "sec-fetch-site": "same-origin" }, true],
    [{ host: HOST, "sec-fetch-site": "none" }, true],
    [{ host: HOST, "sec-fetch-site": "same-site" }, false],
    [{ host: HOST, "sec-fetch-site": "cross-site" }, false],
    [{ host: HOST, "sec-fetch-site": "anything" }, false],
  ];

  it.each(table)("%j passes with the key: %s", async (headers, passes) => {
    const { get } = serveApp();
    expect((await get("/stats", { ...KEYED, ...headers })).status).toBe(passes ? 200 : 403);
  });

  it("are checked before the key", async () => {
    const { get } = serveApp();
    expect((await get("/stats", { host: "evil.example" })).status).toBe(403);
    expect((await get("/stats", { host: HOST, origin: "https://evil.example" })).status).toBe(403);
  });

  it("may be an IP address or an allowed name if others can reach the server", async () => {
    const { get } = serveApp({ hosts: { names: ["memory.example"], isAnyAddress: true } });
    for (const [host, status] of [
      ["192.168.0.7:9824", 200],
      ["[fd00::7]:9824", 200],
      ["Memory.Example", 200],
      ["evil.example", 403],
    ] as const)
      expect([host, (await get("/stats", { ...KEYED, host })).status]).toEqual([host, status]);
  });

  it("no answer allows another site to read it", async () => {
    const { app, get } = serveApp();
    const asked = await app.request("/stats", {
      method: "OPTIONS",
      headers: { host: HOST, origin: "https://evil.example", "access-control-request-method": "GET" },
    });
    expect(asked.status).toBe(403);
    for (const answer of [asked, await get("/health"), await get("/stats")]) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
  });
});

describe("a one-time link", () => {
  it("opens a session for one browser, once", async () => {
    const { access, get } = serveApp({ inspector: inspector() });
    const path = `/open/${access.createCode()}`;
    const opened = await get(path, { host: HOST, "sec-fetch-site": "cross-site" });
    expect(opened.status).toBe(200);
    const [cookie = "", ...attributes] = (opened.headers.get("set-cookie") ?? "").split("; ");
    expect(attributes.sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Strict"]);
    expect(cookie).not.toContain(KEY);
    expect(await (await get("/", { host: HOST, cookie })).text()).toBe("the page");
    expect((await get(path, { host: HOST })).status).toBe(401);
  });

  it("opens the page again for the browser that used it, and for no other", async () => {
    const { access, get } = serveApp({ inspector: inspector() });
    const path = `/open/${access.createCode()}`;
    const [cookie = ""] = ((await get(path, { host: HOST })).headers.get("set-cookie") ?? "").split(";");
    const again = await get(path, { host: HOST, cookie });
    expect([again.status, again.headers.get("set-cookie")]).toEqual([200, null]);
    expect((await get("/", { host: HOST, cookie })).status).toBe(200);
    expect((await get(path, { host: HOST, cookie: `${cookie}x` })).status).toBe(401);
  });

  it("of a server on another port does not affect a browser's session on this one", async () => {
    const jar = new Map<string, string>();
    const visit = async ({ access, get }: Served, port: string) => {
      const opened = await get(`/open/${access.createCode()}`, { host: `127.0.0.1:${port}` });
      const [name = "", value = ""] = opened.headers.get("set-cookie")?.split(";", 1)[0]?.split("=") ?? [];
      jar.set(name, value);
    };
    const [one, other] = [serveApp({ inspector: inspector() }), serveApp({ inspector: inspector() })];
    await visit(one, "9824");
    await visit(other, "9825");
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    expect((await one.get("/", { host: "127.0.0.1:9824", cookie })).status).toBe(200);
    expect((await other.get("/", { host: "127.0.0.1:9825", cookie })).status).toBe(200);
    expect((await one.get("/", { host: "127.0.0.1:9825", cookie })).status).toBe(401);
  });

  it("is not used up by a preview that sends HEAD", async () => {
    const { access, app, get } = serveApp();
    const path = `/open/${access.createCode()}`;
    expect((await app.request(path, { method: "HEAD", headers: { host: HOST } })).status).toBe(401);
    expect((await get(path, { host: HOST })).status).toBe(200);
  });

  it("expires after ten minutes, and a session half a day after its last use", async () => {
    const { access, clock, get } = serveApp({ inspector: inspector() });
    const late = access.createCode();
    const cookie = `strata-9824=${access.openSession(access.createCode())}`;
    clock.advance(LINK_MS + 1);
    expect((await get(`/open/${late}`, { host: HOST })).status).toBe(401);
    clock.advance(11 * 3_600_000);
    expect((await get("/", { host: HOST, cookie })).status).toBe(200);
    clock.advance(11 * 3_600_000);
    expect((await get("/", { host: HOST, cookie })).status).toBe(200);
    clock.advance(13 * 3_600_000);
    expect((await get("/", { host: HOST, cookie })).status).toBe(401);
  });

  it.each(["/", "/api/fails", "/%61pi/fails"])("is what opens %s; the key does not", async (path) => {
    const { app, asBrowser, get } = serveApp({ inspector: inspector() });
    for (const method of ["GET", "POST"]) {
      const { status } = await app.request(path, { method, headers: KEYED });
      expect(status, method).toBe(403);
    }
    expect((await get(path, { ...KEYED, ...asBrowser() })).status).not.toBe(403);
    expect((await get(path, asBrowser())).status).not.toBe(403);
  });

  it("can be requested with the key, and only the person at the server sees it", async () => {
    const { app, get, printed } = serveApp();
    const asked = await app.request("/link", { method: "POST", headers: KEYED });
    expect([asked.status, printed]).toEqual([202, [expect.stringMatching(/^\/open\/.{43}$/)]]);
    const [path = ""] = printed;
    expect(await asked.text()).not.toContain(path);
    expect((await get(path, { host: HOST })).status).toBe(200);
  });
});

describe("a response", () => {
  it("to a failed request does not contain the cause, which goes to the terminal", async () => {
    const { asBrowser, complaints, get } = serveApp({ inspector: inspector() });
    const answer = await get("/api/fails", asBrowser());
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret");
    expect(complaints).toEqual(["GET /api/fails: ENOENT: /home/me/secret"]);
  });

  it("forbids inline scripts, framing and caching", async () => {
    const { headers } = await serveApp({ inspector: inspector() }).get("/");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});
