/** One live stream for all views on the page; none while the page is hidden. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { LiveEvent } from "../answers.js";
import type { Shared } from "./hooks.js";
import { listen } from "./server.js";

type Listener = (event: LiveEvent) => void;

export interface Live {
  watch: Shared["watch"];
  isLive: boolean;
  /** Why there is no stream, if the server gives a reason. */
  lost: string | undefined;
}

/** Delay before the stream changes, since the next view often watches the same addresses. */
const SETTLED_MS = 30;

export function useLive(project: string): Live {
  const [isLive, setIsLive] = useState(false);
  const [lost, setLost] = useState<string | undefined>(undefined);
  const hub = useRef<Hub | undefined>(undefined);
  hub.current ??= createHub(project, (is, error) => {
    setIsLive(is);
    setLost(error);
  });
  useEffect(() => {
    const onVisibility = (): void => hub.current?.show(!document.hidden);
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      hub.current?.show(false);
    };
  }, []);
  const watch = useCallback<Shared["watch"]>(
    (address, listener) => hub.current?.watch(address, listener) ?? (() => {}),
    [],
  );
  return { watch, isLive, lost };
}

interface Hub {
  watch(address: string, listener: Listener): () => void;
  /** A hidden page needs no stream, and a browser limits the connections of all its pages. */
  show(isShown: boolean): void;
}

function createHub(project: string, tell: (isLive: boolean, error: string | undefined) => void): Hub {
  const listeners = new Map<string, Set<Listener>>();
  /** The last answers of the watched addresses, for later listeners. */
  const known = new Map<string, LiveEvent>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isShown = !document.hidden;
  let stop: (() => void) | undefined;
  let watched = "";

  return {
    watch(address, listener) {
      const own = listeners.get(address) ?? new Set();
      listeners.set(address, own.add(listener));
      const last = known.get(address);
      if (last) listener(last);
      plan();
      return () => {
        own.delete(listener);
        if (own.size === 0) {
          listeners.delete(address);
          known.delete(address);
        }
        plan();
      };
    },
    show(is) {
      isShown = is;
      plan();
    },
  };

  function plan(): void {
    clearTimeout(timer);
    timer = setTimeout(connect, SETTLED_MS);
  }

  function connect(): void {
    const addresses = isShown ? [...listeners.keys()].sort() : [];
    const wanted = addresses.join("\n");
    if (wanted === watched) return;
    watched = wanted;
    stop?.();
    stop = addresses.length === 0 ? undefined : listen(project, addresses, { onAnswer, onLost });
  }

  function onAnswer(event: LiveEvent): void {
    tell(true, undefined);
    known.set(event.address, event);
    for (const listener of listeners.get(event.address) ?? []) listener(event);
  }

  function onLost(error: string | undefined): void {
    tell(false, error);
  }
}
