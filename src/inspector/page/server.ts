/** The page's only network access: the inspector's API, at URLs relative to the page. */
import type { Done, Failure } from "../answers.js";

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

/** Requests a change. Rejects with a sentence that says why nothing was changed. */
export async function change(project: string, name: string, body: object): Promise<Done> {
  return JSON.parse(await read(`api/${project}/${name}`, body));
}

/** Address of a view, such as "session?id=ses_1"; leaves out empty and `undefined` values. */
export function addressOf(view: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given).toString();
  return `${view}${search === "" ? "" : `?${search}`}`;
}
