/** Asks the endpoint, within a time limit, and says in words what went wrong. */
import { formatError, StrataError } from "../base/error.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { Post, PostAnswer } from "../io/post.js";
import { type Answer, type Endpoint, formatRequest, parseAnswer } from "./endpoint.js";

export interface ClientOptions {
  endpoint: Endpoint;
  model: string;
  dimensions?: number | undefined;
  /** Name of the variable that holds the key. */
  apiKeyEnv?: string | undefined;
  timeoutMs: number;
  clock: Clock;
  post: Post;
  readVariable(name: string): string | undefined;
}

export interface Client {
  /** Rejects with a `Refusal`, whose message holds neither the key nor any text. */
  ask(texts: readonly string[]): Promise<Answer>;
}

export class Refusal extends StrataError {
  constructor(
    message: string,
    /** HTTP status; 401 if no request was possible with these settings. */
    readonly status?: number,
  ) {
    super("EEMBEDDINGS", message);
  }
}

/** 32 vectors of 8,192 numbers with 20 digits each, and their frame. */
const MOST_ANSWER_BYTES = 8_000_000;
const NO_REQUEST = 401;

export function createClient(options: ClientOptions): Client {
  const { clock, dimensions, endpoint, model, post, timeoutMs } = options;
  const { host } = new URL(endpoint.url);

  return {
    async ask(texts) {
      const headers = readHeaders(options);
      const asked = { model, texts, dimensions };
      const waited = await waitAtMost(clock, timeoutMs, (signal) =>
        post({ url: endpoint.url, headers, body: formatRequest(asked), maxBytes: MOST_ANSWER_BYTES, signal }),
      );
      if (waited.kind === "overran") throw new Refusal(`${host} did not answer within ${timeoutMs} ms`);
      if (waited.kind === "failed")
        throw new Refusal(`${host}: ${withoutKey(formatError(waited.thrown), headers)}`);
      refuseStatus(waited.value, host);
      try {
        return parseAnswer(waited.value.text, asked);
      } catch (thrown) {
        throw new Refusal(`${host}: ${formatError(thrown)}`);
      }
    },
  };
}

function readHeaders({ apiKeyEnv, endpoint, readVariable }: ClientOptions): Record<string, string> {
  if (apiKeyEnv === undefined) return {};
  const key = (readVariable(apiKeyEnv) ?? "").trim();
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Refusal(
      `expected a key in the environment variable ${apiKeyEnv}, came ${key === "" ? "none" : "one with spaces or special characters"}; set it, or remove recall.embeddings.apiKeyEnv`,
      NO_REQUEST,
    );
  if (!endpoint.isLocal && !endpoint.url.startsWith("https:"))
    throw new Refusal(
      "a key is only sent over https or to this machine; change recall.embeddings.url",
      NO_REQUEST,
    );
  return { authorization: `Bearer ${key}` };
}

function refuseStatus({ location, status }: PostAnswer, host: string): void {
  if (status >= 300 && status < 400)
    throw new Refusal(
      `${host} redirects${location === undefined ? "" : ` to ${findHost(location, host)}`}, which is not followed; set recall.embeddings.url to the endpoint itself`,
      NO_REQUEST,
    );
  if (status < 200 || status >= 300) throw new Refusal(`${host} answered with status ${status}`, status);
}

function findHost(location: string, host: string): string {
  return URL.canParse(location) ? new URL(location).host : host;
}

const withoutKey = (message: string, { authorization = "" }: Record<string, string>): string =>
  authorization === "" ? message : message.replaceAll(authorization.slice("Bearer ".length), "[key]");
