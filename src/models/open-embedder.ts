/** Opens the embedder of `recall.embeddings`. Its code is loaded with the first text, and never without the setting. */
import { join } from "node:path";
import { hashOf } from "../base/hash.js";
import type { Config } from "../config/schema.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Post } from "../io/post.js";
import { isConfidential, type Memory } from "../memory/memory.js";
import type { Folders } from "../project/folders.js";
import type { Embedder } from "../recall/kept.js";
import type { EndpointEmbedder } from "./embedder.js";

export interface OpenEmbedderOptions {
  config: Pick<Config, "background" | "recall">;
  clock: Clock;
  files: Files;
  folders: Pick<Folders, "background" | "vectors">;
  instance: string;
  log: Log;
  /** Variables of the environment. */
  readVariable(name: string): string | undefined;
  /** Replaced in tests only. */
  post?: Post | undefined;
}

export interface OpenEmbedder extends Required<Embedder> {
  /** For what was said, of which nothing is kept; `undefined` if it must not be sent, as for private memories. */
  unkept: Embedder | undefined;
  /** May this memory be sent to the endpoint? */
  mayEmbed(memory: Pick<Memory, "isForeign" | "isPersonal" | "sensitivity">): boolean;
  /** Resolves when all vectors are in the cache's file. Never rejects. */
  onIdle(): Promise<void>;
}

/**
 * The best match of words scores 1. Chosen so that a paraphrase comes behind a memory that has most words of the query,
 * and before those that share one.
 */
const WEIGHT = 0.6;

/** `undefined` if the setting is absent or incomplete; an incomplete one is logged. */
export function openEmbedder(options: OpenEmbedderOptions): OpenEmbedder | undefined {
  const { allowPrivate, model, url } = options.config.recall.embeddings;
  if (url === undefined && model === undefined) return undefined;
  if (url === undefined || model === undefined || !URL.canParse(url)) {
    const lacking = url === undefined ? "url" : model === undefined ? "model" : "a valid url";
    options.log.warn("recall", `recall.embeddings lacks ${lacking}, so memories are found by words only`);
    return undefined;
  }
  const endpoint = planEndpoint(url, options.readVariable);
  let loading: Promise<EndpointEmbedder> | undefined;
  const load = (): Promise<EndpointEmbedder> => {
    loading ??= loadEmbedder(options, endpoint);
    return loading;
  };

  const embedQuery = async (text: string) => (await load()).embedQuery(text);
  const embedUnkept: Embedder["embed"] = async (texts) => (await load()).embedUnkept(texts);
  const maySendPrivate = endpoint.isLocal || allowPrivate;
  return {
    weight: WEIGHT,
    embed: async (texts) => (await load()).embed(texts),
    embedQuery,
    unkept: maySendPrivate ? { weight: WEIGHT, embed: embedUnkept, embedQuery } : undefined,
    // A repository's memories must not cost the user's money, nor choose what is sent.
    mayEmbed: (memory) => !memory.isForeign && (!isConfidential(memory) || maySendPrivate),
    onIdle: async () => (await loading)?.onIdle(),
  };
}

async function loadEmbedder(options: OpenEmbedderOptions, endpoint: Endpoint): Promise<EndpointEmbedder> {
  const { config, folders, ...rest } = options;
  const { background } = config;
  const { embeddings: settings } = config.recall;
  const { createEndpointEmbedder } = await import("./embedder.js");
  const post = options.post ?? (await import("../io/post.js")).fetchPost;
  const name = hashOf(JSON.stringify([endpoint.url, settings.model, settings.dimensions ?? null]));
  return createEndpointEmbedder({
    ...{ ...rest, ...endpoint, background, post, settings },
    budgetFolder: folders.background,
    cachePath: join(folders.vectors, `${name}.json`),
  });
}

interface Endpoint {
  url: string;
  /** True if texts sent there stay on this machine: a loopback address, reached without a proxy. */
  isLocal: boolean;
}

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
  const isLoopback = /^(localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(url.hostname);
  return { url: url.href, isLocal: isLoopback && !isProxied(url, readVariable) };
}

/** By variables that make fetch use a proxy; Bun's does so even for loopback addresses. */
function isProxied(url: URL, readVariable: (name: string) => string | undefined): boolean {
  const names = [`${url.protocol.slice(0, -1)}_proxy`, "all_proxy"];
  if (!names.some((name) => readVariable(name.toUpperCase()) || readVariable(name))) return false;
  const exempt = (readVariable("NO_PROXY") ?? readVariable("no_proxy") ?? "").split(",");
  return !exempt.some((one) => ["*", url.hostname, url.host].includes(one.trim()));
}
