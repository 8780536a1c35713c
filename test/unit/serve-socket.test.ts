/** The server's socket: slow and malformed clients, its port, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { type ListenOptions, listen } from "../../src/serve/listen.js";
import { type Chance, numberOf } from "../support/chance.js";
import { patiently } from "../support/patience.js";
import { removeFolder } from "../support/remove-folder.js";
import { HOST, KEY, serveApp } from "../support/served.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

const SHORT = { headersMs: 100, requestMs: 100, lookMs: 20 };

async function start(app: Hono, bounds: ListenOptions["bounds"] = {}) {
  const listening = await listen(app, { clock: systemClock, host: "127.0.0.1", port: 0, bounds });
  open.push(listening.stop);
  return listening;
}

/** Sends this on a new connection. `ended`: everything received until it was closed. */
async function dial(
  port: number,
  text: string | Buffer = "",
): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (data) => {
    answer += data;
  });
  // A reset ends it too.
  socket.on("error", () => {});
  const ended = new Promise<string>((resolve) => void socket.once("close", () => resolve(answer)));
  await once(socket, "connect");
  socket.write(text);
  return { socket, ended };
}

const request = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, `Host: ${HOST}`, `X-API-Key: ${KEY}`, ...headers, "", ""].join("\r\n");

describe("a slow client", () => {
  it("that does not finish its headers or its body is disconnected", async () => {
    const { app } = serveApp({ mcp: async (asked) => new Response(await asked.text()) });
    const { port } = await start(app, SHORT);
    const headers = await dial(port, "GET /health HTTP/1.1\r\nHost: ");
    expect(await headers.ended).toMatch(/^HTTP\/1\.1 408 /);
    const body = await dial(port, `${request("POST /mcp", "Content-Length: 100")}{`);
    expect(await body.ended).not.toContain(" 200 ");
  });

  it("that does not read its response is disconnected, and the response is not buffered", async () => {
    let sent = 0;
    let cancel = (): void => {};
    const cancelled = new Promise<void>((done) => {
      cancel = done;
    });
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => cancel(),
    });
    const { port } = await start(serveApp({ mcp: async () => new Response(body) }).app, { silentMs: 100 });
    const { socket } = await dial(port, request("GET /mcp"));
    socket.pause();
    await cancelled;
    socket.destroy();
    expect(sent).toBeLessThan(32_000_000);
  });

  it("gets no connection beyond the limit", async () => {
    const { port } = await start(serveApp().app, { connections: 2 });
    const held = [await dial(port), await dial(port)];
    expect(await (await dial(port, request("GET /health"))).ended).toBe("");
    for (const { socket } of held) socket.destroy();
  });
});

it("a request without a Content-Length is answered, with a body in chunks or with none", async () => {
  const { app, printed } = serveApp({ mcp: async (asked) => new Response(await asked.text()) });
  const { port } = await start(app);
  const bare = await dial(port, request("POST /link", "Connection: close"));
  expect([await bare.ended, printed.length]).toEqual([expect.stringContaining(" 202 "), 1]);
  const chunks = "2\r\n{}\r\n0\r\n\r\n";
  const chunked = await dial(
    port,
    request("POST /mcp", "Connection: close", "Transfer-Encoding: chunked") + chunks,
  );
  expect(await chunked.ended).toMatch(/ 200 [\s\S]*\{\}/);
});

it("a server that stops waits for a response in progress and accepts no new connections", async () => {
  let [arrive, answer] = [(): void => {}, (_: Response): void => {}];
  const arrived = new Promise<void>((done) => {
    arrive = done;
  });
  const reply = new Promise<Response>((done) => {
    answer = done;
  });
  const mcp = (): Promise<Response> => {
    arrive();
    return reply;
  };
  const { port, stop } = await start(serveApp({ mcp }).app);
  open.pop();
  const slow = await dial(port, request("POST /mcp", "Content-Length: 0"));
  await arrived;
  const stopped = stop();
  const [{ code }] = (await once(connect(port, "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  expect(code).toBe("ECONNREFUSED");
  answer(new Response("done"));
  expect(await slow.ended).toContain("done");
  await stopped;
});

/* Malformed requests. */

const PATHS = [
  ...["/health", "/stats", "/metrics", "/mcp", "/", "/open/x", "/api/echo", "/api/../../../etc/passwd"],
  ...["/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/assets/%00", "/%", "//evil.example/stats", "*", "?"],
  ...["http://[::1/stats", "evil.example:443", "/\u0000"],
];
const METHODS = ["GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "get", "G\tT", ""];
const VERSIONS = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", ""];

/** One request; the same for the same random source. */
function createMalformed(chance: Chance, host: string): Buffer {
  const pick = <T>(from: readonly T[]): T => from[chance(from.length)] as T;
  const noise = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(chance(256))).join("");
  const body = pick(["", "{", "[".repeat(5_000), noise(200), "5\r\nhello\r\n0\r\n\r\n", '{"__proto__":{}}']);
  const odd = [
    `Authorization: Bearer ${noise(20)}`,
    `Cookie: strata=${noise(40)}; strata-9824=%E0%A4%A; =; ;;`,
    `Origin: ${pick(["null", "http://[", "http://evil.example"])}`,
    `Host: ${pick(["evil.example", "", noise(10), "a".repeat(5_000), "localhost:99999999"])}`,
    `Content-Length: ${pick(["-1", "1e9", "99999999999999999999", "5, 6", "a"])}`,
    `Transfer-Encoding: ${pick(["chunked, chunked", "gzip", "chunked"])}`,
    "Upgrade: websocket\r\nConnection: Upgrade",
    `Content-Type: ${pick(["application/json", ";;", noise(30)])}`,
    `X-Long: ${"a".repeat(chance(30_000))}`,
    "Sec-Fetch-Site: cross-site",
    "no colon at all",
    "\u0000: \u0000",
  ];
  const method = pick(METHODS);
  const whole = [
    `${method} ${pick(PATHS)} ${pick(VERSIONS)}`,
    `Host: ${host}`,
    ...(chance(2) === 0 ? [`X-API-Key: ${KEY}`] : []),
    ...Array.from({ length: chance(3) }, () => pick(odd)),
    ...(method === "GET" ? ["", ""] : [`Content-Length: ${body.length}`, "", body]),
  ].join("\r\n");
  const cut = whole.slice(0, chance(whole.length));
  const damaged = [whole, whole, whole, cut, whole.replaceAll("\r\n", "\n"), whole + whole, noise(400)];
  return Buffer.from(pick([...damaged, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]), "latin1");
}

it(
  "ten thousand malformed requests are answered with what was wrong, and change nothing for the next client",
  async () => {
    const api = new Hono()
      .get("/", (context) => context.text("the page"))
      .post("/api/echo", async (context) => {
        const read = await context.req.json().catch(() => {
          throw new HTTPException(400, { message: "expected JSON" });
        });
        return context.json(JSON.stringify(read).length);
      });
    const mcp = async (asked: Request): Promise<Response> => {
      await asked.text().catch(() => "");
      return new Response(null, { status: 202 });
    };
    const { app, complaints, metrics } = serveApp({ inspector: api, mcp, requestsPerMinute: 1_000_000 });
    // Half of the requests end incorrectly; for the others, the server's wait times out.
    const { port } = await start(app, SHORT);
    const host = `127.0.0.1:${port}`;
    let drawn = 0;
    const chance: Chance = (below) => numberOf(`${drawn++}`) % below;
    const statuses = new Set<number>();
    let left = 10_000;
    const send = async (): Promise<void> => {
      while (left-- > 0) {
        const bytes = createMalformed(chance, host);
        const { ended, socket } = await dial(port, bytes);
        socket.on("data", () => socket.end());
        if (chance(2) === 0) socket.end();
        const answer = await ended;
        for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) statuses.add(Number(status));
        expect([bytes.toString("latin1"), /root:|ENOENT|\n +at /.exec(answer)?.[0]]).toEqual([
          bytes.toString("latin1"),
          undefined,
        ]);
      }
    };
    await Promise.all(Array.from({ length: 64 }, send));
    expect([[...statuses].filter((status) => status >= 500), complaints]).toEqual([[], []]);
    expect([...statuses]).toEqual(expect.arrayContaining([400, 401, 403, 404]));
    const asked = await fetch(`http://${host}/stats`, { headers: { "x-api-key": KEY } });
    expect([asked.status, await asked.json()]).toEqual([200, { memories: 3 }]);
    const series = (await metrics.format()).split("\n").filter((line) => !line.startsWith("#"));
    expect(series.length).toBeLessThan(500);
  },
  patiently(120_000),
);

it.each(["SIGTERM", "SIGINT"] as const)(
  "a server ends with 0 at %s, although a client keeps its connection, and its port is free again",
  async (signal) => {
    const home = mkdtempSync(join(tmpdir(), "strata-serve-"));
    open.push(() => removeFolder(home));
    mkdirSync(join(home, "project", ".git"), { recursive: true });
    const run = (port: string) => {
      const child: ChildProcess = spawn(
        process.execPath,
        [resolve("dist/strata.js"), "serve", "--port", port, "--json"],
        { cwd: join(home, "project"), env: { PATH: process.env.PATH, HOME: home }, stdio: "pipe" },
      );
      open.unshift(() => child.kill("SIGKILL"));
      let err = "";
      child.stderr?.setEncoding("utf8").on("data", (data) => {
        err += data;
      });
      const ended = once(child, "close").then(([code]) => ({ code, err }));
      const lines = createInterface({ input: child.stdout as never });
      return { child, ended, line: once(lines, "line").then(([text]) => JSON.parse(text)) };
    };
    const first = run("0");
    const { key, url } = await first.line;
    const agent = new Agent({ keepAlive: true });
    const [answer] = await once(get(`${url}/stats`, { agent, headers: { "x-api-key": key } }), "response");
    answer.resume();
    await once(answer, "end");
    const { port } = new URL(url);
    expect(await run(port).ended).toEqual({
      code: 3,
      err: `strata: cannot listen on 127.0.0.1, port ${port}: another program uses it; choose another port with --port\n`,
    });
    first.child.kill(signal);
    expect(await first.ended).toEqual({ code: 0, err: "strata: stopping …\n" });
    agent.destroy();
    expect((await run(port).line).url).toBe(url);
  },
  patiently(60_000),
);
