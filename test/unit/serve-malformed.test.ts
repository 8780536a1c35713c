import { connect } from "node:net";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { expect, it } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { listen } from "../../src/serve/listen.js";
import { createServerMetrics } from "../../src/serve/metrics.js";
import { type Chance, numberOf } from "../support/chance.js";
import { createMalformed } from "../support/malformed-requests.js";
import { patiently } from "../support/patience.js";
import { KEY, serveApp } from "../support/served.js";

const REQUESTS = 10_000;
const AT_ONCE = 64;
/** Text that only handlers send; no answer to a damaged request may come from a file or another site. */
const OWN_ERROR = /^\{"error":"/;

/** Half of the requests end incorrectly; for the others, the server's wait times out. */
const BOUNDS = { headersMs: 100, requestMs: 100, lookMs: 20 };

/** Sends the bytes, and returns what comes back until both sides have closed. */
function exchange(port: number, bytes: Uint8Array, isEnded: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => (isEnded ? socket.end(bytes) : socket.write(bytes)));
    let answer = "";
    socket.setEncoding("latin1").on("data", (data) => {
      answer += data;
      socket.end();
    });
    // A reset after the answer is an end too.
    socket.on("error", () => {});
    socket.once("close", () => resolve(answer));
  });
}

async function readSize(request: Request): Promise<number> {
  try {
    return JSON.stringify(await request.json()).length;
  } catch {
    throw new HTTPException(400, { message: "expected JSON" });
  }
}

const readStatuses = (answer: string): number[] =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));

it(
  "ten thousand malformed requests are answered with what was wrong, and change nothing for the next client",
  async () => {
    const api = new Hono()
      .get("/", (context) => context.text("the page"))
      .post("/api/echo", async (context) => context.json(await readSize(context.req.raw)));
    const mcp = async (request: Request): Promise<Response> => {
      await request.text();
      return new Response(null, { status: 202 });
    };
    const measured = { projects: [], health: { status: "ok" as const }, memoryBytes: 1, startedMs: 0 };
    const metrics = createServerMetrics(async () => measured);
    const { app, complaints } = serveApp({ inspector: api, mcp, metrics, requestsPerMinute: 1_000_000 });
    const { port, stop } = await listen(app, {
      ...{ clock: systemClock, host: "127.0.0.1", port: 0 },
      bounds: BOUNDS,
    });
    const host = `127.0.0.1:${port}`;
    let drawn = 0;
    const chance: Chance = (below) => numberOf(`${drawn++}`) % below;
    const statuses = new Map<number, number>();
    let left = REQUESTS;
    const send = async (): Promise<void> => {
      while (left-- > 0) {
        const bytes = createMalformed(chance, { host, key: KEY });
        const answer = await exchange(port, bytes, chance(2) === 0);
        for (const status of readStatuses(answer)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect([bytes.toString("latin1"), /root:|ENOENT|\n +at /.exec(answer)?.[0]]).toEqual([
          bytes.toString("latin1"),
          undefined,
        ]);
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, send));
      const failed = [...statuses].filter(([status]) => status >= 500);
      expect([failed, complaints]).toEqual([[], []]);
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([400, 401, 403, 404]));
      const asked = await fetch(`http://${host}/stats`, { headers: { "x-api-key": KEY } });
      expect([asked.status, await asked.json()]).toEqual([200, { memories: 3 }]);
      const series = (await metrics.format()).split("\n").filter((line) => !line.startsWith("#"));
      expect(series.length).toBeLessThan(500);
      expect(OWN_ERROR.test(await (await fetch(`http://${host}/none`)).text())).toBe(true);
    } finally {
      await stop();
    }
  },
  patiently(120_000),
);
