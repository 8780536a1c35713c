import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/io/clock.js";
import { type Listening, type ListenOptions, listen } from "../../src/serve/listen.js";
import { HOST, KEY, serveApp } from "../support/served.js";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

async function start(app: Hono, bounds?: ListenOptions["bounds"]): Promise<Listening> {
  const listening = await listen(app, {
    ...{ clock: systemClock, host: "127.0.0.1", port: 0 },
    ...(bounds && { bounds }),
  });
  open.push(listening.stop);
  return listening;
}

/** Sends this text on a new connection. `ended`: everything received until it was closed. */
async function dial(port: number, text = ""): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (data) => {
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

/** A body that never ends, and whether it was cancelled. */
function createEndless(): { response: Response; sent(): number; cancelled: Promise<void> } {
  let sent = 0;
  const { promise: cancelled, resolve: cancel } = withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
    cancel: () => cancel(),
  });
  return { response: new Response(body), sent: () => sent, cancelled };
}

/** An event stream whose first event has arrived. */
const sendEvents = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(": here\n\n")) }), {
    headers: { "content-type": "text/event-stream" },
  });

function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve = (_: T): void => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("a slow client", () => {
  const short = { headersMs: 50, requestMs: 100, lookMs: 20 };

  it("that does not finish its headers gets an error and is disconnected", async () => {
    const { port } = await start(serveApp().app, short);
    const { ended } = await dial(port, "GET /health HTTP/1.1\r\nHost: ");
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("that does not finish its body is disconnected", async () => {
    const { app } = serveApp({ mcp: async (asked) => new Response(await asked.text()) });
    const { port } = await start(app, short);
    const { ended } = await dial(port, `${request("POST /mcp", "Content-Length: 100")}{`);
    expect(await ended).not.toContain(" 200 ");
  });

  it("that does not read its response is disconnected, and the response is not buffered", async () => {
    const { cancelled, response, sent } = createEndless();
    const { port } = await start(serveApp({ mcp: async () => response }).app, { silentMs: 100 });
    const { socket } = await dial(port, request("GET /mcp"));
    socket.pause();
    await cancelled;
    socket.destroy();
    expect(sent()).toBeLessThan(32_000_000);
  });

  it("gets no connection beyond the limit", async () => {
    const { port } = await start(serveApp().app, { connections: 2 });
    const held = [await dial(port), await dial(port)];
    const { ended } = await dial(port, request("GET /health"));
    expect(await ended).toBe("");
    for (const { socket } of held) socket.destroy();
  });
});

describe("a client that leaves", () => {
  it("ends the response that the server was sending", async () => {
    const { cancelled, response } = createEndless();
    const { port } = await start(serveApp({ mcp: async () => response }).app);
    const { socket } = await dial(port, request("GET /mcp"));
    await once(socket, "data");
    socket.destroy();
    await cancelled;
  });
});

describe("stopping the server", () => {
  it("waits for a response in progress, closes event streams and accepts no new connections", async () => {
    const { promise: arrived, resolve: arrive } = withResolvers<void>();
    const { promise: reply, resolve: answer } = withResolvers<Response>();
    const { app } = serveApp({
      async mcp({ method }) {
        if (method === "GET") return sendEvents();
        arrive();
        return reply;
      },
    });
    const { port, stop } = await start(app);
    open.pop();
    const stream = await dial(port, request("GET /mcp"));
    await once(stream.socket, "data");
    const slow = await dial(port, request("POST /mcp", "Content-Length: 0"));
    await arrived;
    const stopped = stop();
    expect(await stream.ended).toMatch(/^HTTP\/1\.1 200 /);
    const refused = connect(port, "127.0.0.1");
    const [{ code }] = (await once(refused, "error")) as [NodeJS.ErrnoException];
    expect(code).toBe("ECONNREFUSED");
    answer(new Response("done"));
    expect(await slow.ended).toContain("done");
    await stopped;
  });
});

describe("a port", () => {
  it("that is in use causes an error that says what to do", async () => {
    const { port } = await start(serveApp().app);
    const second = listen(serveApp().app, { clock: systemClock, host: "127.0.0.1", port });
    await expect(second).rejects.toThrow(
      `cannot listen on 127.0.0.1, port ${port}: another program uses it; choose another port with --port`,
    );
  });
});
