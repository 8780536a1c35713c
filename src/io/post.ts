/** The HTTP seam: one request, bounded in size. Redirects are answers, never followed. */
import { StrataError } from "../base/error.js";

interface GetRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A longer answer rejects with EANSWER. */
  maxBytes: number;
  signal: AbortSignal;
}

/** A POST of JSON. */
interface PostRequest extends GetRequest {
  body: string;
}

export interface Answer {
  status: number;
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Empty for a redirect. */
  text: string;
}

/** Both reject with the network's error, and if the signal is aborted. */
export type Get = (request: GetRequest) => Promise<Answer>;
export type Post = (request: PostRequest) => Promise<Answer>;

export const fetchGet: Get = (request) => send(request, {});

export const fetchPost: Post = ({ body, headers, ...request }) => {
  const json = { "content-type": "application/json", accept: "application/json" };
  return send({ ...request, headers: { ...json, ...headers } }, { method: "POST", body });
};

async function send({ url, headers, maxBytes, signal }: GetRequest, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, headers, redirect: "manual", signal });
  const { status } = response;
  const answer = { status, headers: Object.fromEntries(response.headers) };
  if (status < 300 || status >= 400) return { ...answer, text: await readBounded(response, maxBytes) };
  await response.body?.cancel();
  return { ...answer, text: "" };
}

/** The body as text. */
async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const value of response.body ?? []) {
    bytes += value.length;
    if (bytes > maxBytes)
      throw new StrataError("EANSWER", `expected an answer of at most ${maxBytes} bytes; it is longer`);
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}
