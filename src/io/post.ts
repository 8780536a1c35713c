/** The HTTP seam: one POST of JSON, bounded in size. Redirects are answers, never followed. */
import { StrataError } from "../base/error.js";

export interface PostRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** A longer answer rejects with EANSWER. */
  maxBytes: number;
  signal: AbortSignal;
}

export interface PostAnswer {
  status: number;
  /** Target of a redirect. */
  location?: string;
  /** Empty for a redirect. */
  text: string;
}

/** Rejects with the network's error, and if the signal is aborted. */
export type Post = (request: PostRequest) => Promise<PostAnswer>;

export const fetchPost: Post = async ({ url, headers, body, maxBytes, signal }) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body,
    redirect: "manual",
    signal,
  });
  const { status } = response;
  const location = response.headers.get("location");
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return { status, text: "", ...(location !== null && { location }) };
  }
  return { status, text: await readBounded(response, maxBytes) };
};

/** The body as text. Rejects with EANSWER if it is longer. */
export async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new StrataError("EANSWER", `expected an answer of at most ${maxBytes} bytes; it is longer`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/* The HTTP seam for reading: one GET, bounded in size. Returns redirects and never follows them. */

export interface GetRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A longer answer rejects with EANSWER. */
  maxBytes: number;
  signal: AbortSignal;
}

export interface GetAnswer {
  status: number;
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Empty for a redirect. */
  text: string;
}

/** Rejects with the network's error, and if the signal is aborted. */
export type Get = (request: GetRequest) => Promise<GetAnswer>;

export const fetchGet: Get = async ({ url, headers: asked, maxBytes, signal }) => {
  const response = await fetch(url, { headers: asked, redirect: "manual", signal });
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  if (status < 300 || status >= 400) return { status, headers, text: await readBounded(response, maxBytes) };
  await response.body?.cancel();
  return { status, headers, text: "" };
};
