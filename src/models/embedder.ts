/**
 * The embedder of `recall.embeddings`: an endpoint, its cache and its bounds.
 *
 *     entries    secrets out → cache → backoff → budget → endpoint, in batches, in the background
 *     a query    the same, but answered within a second or not at all; one at a time
 *
 * What is sent to another machine counts for the daily budget, of which at most half may be used: the rest is for the
 * calls that write memories. A local endpoint costs nothing. Both shapes of endpoint are understood:
 *
 *     OpenAI   POST …/embeddings   { model, input: [text, …] }   → { data: [{ index, embedding: [number, …] }, …] }
 *     Ollama   POST …/api/embed    { model, input: [text, …] }   → { embeddings: [[number, …], …] }
 */
import { formatError, StrataError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import { isRecord, type PlainRecord, parseJson } from "../base/shape.js";
import { inSlices, type Sliced } from "../base/slices.js";
import type { Config } from "../config/schema.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Post } from "../io/post.js";
import { formatWordsOnly } from "../memory/search/search.js";
import type { Embedder } from "../recall/kept.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { createBackoff, createBudget } from "./budget.js";

interface EndpointEmbedderOptions {
  background: Config["background"];
  /** With `model`. */
  settings: Config["recall"]["embeddings"];
  url: string;
  /** Texts sent there stay on this machine. */
  isLocal: boolean;
  post: Post;
  readVariable(name: string): string | undefined;
  clock: Clock;
  files: Files;
  log: Log;
  /** Folder of the daily budget. */
  budgetFolder: string;
  /** Path of the cache of this model. */
  cachePath: string;
  instance: string;
}

/** Characters of a text that are sent: small models read 512 tokens, and refuse more or ignore it. */
const MOST_CHARACTERS = 1_500;
/** Characters scanned beyond: half a secret goes unrecognised. */
const LONGEST_SECRET = 500;
const QUERY_MS = 1_000;
const MOST_QUERIES = 50;

export type EndpointEmbedder = ReturnType<typeof createEndpointEmbedder>;

export function createEndpointEmbedder(options: EndpointEmbedderOptions) {
  const { clock, log } = options;
  const cache = createVectorCache(options);
  const ask = createAsking(options);
  const queries = new Map<string, Float32Array>();
  let asking: Promise<Float32Array | undefined> | undefined;

  return {
    async embed(texts: readonly string[]): ReturnType<Embedder["embed"]> {
      await cache.open();
      const clean = await inSlices(clock, cleanAll(texts));
      const missing = [...new Set(clean)].filter((text) => text !== "" && !cache.get(text));
      const vectors = missing.length > 0 ? await ask("embed memories", missing) : [];
      for (const [n, text] of missing.entries()) cache.put(text, vectors[n] as Float32Array);
      return clean.map((text) => cache.get(text));
    },

    /** The same for texts of which nothing is kept. */
    async embedUnkept(texts: readonly string[]): ReturnType<Embedder["embed"]> {
      return ask("embed what was said", await inSlices(clock, cleanAll(texts)));
    },

    async embedQuery(query: string): Promise<Float32Array | undefined> {
      const [text = ""] = await inSlices(clock, cleanAll([query]));
      const known = queries.get(text);
      if (known || text === "" || asking) return known;
      asking = askQuery(text).finally(() => {
        asking = undefined;
      });
      const waited = await waitAtMost(clock, QUERY_MS, () => asking);
      return waited.kind === "done" ? waited.value : undefined;
    },

    /** Resolves when the cache is written. Never rejects. */
    onIdle: cache.save,
  };

  /** A vector that comes too late serves the next such query. Never rejects. */
  async function askQuery(text: string): Promise<Float32Array | undefined> {
    try {
      const [vector] = await ask("embed a query", [text]);
      if (queries.size >= MOST_QUERIES) queries.delete([...queries.keys()][0] ?? "");
      if (vector) queries.set(text, vector);
      return vector;
    } catch (thrown) {
      log.warn("recall", formatWordsOnly(thrown));
      return undefined;
    }
  }
}

/** The texts as they are sent: without secrets, and cut. */
function* cleanAll(texts: readonly string[]): Sliced<string[]> {
  const clean: string[] = [];
  for (const text of texts) {
    yield;
    const { text: without } = redactSecrets(text.slice(0, MOST_CHARACTERS + LONGEST_SECRET));
    clean.push(without.slice(0, MOST_CHARACTERS).trim());
  }
  return clean;
}

/** One vector per text, in their order. Rejects with the same error until the backoff is over, so that it is logged once. */
function createAsking(options: EndpointEmbedderOptions) {
  const { background, budgetFolder, clock, isLocal } = options;
  const backoff = createBackoff(clock);
  const dailyCalls = Math.floor(background.dailyCalls / 2);
  const dailyTokens = Math.floor(background.dailyTokens / 2);
  const budget = createBudget({
    ...options,
    config: { ...background, dailyCalls, dailyTokens },
    folder: budgetFolder,
    instance: `${options.instance}-embeddings`,
  });
  let last: unknown;

  return async (purpose: string, texts: readonly string[]): Promise<Float32Array[]> => {
    if (background.enabled === false)
      throw new Refusal("background.enabled is false, so nothing is sent to recall.embeddings.url");
    if (backoff.why() !== undefined) throw last;
    const tokens = texts.reduce((sum, text) => sum + text.length, 0);
    const reservation = isLocal ? undefined : await budget.reserve({ purpose, session: "", tokens });
    if (reservation?.kind === "refused") {
      const { isUsedUp, why } = reservation;
      throw new Refusal(isUsedUp ? "their half of the daily budget of background calls is used up" : why);
    }
    try {
      const answer = await askEndpoint(options, texts);
      backoff.noteAnswer();
      const input = answer.tokens ?? Math.ceil(tokens / 4);
      await reservation?.recordSpent({ input, output: 0, cacheRead: 0 });
      return answer.vectors;
    } catch (thrown) {
      last = thrown;
      backoff.noteFailure(formatError(thrown), thrown instanceof Refusal ? thrown.status : undefined);
      throw thrown;
    }
  };
}

/** The message holds neither the key nor any text. */
class Refusal extends StrataError {
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

/** Rejects with a `Refusal`. */
async function askEndpoint(options: EndpointEmbedderOptions, texts: readonly string[]) {
  const { clock, post, settings, url } = options;
  const { dimensions, model, timeoutMs } = settings;
  const { host } = new URL(url);
  const key = readKey(options);
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const body = JSON.stringify({ model, input: texts, ...(dimensions !== undefined && { dimensions }) });
  const waited = await waitAtMost(clock, timeoutMs, (signal) =>
    post({ url, headers, body, maxBytes: MOST_ANSWER_BYTES, signal }),
  );
  if (waited.kind === "overran") throw new Refusal(`${host} did not answer within ${timeoutMs} ms`);
  if (waited.kind === "failed") {
    const why = formatError(waited.thrown);
    throw new Refusal(`${host}: ${key === undefined ? why : why.replaceAll(key, "[key]")}`);
  }
  const { status, text } = waited.value;
  if (status >= 300 && status < 400) {
    const { location = "" } = waited.value.headers;
    const to = URL.canParse(location) ? ` to ${new URL(location).host}` : "";
    const todo = "which is not followed; set recall.embeddings.url to the endpoint itself";
    throw new Refusal(`${host} redirects${to}, ${todo}`, NO_REQUEST);
  }
  if (status < 200 || status >= 300) throw new Refusal(`${host} answered with status ${status}`, status);
  try {
    return parseAnswer(text, texts.length, dimensions);
  } catch (thrown) {
    throw new Refusal(`${host}: ${formatError(thrown)}`);
  }
}

function readKey({ isLocal, readVariable, settings, url }: EndpointEmbedderOptions): string | undefined {
  const { apiKeyEnv } = settings;
  if (apiKeyEnv === undefined) return undefined;
  const key = (readVariable(apiKeyEnv) ?? "").trim();
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Refusal(
      `expected a key in the environment variable ${apiKeyEnv}, got ${key === "" ? "none" : "one with spaces or special characters"}; set it, or remove recall.embeddings.apiKeyEnv`,
      NO_REQUEST,
    );
  if (!isLocal && !url.startsWith("https:"))
    throw new Refusal(
      "a key is only sent over https or to this machine; change recall.embeddings.url",
      NO_REQUEST,
    );
  return key;
}

/** More numbers in a vector than any model gives. */
const MOST_DIMENSIONS = 8_192;

/**
 * One vector per text, in their order, all of one length; the tokens as the endpoint counts them.
 *
 * @throws StrataError EANSWER, without any part of the answer's text.
 */
function parseAnswer(text: string, count: number, dimensions: number | undefined) {
  const answer = parseJson(text);
  if (!isRecord(answer)) throw unexpected("a JSON object", `${text.length} characters of something else`);
  const lists = readLists(answer);
  if (lists.length !== count) throw unexpected(`${count} vectors`, `${lists.length}`);
  const vectors = lists.map(readVector);
  const length = dimensions ?? vectors[0]?.length;
  const wrong = vectors.find((vector) => vector.length !== length);
  if (wrong) throw unexpected(`vectors of ${length} numbers`, `one of ${wrong.length}`);
  const { prompt_eval_count: evaluated, usage } = answer;
  const tokens = isRecord(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : evaluated;
  return { vectors, tokens: typeof tokens === "number" && tokens >= 0 ? Math.ceil(tokens) : undefined };
}

function readLists({ data, embeddings }: PlainRecord): unknown[] {
  if (Array.isArray(embeddings)) return embeddings;
  if (!Array.isArray(data)) throw unexpected("a list `data` or `embeddings`", "neither");
  const lists: unknown[] = [];
  for (const [n, one] of data.entries()) {
    const { embedding, index = n } = isRecord(one) ? one : {};
    if (typeof index !== "number" || !(index in data) || index in lists)
      throw unexpected("each `index` of `data` once", JSON.stringify(index).slice(0, 20));
    lists[index] = embedding;
  }
  return lists;
}

function readVector(given: unknown): Float32Array {
  if (!Array.isArray(given)) throw unexpected("a list of numbers", typeof given);
  if (given.length === 0 || given.length > MOST_DIMENSIONS)
    throw unexpected(`1 to ${MOST_DIMENSIONS} numbers`, `${given.length}`);
  if (!given.every(Number.isFinite)) throw unexpected("finite numbers", "something else in a vector");
  return Float32Array.from(given);
}

const unexpected = (expected: string, got: string): StrataError =>
  new StrataError("EANSWER", `expected ${expected} from the endpoint, got ${got}`);

/*
 * Vectors by the hash of their text, in memory and in one file per model, the least recently used first. The file is
 * machine state: if it is missing, damaged or cannot be written, the endpoint is asked again. A vector is kept as bytes,
 * scaled so that its largest number is ±127: that keeps its direction, which is all that a cosine needs.
 */

const MOST_VECTORS = 10_000;
const MOST_BYTES = 16_000_000;
/** Vectors arrive in batches: the file is written when none has come for this long. */
const QUIET_MS = 1_000;

function createVectorCache({ cachePath: path, clock, files, log }: EndpointEmbedderOptions) {
  let vectors = new Map<string, Int8Array>();
  let opening: Promise<void> | undefined;
  let saving: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;

  return {
    save,
    /** Reads the file, once. Never rejects. */
    open(): Promise<void> {
      opening ??= guard("read", async () => {
        vectors = await read();
        // A start removes files that are no longer used.
        if (vectors.size > 0) await files.touch(path, clock.now());
      });
      return opening;
    },
    get(text: string): Float32Array | undefined {
      const key = hashOf(text);
      const packed = vectors.get(key);
      if (!packed) return undefined;
      vectors.delete(key);
      vectors.set(key, packed);
      return Float32Array.from(packed);
    },
    put(text: string, vector: Float32Array): void {
      const packed = packVector(vector);
      const [known] = vectors.values();
      // The model behind the name has changed: its vectors cannot be compared with the earlier ones.
      if (known && known.length !== packed.length) vectors.clear();
      vectors.set(hashOf(text), packed);
      cancel?.();
      cancel = clock.after(QUIET_MS, () => void save());
    },
  };

  /** Resolves when all vectors are in the file, or could not be written. Never rejects. */
  function save(): Promise<void> {
    if (!cancel) return saving;
    cancel();
    cancel = undefined;
    saving = saving.then(() => guard("written", write));
    return saving;
  }

  /** Keeps what another instance has written meanwhile. */
  async function write(): Promise<void> {
    const length = vectors.values().next().value?.length ?? 1;
    const others = [...(await read())].filter(([key, one]) => one.length === length && !vectors.has(key));
    const most = Math.min(MOST_VECTORS, Math.floor(MOST_BYTES / length));
    const rows = [...others, ...vectors].slice(-most);
    const packed = rows.map(([key, one]) => [key, Buffer.from(one.buffer).toString("base64")]);
    await files.writeWhole(path, JSON.stringify({ v: 1, vectors: Object.fromEntries(packed) }));
  }

  async function read(): Promise<Map<string, Int8Array>> {
    const value = parseJson(Buffer.from((await files.read(path)) ?? "").toString());
    const rows = isRecord(value) && isRecord(value.vectors) ? Object.entries(value.vectors) : [];
    return new Map(rows.map(([key, one]) => [key, new Int8Array(Buffer.from(String(one), "base64"))]));
  }

  async function guard(done: string, run: () => Promise<void>): Promise<void> {
    await run().catch((thrown) => {
      const why = `so its vectors are asked for again: ${formatError(thrown)}`;
      log.warn("recall", `${path} cannot be ${done}, ${why}`);
    });
  }
}

function packVector(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return Int8Array.from(vector, (value) => (largest > 0 ? Math.round((127 * value) / largest) : 0));
}
