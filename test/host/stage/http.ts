/**
 * Requests to a host, each on a connection of its own.
 *
 * `fetch` keeps connections by address, and a host that is started again often gets the port of the one
 * before: the first request after a restart then failed on a connection to a host long dead.
 */

import { type IncomingMessage, request } from "node:http";

/** One request. `body` is sent as JSON; `signal` ends it, and its response, at any time. */
export interface HttpRequest {
  method: string;
  url: string;
  body?: unknown;
  signal?: AbortSignal;
}

/** Sends a request; resolves with the response once its headers are there. */
export function openResponse({ method, url, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, ...(signal ? { signal } : {}) }, resolve);
    sent.on("error", (error) => reject(new Error(`${method} ${url}: ${error.message}`, { cause: error })));
    sent.end(payload);
  });
}

/** Sends a request and reads the whole response as text. */
export async function exchange(options: HttpRequest): Promise<{ status: number; text: string }> {
  const response = await openResponse(options);
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, text };
}
