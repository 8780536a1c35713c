import type { Clock } from "../io/clock.js";

/** Shorter than the server's idle timeout and those of common proxies. */
const HEARTBEAT_MS = 25_000;
const NEWLINE = 0x0a;
/** A comment, which readers of server-sent events skip. */
const HEARTBEAT = new TextEncoder().encode(": \n\n");

/**
 * Adds heartbeats to an idle event stream. None is sent within an event, or to a client that does not read, so that the
 * idle timeout still ends its connection.
 */
export function addHeartbeats(events: ReadableStream<Uint8Array>, clock: Clock): ReadableStream<Uint8Array> {
  const reader = events.getReader();
  let isBetween = true;
  let stop = (): void => {};
  const sendLater = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stop = clock.after(HEARTBEAT_MS, () => {
      sendLater(controller);
      if (isBetween && (controller.desiredSize ?? 0) > 0) controller.enqueue(HEARTBEAT);
    });
  };
  return new ReadableStream<Uint8Array>({
    start: sendLater,

    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          isBetween = value.at(-1) === NEWLINE && value.at(-2) === NEWLINE;
          return controller.enqueue(value);
        }
        stop();
        controller.close();
      } catch (thrown) {
        stop();
        throw thrown;
      }
    },

    async cancel(why) {
      stop();
      await reader.cancel(why);
    },
  });
}
