/** The page's only network access: the inspector's API, at URLs relative to the page. */
import type { Done, Failure, ViewAnswer } from "../answers.js";

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

/** Reads several views of a project; `undefined` if nothing has changed since the answers with this tag. */
export async function readViews(
  project: string,
  addresses: readonly string[],
  etag: string | undefined,
  signal: AbortSignal,
): Promise<{ answers: readonly ViewAnswer[]; etag: string | undefined } | undefined> {
  const query = new URLSearchParams(addresses.map((address) => ["watch", address]));
  const headers = etag === undefined ? {} : { "if-none-match": etag };
  const response = await send(`api/${project}/views?${query}`, { headers, signal });
  if (response.status === 304) return undefined;
  return { answers: await response.json(), etag: response.headers.get("etag") ?? undefined };
}

async function ask<T>(address: string, init: RequestInit): Promise<T> {
  return (await send(address, init)).json();
}

async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch((thrown: unknown) => {
    if (init.signal?.aborted) throw thrown;
    throw new Error("The server does not answer. Is strata serve still running?");
  });
  if (response.ok || response.status === 304) return response;
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
