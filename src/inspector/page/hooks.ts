/** What several views need: answers of the server, keys, the time, the route. */
import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Done, Failure, MemoryPage, Projects, Todo } from "../answers.js";

/* The page's only network access: the inspector's API, at URLs relative to the page. */

/** The server cannot be reached, or no longer lets this page in: no view can be read. */
export class Unreachable extends Error {}

/** Reads a view, or with a body an operation. Rejects with a sentence for the user. */
export async function read(address: string, body?: object, signal?: AbortSignal): Promise<string> {
  const init = body && { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) };
  const response = await fetch(address, { ...init, ...(signal && { signal }) }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown;
    throw new Unreachable("The server does not answer. Is strata serve still running?");
  });
  if (response.ok) return response.text();
  const { error } = (await response.json().catch(() => ({}))) as Partial<Failure>;
  if (response.status === 429) throw new Unreachable("Too many requests. Try again in a minute.");
  if (response.status === 401 || (response.status === 403 && error === undefined))
    throw new Unreachable(
      "This page no longer has access. Run strata serve again and open the link that it prints.",
    );
  throw new Error(error ?? `The server answered ${response.status}.`);
}

const JSON_TYPE = { "content-type": "application/json" };

export type ProjectName = Projects["projects"][number];

export interface Toast {
  id: number;
  text: string;
  isError: boolean;
  /** The run to undo the reported change. */
  run?: string;
}

/** Unsaved input. */
export interface Draft {
  /** The memory when editing began; absent for a new one. */
  page?: MemoryPage;
  title: string;
  content: string;
  tags: string;
}

/** State shared by the whole page. */
export interface Shared {
  project: ProjectName;
  /** Number of changes that this page has made; every answer is read again after one. */
  changes: number;
  /** Is told after each reading: `undefined`, or why nothing can be read. */
  onRead(lost: string | undefined): void;
  /** Of all projects; see `useDraft`. */
  drafts: Map<string, Draft>;
  /** Requests a change and shows the result as a toast. `undefined` if it was refused. */
  apply(name: string, body: object): Promise<Done | undefined>;
}

export const SharedContext = createContext<Shared | undefined>(undefined);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (!shared) throw new Error("expected a project around every view");
  return shared;
}

/**
 * The unsaved input for a memory, "" for a new one, and what keeps it while another view is open. Keep it in a layout
 * effect: one that waits for the next frame is dropped if the user leaves the view first.
 */
export function useDraft(id: string): [Draft | undefined, keep: (draft: Draft | undefined) => void] {
  const { drafts, project } = useShared();
  const key = `${project.id} ${id}`;
  return [drafts.get(key), (draft) => void (draft ? drafts.set(key, draft) : drafts.delete(key))];
}

export interface Answer<T> {
  /** The last good answer; until the first one arrives, that of the previous address. */
  value?: T;
  error?: string;
}

export const POLL_MS = 5_000;
/** Slow answers are requested less often: the pause is at least so many times their duration. */
const REST = 9;

/**
 * The answer of the view at this address, or of the operation with this input. It is read again every few seconds while
 * the page is visible, but for a search, which may ask a model.
 */
export function useAnswer<T>(address: string, input?: object): Answer<T> {
  const { changes, onRead, project } = useShared();
  const [answer, setAnswer] = useState<Answer<T>>({});
  const body = input && JSON.stringify(input);
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = "";
    const load = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.hidden) return;
      const startMs = performance.now();
      try {
        const text = await read(`api/${project.id}/${address}`, body && JSON.parse(body), ended.signal);
        onRead(undefined);
        if (text !== last) setAnswer({ value: JSON.parse(text) });
        last = text;
      } catch (thrown) {
        if (ended.signal.aborted) return;
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        if (thrown instanceof Unreachable) onRead(why);
        else setAnswer((known) => ({ ...known, error: why }));
        last = "";
      }
      if (!ended.signal.aborted && address !== "recall")
        timer = setTimeout(load, Math.max(POLL_MS, REST * (performance.now() - startMs)));
    };
    void load();
    document.addEventListener("visibilitychange", load);
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", load);
    };
  }, [address, body, changes, onRead, project.id]);
  return answer;
}

/** What waits for the user, the list of `strata todo`: read once for all who show it. */
export const TodosContext = createContext<Answer<{ todos: readonly Todo[] }>>({});
export const useTodos = () => useContext(TodosContext);

/**
 * Handles a view's keys, by `KeyboardEvent.key`; an action that returns `false` leaves the key to the browser. Ignores them
 * in text fields and with modifiers.
 */
export function useKeys(keys: Readonly<Record<string, (() => unknown) | undefined>>): void {
  const current = useRef(keys);
  current.current = keys;
  // A layout effect, so that the keys work as soon as the view is visible.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const run = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      if (run && run() !== false) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

const TEXT_FIELDS = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches(TEXT_FIELDS);

export const findFocusedRow = (): HTMLElement | null | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-row]");

/** Moves the focus to the next or previous row, from none to the first on the screen; `false` if `onlyFromRow` and none. */
export function moveFocus(by: 1 | -1, { onlyFromRow = false } = {}): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  if (at === -1 && onlyFromRow) return false;
  const isSeen = (row: HTMLElement): boolean => row.getBoundingClientRect().top >= 0;
  const next = at === -1 ? (by === 1 ? rows.findIndex(isSeen) : rows.length - 1) : at + by;
  rows[next]?.focus();
  return true;
}

/** The server's time in milliseconds since 1970, up to `EVERY_MS` old. */
export const NowContext = createContext(0);

export const useNow = (): number => useContext(NowContext);

const EVERY_MS = 20_000;

/** The value of `NowContext`, from one timer for the whole page. */
export function useTime(aheadMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now + aheadMs;
}

/** Debounces a value, for text input. */
export function useDebounced<T>(value: T, afterMs: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return debounced;
}

/* The page's route, in the fragment of the URL: `#/memories/decision%2Fport`. Pure. */

export const SECTION_NAMES = {
  overview: "Overview",
  sessions: "Sessions",
  memories: "Memories",
  waiting: "Waiting",
  agenda: "Agenda",
  changes: "Changes",
  log: "Log",
};
export type Section = keyof typeof SECTION_NAMES;
export const sections = Object.keys(SECTION_NAMES) as Section[];

export interface Route {
  section: Section;
  /** Id of the open session or memory. */
  id?: string;
}

/** Invalid routes lead to the overview. */
export function parseRoute(hash: string): Route {
  const [, name = "", id] = /^#\/(\w+)(?:\/(.+))?$/.exec(hash) ?? [];
  const section = sections.find((one) => one === name) ?? "overview";
  const decoded = id === undefined ? undefined : decode(id);
  return { section, ...(decoded !== undefined && { id: decoded }) };
}

/** Replaces half surrogate pairs, which a file may contain but a URL cannot, with U+FFFD. */
export function formatRoute(section: Section, id?: string): string {
  if (id === undefined) return `#/${section}`;
  return `#/${section}/${encodeURIComponent(id.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/* The route in the page's URL. */

export function go(section: Section, id?: string): void {
  location.hash = formatRoute(section, id);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const onChange = (): void => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}
