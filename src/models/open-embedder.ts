/** Opens the embedder of `recall.embeddings`. Its code is loaded with the first text, and never without the setting. */
import { join } from "node:path";
import { hashOf } from "../base/hash.js";
import type { Config } from "../config/schema.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Post } from "../io/post.js";
import type { Memory } from "../memory/memory.js";
import type { Folders } from "../project/folders.js";
import type { Embedder } from "../recall/embedder.js";
import type { EndpointEmbedder } from "./embedder.js";
import { type Endpoint, planEndpoint } from "./endpoint.js";

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
  /** May this memory be sent to the endpoint? */
  mayEmbed(memory: Pick<Memory, "isForeign" | "sensitivity">): boolean;
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
    loading ??= loadEmbedder(options, { endpoint, model });
    return loading;
  };

  return {
    weight: WEIGHT,
    embed: async (texts) => (await load()).embed(texts),
    embedQuery: async (text) => (await load()).embedQuery(text),
    // A repository's memories must not cost the user's money, nor choose what is sent.
    mayEmbed: ({ isForeign, sensitivity }) =>
      !isForeign && (sensitivity !== "private" || endpoint.isLocal || allowPrivate),
    onIdle: async () => (await loading)?.onIdle(),
  };
}

async function loadEmbedder(
  options: OpenEmbedderOptions,
  { endpoint, model }: { endpoint: Endpoint; model: string },
): Promise<EndpointEmbedder> {
  const { clock, config, files, folders, instance, log, readVariable } = options;
  const { apiKeyEnv, dimensions, timeoutMs } = config.recall.embeddings;
  const [{ createClient }, { createEndpointEmbedder }, { fetchPost }] = await Promise.all([
    import("./client.js"),
    import("./embedder.js"),
    import("../io/post.js"),
  ]);
  const post = options.post ?? fetchPost;
  const client = createClient({
    ...{ apiKeyEnv, clock, dimensions, endpoint, model, post, readVariable, timeoutMs },
  });
  const name = hashOf(JSON.stringify([endpoint.url, model, dimensions ?? null]));
  return createEndpointEmbedder({
    ...{ background: config.background, client, clock, files, instance, log },
    isLocal: endpoint.isLocal,
    budgetFolder: folders.background,
    cachePath: join(folders.vectors, `${name}.bin`),
  });
}
