/**
 * What is sent to an embedding endpoint and what comes back, for both shapes:
 *
 *     OpenAI   POST …/embeddings   { model, input: [text, …] }   → { data: [{ index, embedding: [number, …] }, …] }
 *     Ollama   POST …/api/embed    { model, input: [text, …] }   → { embeddings: [[number, …], …] }
 */
import { StrataError } from "../base/error.js";
import { isRecord, parseJson } from "../base/shape.js";

export interface Endpoint {
  url: string;
  /** True if texts sent there stay on this machine: a loopback address, reached without a proxy. */
  isLocal: boolean;
}

/** Names of variables that make fetch use a proxy; Bun's does so even for loopback addresses. */
const PROXIES: Readonly<Record<string, readonly string[]>> = {
  "http:": ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
  "https:": ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
};

/** More numbers in a vector than any model gives. */
const MOST_DIMENSIONS = 8_192;

/**
 * The endpoint at a base URL such as `https://api.openai.com/v1` or `http://localhost:11434`, or at the endpoint's own.
 *
 * @throws TypeError if it is not a URL.
 */
export function planEndpoint(base: string, readVariable: (name: string) => string | undefined): Endpoint {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, "");
  if (path === "") url.pathname = "/v1/embeddings";
  else if (path.endsWith("/api")) url.pathname = `${path}/embed`;
  else if (!/\/(embeddings|embed)$/.test(path)) url.pathname = `${path}/embeddings`;
  return { url: url.href, isLocal: isLoopback(url.hostname) && !isProxied(url, readVariable) };
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

function isProxied(url: URL, readVariable: (name: string) => string | undefined): boolean {
  if (!(PROXIES[url.protocol] ?? []).some((name) => readVariable(name))) return false;
  const exempt = (readVariable("NO_PROXY") ?? readVariable("no_proxy") ?? "")
    .split(",")
    .map((one) => one.trim());
  return !exempt.some((one) => one === "*" || one === url.hostname || one === url.host);
}

export interface Asked {
  model: string;
  texts: readonly string[];
  dimensions?: number | undefined;
}

export function formatRequest({ dimensions, model, texts }: Asked): string {
  return JSON.stringify({ model, input: texts, ...(dimensions !== undefined && { dimensions }) });
}

export interface Answer {
  /** One per text, in their order, all of one length. */
  vectors: Float32Array[];
  /** As the endpoint counts them. */
  tokens?: number;
}

/** @throws StrataError EANSWER, without any part of the answer's text. */
export function parseAnswer(text: string, { dimensions, texts }: Asked): Answer {
  const answer = parseJson(text);
  if (!isRecord(answer)) throw refuse("a JSON object", `${text.length} characters of something else`);
  const lists = readLists(answer);
  if (lists.length !== texts.length) throw refuse(`${texts.length} vectors`, `${lists.length}`);
  const vectors = lists.map(readVector);
  const length = dimensions ?? vectors[0]?.length;
  const wrong = vectors.find((vector) => vector.length !== length);
  if (wrong) throw refuse(`vectors of ${length} numbers`, `one of ${wrong.length}`);
  const tokens = readTokens(answer);
  return { vectors, ...(tokens !== undefined && { tokens }) };
}

function readLists({ data, embeddings }: Record<string, unknown>): unknown[] {
  if (Array.isArray(embeddings)) return embeddings;
  if (!Array.isArray(data)) throw refuse("a list `data` or `embeddings`", "neither");
  const lists: unknown[] = [];
  for (const [n, one] of data.entries()) {
    if (!isRecord(one)) throw refuse("objects in `data`", typeof one);
    const at = one.index ?? n;
    if (typeof at !== "number" || !(at in data) || at in lists)
      throw refuse("each `index` of `data` once", JSON.stringify(at)?.slice(0, 20));
    lists[at] = one.embedding;
  }
  return lists;
}

function readVector(given: unknown): Float32Array {
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_DIMENSIONS)
    throw refuse(
      `a list of 1 to ${MOST_DIMENSIONS} numbers`,
      Array.isArray(given) ? `one of ${given.length}` : typeof given,
    );
  const vector = Float32Array.from(given, (value) => (typeof value === "number" ? value : Number.NaN));
  if (!vector.every(Number.isFinite)) throw refuse("finite numbers", "something else in a vector");
  return vector;
}

function readTokens({ prompt_eval_count, usage }: Record<string, unknown>): number | undefined {
  const given = isRecord(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : prompt_eval_count;
  return typeof given === "number" && Number.isFinite(given) && given >= 0 ? Math.ceil(given) : undefined;
}

const refuse = (expected: string, came = "something else"): StrataError =>
  new StrataError("EANSWER", `expected ${expected} from the endpoint, came ${came}`);
