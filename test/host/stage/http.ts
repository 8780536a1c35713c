/**
 * Requests to a host, each on a new connection.
 *
 * `fetch` keeps connections by address, and a restarted host often gets its old port: the first request after a restart
 * would then fail on a dead connection.
 */

import { type IncomingMessage, request } from "node:http";

/** One request. `body` is sent as JSON; `signal` aborts the request and its response. */
export interface HttpRequest {
  method: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends a request; resolves with the response when its headers arrive. */
export function openResponse({
  method,
  url,
  body,
  headers: more,
  signal,
}: HttpRequest): Promise<IncomingMessage> {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    ...more,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
  };
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
