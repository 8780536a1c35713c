import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { ANSWER_MS, createRateLimit, MOST_BODY_BYTES } from "../../src/serve/app.js";
import { createRecent } from "../../src/serve/listen.js";
import { createFakeClock } from "../support/fake-clock.js";
import { HOST, KEYED, serveApp } from "../support/served.js";

const page = (): Hono => new Hono().get("/assets/page.css", (context) => context.text("a {}"));

describe("the rate limit", () => {
  it("lets a client make 60 requests a minute, and says when it may continue", async () => {
    const { clock, get } = serveApp();
    for (let request = 1; request <= 60; request++) {
      const { headers, status } = await get("/stats");
      expect([request, status, headers.get("ratelimit-remaining")]).toEqual([
        request,
        200,
        String(60 - request),
      ]);
    }
    clock.advance(20_000);
    const refused = await get("/stats");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
    clock.advance(40_000);
    expect((await get("/stats")).status).toBe(200);
  });

  it("does not count health and assets", async () => {
    const { get } = serveApp({ requestsPerMinute: 1, inspector: page() });
    await get("/stats");
    for (const path of ["/health", "/assets/page.css"])
      for (let request = 0; request < 100; request++) expect((await get(path)).status).toBe(200);
    expect((await get("/stats")).status).toBe(429);
  });

  it("for requests without a key is separate", async () => {
    const { access, get } = serveApp({ requestsPerMinute: 3 });
    for (const status of [401, 401, 401, 429, 429])
      expect((await get("/assets/page.css", { host: HOST })).status).toBe(status);
    const cookies = [access.createCode(), access.createCode()].map(
      (code) => `strata-9824=${access.openSession(code)}`,
    );
    for (const headers of [KEYED, ...cookies.map((cookie) => ({ host: HOST, cookie }))])
      for (const status of [200, 200, 200, 429]) expect((await get("/stats", headers)).status).toBe(status);
  });

  it("starts again when the clock is set back", () => {
    const clock = createFakeClock();
    const count = createRateLimit(clock, 1);
    expect([count("a"), count("a")].map(({ isAllowed }) => isAllowed)).toEqual([true, false]);
    clock.advance(-3_600_000);
    expect(count("a").isAllowed).toBe(true);
  });
});

describe("a body", () => {
  const echo = async (request: Request): Promise<Response> =>
    new Response(String((await request.arrayBuffer()).byteLength));

  it("of a million bytes is accepted, and a longer one is refused", async () => {
    const { app } = serveApp({ mcp: echo });
    const post = (bytes: number) =>
      app.request("/mcp", { method: "POST", headers: KEYED, body: new Uint8Array(bytes) });
    expect(await (await post(MOST_BODY_BYTES)).text()).toBe(String(MOST_BODY_BYTES));
    expect((await post(MOST_BODY_BYTES + 1)).status).toBe(413);
  });

  it("of unknown length is cut off at a million bytes", async () => {
    const { app } = serveApp({ mcp: echo });
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64_000;
        controller.enqueue(new Uint8Array(64_000));
      },
    });
    const init = { method: "POST", headers: KEYED, body, duplex: "half" };
    expect((await app.request("/mcp", init)).status).toBe(413);
    expect(sent).toBeLessThan(2 * MOST_BODY_BYTES);
  });
});

describe("an answer", () => {
  it("that takes longer than a minute is replaced by an error", async () => {
    const { app, clock } = serveApp({ mcp: () => new Promise(() => {}) });
    const asked = app.request("/mcp", { method: "POST", headers: KEYED, body: "{}" });
    await new Promise(setImmediate);
    clock.advance(ANSWER_MS);
    expect((await asked).status).toBe(504);
  });

  it("that is requested again while it is cached is not read twice, however many clients ask at once", async () => {
    const clock = createFakeClock();
    let reads = 0;
    const read = createRecent(clock, 5_000, async () => ++reads);
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    clock.advance(4_999);
    expect(await read()).toBe(1);
    clock.advance(1);
    expect(await read()).toBe(2);
    clock.advance(-60_000);
    expect(await read()).toBe(3);
  });

  it("that could not be read is read again", async () => {
    let reads = 0;
    const read = createRecent(createFakeClock(), 5_000, async () => {
      if (++reads === 1) throw new Error("EIO");
      return reads;
    });
    await expect(read()).rejects.toThrow("EIO");
    expect(await read()).toBe(2);
  });
});
