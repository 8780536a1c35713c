/**
 * Vectors by the hash of their text, in memory and in one file per model. The file is machine state: if it is missing,
 * damaged or cannot be written, the endpoint is asked again.
 */
import { formatError } from "../base/error.js";
import { hashOf } from "../base/hash.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { formatVectors, packVector, parseVectors } from "./vector-file.js";

export interface VectorCache {
  /** Reads the file, once. Never rejects. */
  open(): Promise<void>;
  get(text: string): Float32Array | undefined;
  put(text: string, vector: Float32Array): void;
  /** Resolves when all vectors are in the file, or could not be written. Never rejects. */
  save(): Promise<void>;
}

export interface VectorCacheOptions {
  clock: Clock;
  files: Files;
  log: Log;
  path: string;
}

const MOST_VECTORS = 10_000;
const MOST_BYTES = 16_000_000;
/** Vectors arrive in batches: the file is written when none has come for this long. */
const QUIET_MS = 1_000;

export function createVectorCache({ clock, files, log, path }: VectorCacheOptions): VectorCache {
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
      log.warn(
        "recall",
        `${path} cannot be read, so its vectors are asked for again: ${formatError(thrown)}`,
      );
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
      await files.writeWhole(path, formatVectors(keepNewest(merged)));
    } catch (thrown) {
      log.warn(
        "recall",
        `${path} cannot be written, so its vectors are asked for again: ${formatError(thrown)}`,
      );
    }
  }
}

function keepNewest(vectors: Map<string, Int8Array>): Map<string, Int8Array> {
  const [one] = vectors.values();
  const most = Math.min(MOST_VECTORS, Math.floor(MOST_BYTES / (one?.length ?? 1)));
  return new Map([...vectors].slice(-most));
}
