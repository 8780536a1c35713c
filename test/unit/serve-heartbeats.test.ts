import { describe, expect, it } from "vitest";
import { addHeartbeats } from "../../src/serve/listen.js";
import { createFakeClock } from "../support/fake-clock.js";

const HEARTBEAT_MS = 25_000;

function open() {
  const clock = createFakeClock();
  const cancelled: unknown[] = [];
  let source: ReadableStreamDefaultController<string> | undefined;
  const events = new ReadableStream<string>({
    start(controller) {
      source = controller;
    },
    cancel: (why) => void cancelled.push(why),
  });
  const reader = addHeartbeats(events.pipeThrough(new TextEncoderStream()), clock).getReader();
  const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  return { clock, cancelled, reader, read, source: source as ReadableStreamDefaultController<string> };
}

describe("an idle event stream", () => {
  it("has a heartbeat every 25 seconds, its events in between, and none within an event", async () => {
    const { clock, read, source } = open();
    for (let n = 0; n < 2; n++) {
      const beat = read();
      clock.advance(HEARTBEAT_MS);
      expect(await beat).toBe(": \n\n");
      source.enqueue("data: 1\n\n");
      expect(await read()).toBe("data: 1\n\n");
    }
    source.enqueue("data: a long ");
    expect(await read()).toBe("data: a long ");
    const rest = read();
    clock.advance(HEARTBEAT_MS);
    source.enqueue("line\n\n");
    expect(await rest).toBe("line\n\n");
  });

  it("has at most one heartbeat for a client that does not read", async () => {
    const { clock, read, source } = open();
    for (let n = 0; n < 10; n++) clock.advance(HEARTBEAT_MS);
    expect(await read()).toBe(": \n\n");
    source.enqueue("data: 1\n\n");
    expect(await read()).toBe("data: 1\n\n");
  });

  it("ends, fails and is cancelled like the stream itself, and then has no more heartbeats", async () => {
    const [ended, failed, left] = [open(), open(), open()];
    ended.source.close();
    expect(await ended.reader.read()).toMatchObject({ done: true });
    failed.source.error(new Error("gone"));
    await expect(failed.reader.read()).rejects.toThrow("gone");
    await left.reader.cancel("left");
    await expect.poll(() => left.cancelled).toEqual(["left"]);
    for (const { clock } of [ended, failed, left]) clock.advance(HEARTBEAT_MS);
  });
});
