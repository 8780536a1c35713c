/** The page's only network access: the inspector's API, at URLs relative to the page. */
import type { Done, Failure, LiveEvent } from "../answers.js";

/** Reads from the API. Rejects with a sentence for the user. */
export async function read<T>(address: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(address, signal ? { signal } : {});
}

/** Requests a change. Rejects with a sentence that says why nothing was changed. */
export async function change(project: string, name: string, body: object): Promise<Done> {
  return ask<Done>(`api/${project}/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Address of a view, such as "session?id=ses_1"; leaves out empty and `undefined` values. */
export function addressOf(view: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given).toString();
  return `${view}${search === "" ? "" : `?${search}`}`;
}

export interface LiveListener {
  onAnswer(event: LiveEvent): void;
  /** The server is unreachable or refuses; `error` has the reason, if known. The page tries again. */
  onLost(error: string | undefined): void;
}

/** Doubled with each try. */
const AGAIN_MS = 3_000;
const LONGEST_AGAIN_MS = 60_000;

/** Watches views of a project; the function returned stops it. */
export function listen(
  project: string,
  addresses: readonly string[],
  { onAnswer, onLost }: LiveListener,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let tries = 0;
  const query = new URLSearchParams(addresses.map((address) => ["watch", address]));
  const open = (): void => {
    source = new EventSource(`api/${project}/live?${query}`);
    source.addEventListener("answer", (event) => onAnswer(JSON.parse(event.data) as LiveEvent));
    source.addEventListener("error", () => void explain());
  };
  // The browser reconnects automatically unless it was refused, and never gives the reason.
  const explain = async (): Promise<void> => {
    const isRefused = source?.readyState === EventSource.CLOSED;
    const error = await read("api/projects").then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    if (isOver) return;
    onLost(error);
    if (isRefused) timer = setTimeout(open, Math.min(LONGEST_AGAIN_MS, AGAIN_MS * 2 ** tries++));
  };
  open();
  return () => {
    isOver = true;
    source?.close();
    clearTimeout(timer);
  };
}

async function ask<T>(address: string, init: RequestInit): Promise<T> {
  const response = await fetch(address, init).catch((thrown: unknown) => {
    if (init.signal?.aborted) throw thrown;
    throw new Error("The server does not answer. Is strata serve still running?");
  });
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401 || response.status === 403) throw new Error(await explainDenied(response));
  if (response.status === 429) throw new Error("Too many requests. Try again in a minute.");
  throw new Error((await readError(response)) ?? `The server answered ${response.status}.`);
}

async function explainDenied(response: Response): Promise<string> {
  const error = await readError(response);
  if (response.status === 403 && error !== undefined) return error;
  return "This page no longer has access. Run strata serve again and open the link that it prints.";
}

async function readError(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => undefined)) as Partial<Failure> | undefined;
  return typeof body?.error === "string" ? body.error : undefined;
}
