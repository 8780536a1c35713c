/** What the server's checks let pass, and how often. */
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { LINK_MS } from "../../src/serve/access.js";
import { MOST_BODY_BYTES } from "../../src/serve/app.js";
import { createRecent } from "../../src/serve/listen.js";
import { createFakeClock } from "../support/fake-clock.js";
import { HOST, KEY, KEYED, type Served, serveApp } from "../support/served.js";

const inspector = (): Hono =>
  new Hono()
    .get("/", (context) => context.text("the page"))
    .get("/assets/page.css", (context) => context.text("a {}"))
    .get("/api/fails", () => {
      throw new Error("ENOENT: /home/me/secret");
    });

/** Every route that needs a key. */
const guarded = ["/stats", "/metrics", "/mcp", "/mcp/a", "/", "/assets/page.css", "/api/fails", "/none"];

describe("a request's key", () => {
  it.each<[what: string, headers: Record<string, string>, passes: boolean]>([
    ["no key", {}, false],
    ["the key", { authorization: `Bearer ${KEY}` }, true],
    ["the key behind a word in lower case", { authorization: `bearer ${KEY}` }, true],
    ["the key in X-API-Key", { "x-api-key": KEY }, true],
    ["the beginning of the key", { authorization: `Bearer ${KEY.slice(0, -1)}` }, false],
    ["the key and more", { authorization: `Bearer ${KEY}x` }, false],
    ["the key in capitals", { authorization: `Bearer ${KEY.toUpperCase()}` }, false],
    ["an empty key", { authorization: "Bearer ", "x-api-key": "" }, false],
    ["the key as a password", { authorization: `Basic ${btoa(`me:${KEY}`)}` }, false],
    ["the key as a cookie", { cookie: `strata-9824=${KEY}` }, false],
    ["a wrong key beside the right one", { "x-api-key": "another", authorization: `Bearer ${KEY}` }, false],
  ])("%s decides about every route but /health", async (_what, headers, passes) => {
    const { get } = serveApp({ inspector: inspector(), mcp: async () => new Response("mcp") });
    for (const path of [...guarded, `/stats?key=${KEY}&api_key=${KEY}`]) {
      const { status } = await get(path, { host: HOST, ...headers });
      expect([path, status === 401]).toEqual([path, !passes]);
    }
    expect((await get("/health", { host: HOST, ...headers })).status).toBe(200);
  });
});

describe("the host and the origin of a request", () => {
  it.each<[headers: Record<string, string>, passes: boolean]>([
    [{ host: "localhost:9824" }, true],
    [{ host: "LOCALHOST" }, true],
    [{ host: "[::1]:9824" }, true],
    [{ host: "evil.example" }, false],
    [{ host: "localhost.evil.example:9824" }, false],
    [{ host: "127.0.0.1@evil.example" }, false],
    [{ host: "192.168.0.7:9824" }, false],
    [{ host: "" }, false],
    [{ host: "localhost:9824, evil.example" }, false],
    [{ host: HOST, origin: "http://127.0.0.1:9824" }, true],
    [{ host: HOST, origin: "https://127.0.0.1:9824" }, true],
    [{ host: HOST, origin: "http://127.0.0.1:3000" }, false],
    [{ host: HOST, origin: "https://evil.example" }, false],
    [{ host: HOST, origin: "null" }, false],
    [{ host: HOST, origin: "" }, false],
    [{ host: HOST, origin: "http://127.0.0.1:9824.evil.example" }, false],
    [{ host: HOST, origin: "http://me@127.0.0.1:9824" }, false],
    [{ host: HOST, "sec-fetch-site": "same-origin" }, true],
    [{ host: HOST, "sec-fetch-site": "same-site" }, false],
    [{ host: HOST, "sec-fetch-site": "cross-site" }, false],
  ])("%j passes with the key: %s", async (headers, passes) => {
    const { get } = serveApp();
    expect((await get("/stats", { ...KEYED, ...headers })).status).toBe(passes ? 200 : 403);
    if (!passes) expect((await get("/stats", { host: HOST, ...headers })).status).toBe(403);
  });

  it("may be an IP address or an allowed name if others can reach the server", async () => {
    const { get } = serveApp({ hosts: { names: ["memory.example"], isAnyAddress: true } });
    const hosts = ["192.168.0.7:9824", "[fd00::7]:9824", "Memory.Example", "evil.example"];
    const statuses = await Promise.all(
      hosts.map(async (host) => (await get("/stats", { ...KEYED, host })).status),
    );
    expect(statuses).toEqual([200, 200, 200, 403]);
  });
});

describe("a one-time link", () => {
  const visit = async ({ access, app, get }: Served, host = HOST) => {
    const path = `/open/${access.createCode()}`;
    // A preview uses nothing up.
    expect((await app.request(path, { method: "HEAD", headers: { host } })).status).toBe(401);
    const opened = await get(path, { host, "sec-fetch-site": "cross-site" });
    const [cookie = "", ...attributes] = (opened.headers.get("set-cookie") ?? "").split("; ");
    return { path, opened, cookie, attributes };
  };

  it("opens the page for one browser, again for that one, and for no other", async () => {
    const served = serveApp({ inspector: inspector() });
    const { get } = served;
    const { attributes, cookie, opened, path } = await visit(served);
    expect([opened.status, attributes.sort()]).toEqual([200, ["HttpOnly", "Path=/", "SameSite=Strict"]]);
    expect(cookie).not.toContain(KEY);
    expect(await (await get("/", { host: HOST, cookie })).text()).toBe("the page");
    expect((await get(path, { host: HOST, cookie })).status).toBe(200);
    expect((await get(path, { host: HOST })).status).toBe(401);
    expect((await get(path, { host: HOST, cookie: `${cookie}x` })).status).toBe(401);
  });

  it("of a server on another port does not affect a browser's session on this one", async () => {
    const [one, other] = [serveApp({ inspector: inspector() }), serveApp({ inspector: inspector() })];
    const [first, second] = [await visit(one), await visit(other, "127.0.0.1:9825")];
    const cookie = `${first.cookie}; ${second.cookie}`;
    expect((await one.get("/", { host: HOST, cookie })).status).toBe(200);
    expect((await other.get("/", { host: "127.0.0.1:9825", cookie })).status).toBe(200);
    expect((await one.get("/", { host: "127.0.0.1:9825", cookie })).status).toBe(401);
  });

  it("expires after ten minutes, and a session half a day after its last use", async () => {
    const { access, asBrowser, clock, get } = serveApp({ inspector: inspector() });
    const late = access.createCode();
    const browser = asBrowser();
    clock.advance(LINK_MS + 1);
    expect((await get(`/open/${late}`, { host: HOST })).status).toBe(401);
    for (const [hours, status] of [
      [11, 200],
      [11, 200],
      [13, 401],
    ] as const) {
      clock.advance(hours * 3_600_000);
      expect((await get("/", browser)).status).toBe(status);
    }
  });

  it.each(["/", "/api/fails", "/%61pi/fails"])("is what opens %s; the key does not", async (path) => {
    const { app, asBrowser, get } = serveApp({ inspector: inspector() });
    for (const method of ["GET", "POST"])
      expect((await app.request(path, { method, headers: KEYED })).status, method).toBe(403);
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

  it("forbids inline scripts, framing, caching and other sites", async () => {
    const { headers } = await serveApp({ inspector: inspector() }).get("/");
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  it("that was read a moment ago is not read again, unless that failed", async () => {
    const clock = createFakeClock();
    let reads = 0;
    const read = createRecent(clock, 5_000, async () => {
      if (++reads === 1) throw new Error("EIO");
      return reads;
    });
    await expect(read()).rejects.toThrow("EIO");
    expect(await Promise.all([read(), read()])).toEqual([2, 2]);
    clock.advance(4_999);
    expect(await read()).toBe(2);
    clock.advance(1);
    expect(await read()).toBe(3);
  });
});

describe("the rate limit", () => {
  it("lets a client with the key make 60 requests a minute, and says when it may continue", async () => {
    const { asBrowser, clock, get } = serveApp();
    for (let left = 59; left >= 0; left--) {
      const { headers, status } = await get("/stats");
      expect([status, headers.get("ratelimit-remaining")]).toEqual([200, String(left)]);
    }
    clock.advance(20_000);
    const refused = await get("/stats");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
    // Others are not affected: requests without a key have a limit of their own, and a browser has none.
    expect((await get("/stats", { host: HOST })).status).toBe(401);
    expect((await get("/health", { host: HOST })).status).toBe(200);
    for (let n = 0; n < 100; n++) expect((await get("/stats", asBrowser())).status).toBe(200);
    clock.advance(40_000);
    expect((await get("/stats")).status).toBe(200);
  });
});

describe("a body", () => {
  const echo = async (request: Request): Promise<Response> =>
    new Response(String((await request.arrayBuffer()).byteLength));

  it("of a million bytes is accepted, and a longer one is refused, also if its length is not given", async () => {
    const { app } = serveApp({ mcp: echo });
    const post = (body: BodyInit) =>
      app.request("/mcp", { method: "POST", headers: KEYED, body, duplex: "half" } as RequestInit);
    expect(await (await post(new Uint8Array(MOST_BODY_BYTES))).text()).toBe(String(MOST_BODY_BYTES));
    expect((await post(new Uint8Array(MOST_BODY_BYTES + 1))).status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64_000;
        controller.enqueue(new Uint8Array(64_000));
      },
    });
    expect((await post(endless)).status).toBe(413);
    expect(sent).toBeLessThan(2 * MOST_BODY_BYTES);
  });
});
