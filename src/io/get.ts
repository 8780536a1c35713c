/** The HTTP seam for reading: one GET, bounded in size. Returns redirects and never follows them. */
import { readBounded } from "./post.js";

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
