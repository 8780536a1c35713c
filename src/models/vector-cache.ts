/**
 * Vectors by the hash of their text, in memory and in one file per model. The file is machine state: if it is missing,
 * damaged or cannot be written, the endpoint is asked again.
 */
import { formatError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import { isRecord, parseJson } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";

export interface VectorCache {
  /** Reads the file, once. Never rejects. */
  open(): Promise<void>;
  get(text: string): Float32Array | undefined;
  put(text: string, vector: Float32Array): void;
  /** Resolves when all vectors are in the file, or could not be written. Never rejects. */
  save(): Promise<void>;
}

const MOST_VECTORS = 10_000;
const MOST_BYTES = 16_000_000;
/** Vectors arrive in batches: the file is written when none has come for this long. */
const QUIET_MS = 1_000;

export function createVectorCache({
  clock,
  files,
  log,
  path,
}: {
  clock: Clock;
  files: Files;
  log: Log;
  path: string;
}): VectorCache {
  let vectors = new Map<string, Int8Array>();
  let opening: Promise<void> | undefined;
  let saving: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;

  return {
    open() {
      opening ??= read();
      return opening;
    },
    get(text) {
      const key = hashOf(text);
      const packed = vectors.get(key);
      if (!packed) return undefined;
      vectors.delete(key);
      vectors.set(key, packed);
      return Float32Array.from(packed);
    },
    put(text, vector) {
      const packed = packVector(vector);
      const [known] = vectors.values();
      // The model behind the name has changed: its vectors cannot be compared with the earlier ones.
      if (known && known.length !== packed.length) vectors.clear();
      vectors.set(hashOf(text), packed);
      cancel?.();
      cancel = clock.after(QUIET_MS, () => void save());
    },
    save,
  };

  async function read(): Promise<void> {
    try {
      const bytes = await files.read(path);
      if (!bytes) return;
      vectors = parseVectors(bytes);
      // `strata check --fix` removes files that are no longer used.
      await files.touch(path, clock.now());
    } catch (thrown) {
      warn("read", thrown);
    }
  }

  function save(): Promise<void> {
    if (!cancel) return saving;
    cancel();
    cancel = undefined;
    saving = saving.then(write);
    return saving;
  }

  /** Keeps what another instance has written meanwhile. */
  async function write(): Promise<void> {
    try {
      const [one] = vectors.values();
      const others = parseVectors((await files.read(path)) ?? new Uint8Array());
      const merged = new Map([...others].filter(([, { length }]) => length === one?.length));
      for (const [key, vector] of vectors) {
        merged.delete(key);
        merged.set(key, vector);
      }
      const most = Math.min(MOST_VECTORS, Math.floor(MOST_BYTES / (one?.length ?? 1)));
      await files.writeWhole(path, formatVectors(new Map([...merged].slice(-most))));
    } catch (thrown) {
      warn("written", thrown);
    }
  }

  function warn(done: string, thrown: unknown): void {
    log.warn(
      "recall",
      `${path} cannot be ${done}, so its vectors are asked for again: ${formatError(thrown)}`,
    );
  }
}

/*
 * The file of cached vectors of one model, in `.opencode/strata/state/vectors`: a line of JSON, then one row per text.
 *
 *     {"v":1,"length":768,"count":2,"digest":"…"}       `digest`: of the rows
 *     16 bytes: hash of the text | 768 bytes: the vector, scaled so that its largest number is ±127
 *
 * The least recently used come first. 10,000 memories take 8 MB at 768 numbers.
 */

/** Vectors by the hash of their text, the least recently used first. */
export type Vectors = ReadonlyMap<string, Int8Array>;

const KEY_BYTES = 16;
const NEWLINE = 10;
const LONGEST_HEAD = 200;

export function formatVectors(vectors: Vectors): Uint8Array {
  const length = vectors.values().next().value?.length ?? 0;
  const row = KEY_BYTES + length;
  const rows = new Uint8Array(vectors.size * row);
  let at = 0;
  for (const [key, vector] of vectors) {
    rows.set(Buffer.from(key, "hex"), at);
    rows.set(new Uint8Array(vector.buffer, vector.byteOffset, length), at + KEY_BYTES);
    at += row;
  }
  const head = JSON.stringify({ v: 1, length, count: vectors.size, digest: hashOf(rows) });
  return Buffer.concat([Buffer.from(`${head}\n`), rows]);
}

/** Empty if the file is damaged or of another version. */
export function parseVectors(bytes: Uint8Array): Map<string, Int8Array> {
  const vectors = new Map<string, Int8Array>();
  const end = bytes.subarray(0, LONGEST_HEAD).indexOf(NEWLINE);
  const head = parseJson(Buffer.from(bytes.subarray(0, Math.max(0, end))).toString());
  if (!isRecord(head) || head.v !== 1 || typeof head.length !== "number") return vectors;
  const rows = bytes.subarray(end + 1);
  const row = KEY_BYTES + head.length;
  if (head.digest !== hashOf(rows) || rows.length !== Number(head.count) * row) return vectors;
  for (let at = 0; at < rows.length; at += row) {
    const key = Buffer.from(rows.subarray(at, at + KEY_BYTES)).toString("hex");
    const vector = new Int8Array(head.length);
    vector.set(rows.subarray(at + KEY_BYTES, at + row));
    vectors.set(key, vector);
  }
  return vectors;
}

/** Keeps the direction of the vector, which is all that a cosine needs, to within half a percent. */
export function packVector(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return Int8Array.from(vector, (value) => (largest > 0 ? Math.round((127 * value) / largest) : 0));
}
