import { describe, expect, it } from "vitest";
import { addHeartbeats } from "../../src/serve/listen.js";
import { createFakeClock } from "../support/fake-clock.js";

const HEARTBEAT_MS = 25_000;

function open() {
  const clock = createFakeClock();
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelled: unknown;
  const events = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller;
    },
    cancel(why) {
      cancelled = why;
    },
  });
  const reader = addHeartbeats(events, clock).getReader();
  const read = async (): Promise<string | undefined> => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
  return {
    ...{ clock, reader, read },
    send: (text: string) => source?.enqueue(new TextEncoder().encode(text)),
    end: () => source?.close(),
    fail: (why: Error) => source?.error(why),
    cancelled: () => cancelled,
  };
}

describe("an idle event stream", () => {
  it("has a heartbeat every 25 seconds, and its events in between", async () => {
    const { clock, read, send } = open();
    const first = read();
    clock.advance(HEARTBEAT_MS);
    expect(await first).toBe(": \n\n");
    send("data: 1\n\n");
    expect(await read()).toBe("data: 1\n\n");
    const second = read();
    clock.advance(HEARTBEAT_MS);
    expect(await second).toBe(": \n\n");
  });

  it("has no heartbeat within an event", async () => {
    const { clock, read, send } = open();
    send("data: a long ");
    expect(await read()).toBe("data: a long ");
    const rest = read();
    clock.advance(HEARTBEAT_MS);
    send("line\n\n");
    expect(await rest).toBe("line\n\n");
  });

  it("has at most one heartbeat for a client that does not read", async () => {
    const { clock, read, send } = open();
    for (let n = 0; n < 10; n++) clock.advance(HEARTBEAT_MS);
    expect(await read()).toBe(": \n\n");
    send("data: 1\n\n");
    expect(await read()).toBe("data: 1\n\n");
  });

  it("ends, fails and is cancelled like the stream itself, and then has no more heartbeats", async () => {
    const ended = open();
    ended.end();
    expect(await ended.read()).toBeUndefined();
    ended.clock.advance(HEARTBEAT_MS);
    const failed = open();
    failed.fail(new Error("gone"));
    await expect(failed.read()).rejects.toThrow("gone");
    failed.clock.advance(HEARTBEAT_MS);
    const left = open();
    await left.reader.cancel("left");
    await expect.poll(() => left.cancelled()).toBe("left");
    left.clock.advance(HEARTBEAT_MS);
  });
});
