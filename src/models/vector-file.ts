/**
 * The file of cached vectors of one model, in `.opencode/strata/state/vectors`: a line of JSON, then one row per text.
 *
 *     {"v":1,"length":768,"count":2,"digest":"…"}       `digest`: of the rows
 *     16 bytes: hash of the text | 768 bytes: the vector, scaled so that its largest number is ±127
 *
 * The least recently used come first. 10,000 memories take 8 MB at 768 numbers.
 */
import { hashOf } from "../base/hash.js";
import { isRecord, parseJson } from "../base/records.js";

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
  if (!isRecord(head) || head.v !== 1 || !isLength(head.length)) return vectors;
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

const isLength = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

/** Keeps the direction of the vector, which is all that a cosine needs, to within half a percent. */
export function packVector(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return Int8Array.from(vector, (value) => (largest > 0 ? Math.round((127 * value) / largest) : 0));
}
