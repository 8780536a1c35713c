/**
 * Live answers: a stream of server-sent events sends the answers of the views that a page shows, at once and after each
 * change on disk. While anyone listens, one watch per project checks its files once a second.
 *
 *     event: answer
 *     data: {"address":"session?id=ses_1","value":{…}}      or with "error" instead of "value"
 *
 * Bounded: at most MOST_LISTENERS at once, with at most MOST_ADDRESSES each; for a slow listener, a set of addresses is
 * kept, never a queue of answers. Slow answers are sent less often: after them, the watch pauses for at least REST times
 * their duration. The server sends heartbeats and closes connections that nobody reads.
 */
import { formatFailure } from "../../error.js";
import type { Clock } from "../../seams/clock.js";
import type { LiveEvent, Topic } from "./answers.js";

export interface Live {
  /** Streams the answers of these addresses until the signal is aborted; `undefined` if there are too many listeners. */
  open(addresses: readonly string[], signal: AbortSignal): Response | undefined;
  /** Checks the files at once. Never rejects. */
  look(): Promise<void>;
}

export interface LiveOptions {
  clock: Clock;
  /** Stamps by path: if a stamp differs, the path's topics have changed. Never rejects. */
  look(): Promise<ReadonlyMap<string, Stamp>>;
  /** Rejects with a sentence for the user. */
  answer(address: string): Promise<unknown>;
  /** The topics that the answer depends on. */
  topicsOf(address: string): readonly Topic[];
}

export interface Stamp {
  topics: readonly Topic[];
  stamp: string;
}

export const MOST_LISTENERS = 20;
export const MOST_ADDRESSES = 8;
const EVERY_MS = 1_000;
const REST = 9;

interface Listener {
  tell(changed: readonly Topic[]): Promise<void>;
}

export function createLive(options: LiveOptions): Live {
  const { clock } = options;
  const listeners = new Set<Listener>();
  let cancel: (() => void) | undefined;
  let last: ReadonlyMap<string, Stamp> | undefined;
  let looking: Promise<void> | undefined;

  return {
    open(addresses, signal) {
      if (listeners.size >= MOST_LISTENERS) return undefined;
      const body = createStream(options, addresses, {
        signal,
        // The first stamps are taken before the first answers, so that no change in between is missed.
        begin: () => (last ? Promise.resolve() : look()),
        onOpen: (listener) => void listeners.add(listener),
        onEnd(listener) {
          listeners.delete(listener);
          if (listeners.size === 0) stop();
        },
      });
      return new Response(body, {
        headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
      });
    },
    look: async () => (listeners.size > 0 ? look() : undefined),
  };

  function stop(): void {
    cancel?.();
    cancel = undefined;
    last = undefined;
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function lookOnce(): Promise<void> {
    cancel?.();
    const now = await options.look();
    if (listeners.size === 0) return;
    const changed = last ? findChanged(last, now) : [];
    last = now;
    const startMs = clock.now();
    const told = [...listeners].map((listener) => listener.tell(changed));
    void Promise.all(told).then(() => {
      if (listeners.size === 0) return;
      cancel?.();
      cancel = clock.after(Math.max(EVERY_MS, REST * (clock.now() - startMs)), () => void look());
    });
  }
}

/** Pure. */
export function findChanged(
  before: ReadonlyMap<string, Stamp>,
  now: ReadonlyMap<string, Stamp>,
): readonly Topic[] {
  const changed = new Set<Topic>();
  for (const [place, { stamp, topics }] of now)
    if (before.get(place)?.stamp !== stamp) for (const topic of topics) changed.add(topic);
  return [...changed];
}

interface StreamEvents {
  signal: AbortSignal;
  begin(): Promise<void>;
  onOpen(listener: Listener): void;
  onEnd(listener: Listener): void;
}

/** The stream of one listener. */
function createStream(
  { answer, topicsOf }: LiveOptions,
  addresses: readonly string[],
  { begin, onEnd, onOpen, signal }: StreamEvents,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const due = new Set(addresses);
  let hasBegun = false;
  let isOver = false;
  let sending: Promise<void> | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const listener: Listener = { tell };

  return new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      onOpen(listener);
      signal.addEventListener("abort", finish, { once: true });
      if (signal.aborted) return finish();
      controller.enqueue(encoder.encode("retry: 2000\n\n"));
      void begin().then(() => {
        hasBegun = true;
        return send();
      });
    },
    pull: () => void send(),
    cancel: end,
  });

  async function tell(changed: readonly Topic[]): Promise<void> {
    for (const address of addresses)
      if (topicsOf(address).some((topic) => changed.includes(topic))) due.add(address);
    await send();
  }

  function send(): Promise<void> {
    sending ??= sendDue().finally(() => {
      sending = undefined;
      // An address may have become due while the last answer was finishing.
      if (canSend() && due.size > 0) void send();
    });
    return sending;
  }

  async function sendDue(): Promise<void> {
    while (canSend()) {
      const [address] = due;
      if (address === undefined) return;
      due.delete(address);
      const event = await answer(address).then(
        (value): LiveEvent => ({ address, value }),
        (thrown): LiveEvent => ({ address, error: formatFailure(thrown) }),
      );
      if (!isOver) controller.enqueue(encoder.encode(`event: answer\ndata: ${JSON.stringify(event)}\n\n`));
    }
  }

  function canSend(): boolean {
    return hasBegun && !isOver && (controller.desiredSize ?? 0) > 0;
  }

  function finish(): void {
    if (isOver) return;
    end();
    controller.close();
  }

  function end(): void {
    isOver = true;
    signal.removeEventListener("abort", finish);
    onEnd(listener);
  }
}
