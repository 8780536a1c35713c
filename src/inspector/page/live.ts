/** Reads all views on the page again every few seconds; not while the page is hidden. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ViewAnswer } from "../answers.js";
import type { Shared } from "./hooks.js";
import { readViews } from "./server.js";

type Listener = (answer: ViewAnswer) => void;

export interface Live {
  watch: Shared["watch"];
  /** Reads at once. */
  refresh(): void;
  isLive: boolean;
  /** Why nothing can be read. */
  lost: string | undefined;
}

const EVERY_MS = 5_000;
/** Slow answers are requested less often: the pause is at least so many times their duration. */
const REST = 9;
/** Delay before reading, since the next view often watches the same addresses. */
const GATHER_MS = 30;

export function useLive(project: string): Live {
  const [state, setState] = useState<Pick<Live, "isLive" | "lost">>({ isLive: false, lost: undefined });
  const reader = useMemo(
    () =>
      createReader(project, (lost) =>
        setState((known) =>
          known.lost === lost && known.isLive === (lost === undefined)
            ? known
            : { isLive: lost === undefined, lost },
        ),
      ),
    [project],
  );
  useEffect(() => {
    document.addEventListener("visibilitychange", reader.refresh);
    return () => {
      document.removeEventListener("visibilitychange", reader.refresh);
      reader.end();
    };
  }, [reader]);
  return { ...state, watch: reader.watch, refresh: reader.refresh };
}

/** `tell`: after each reading, with the reason if it failed. */
function createReader(project: string, tell: (lost: string | undefined) => void) {
  const listeners = new Map<string, Set<Listener>>();
  /** The last answers of the watched addresses, as JSON. */
  const known = new Map<string, string>();
  let etag: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading: AbortController | undefined;

  return { watch, refresh: () => plan(GATHER_MS), end };

  function watch(address: string, listener: Listener): () => void {
    const own = listeners.get(address) ?? new Set();
    listeners.set(address, own.add(listener));
    const last = known.get(address);
    if (last !== undefined) listener(JSON.parse(last));
    else plan(GATHER_MS);
    return () => {
      own.delete(listener);
      if (own.size > 0 || listeners.get(address) !== own) return;
      listeners.delete(address);
      known.delete(address);
    };
  }

  function plan(afterMs: number): void {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(() => void readAll(), afterMs);
  }

  function end(): void {
    clearTimeout(timer);
    reading?.abort();
  }

  async function readAll(): Promise<void> {
    reading?.abort();
    const addresses = [...listeners.keys()].sort();
    if (addresses.length === 0) return;
    const mine = new AbortController();
    reading = mine;
    const startMs = performance.now();
    // The tag belongs to these views: a new one has no answer yet.
    const tag = addresses.every((address) => known.has(address)) ? etag : undefined;
    let lost: string | undefined;
    try {
      const read = await readViews(project, addresses, tag, mine.signal);
      etag = read?.etag ?? etag;
      for (const answer of read?.answers ?? []) take(answer);
    } catch (thrown) {
      lost = thrown instanceof Error ? thrown.message : String(thrown);
    }
    if (mine.signal.aborted) return;
    tell(lost);
    plan(Math.max(EVERY_MS, REST * (performance.now() - startMs)));
  }

  /** Only a changed answer is drawn. */
  function take(answer: ViewAnswer): void {
    const own = listeners.get(answer.address);
    const text = JSON.stringify(answer);
    if (!own || known.get(answer.address) === text) return;
    known.set(answer.address, text);
    for (const listener of own) listener(answer);
  }
}
