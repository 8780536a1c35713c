/**
 * A hash of what the host sends of a message, so that the next request can tell whether it has changed. Covers only what
 * reaches the model: titles, times and snapshots may change. Pure.
 *
 * Every character is hashed, since an edit may keep the length. What is sent fits into the model's window, which bounds the
 * work for any length of history.
 */
import { estimateTokens } from "../../src/context/context-size.js";
import { isToolPart, type Message, type Part, readResultText, type ToolPart } from "../../src/io/message.js";

/** One message as it was sent. */
export interface Digest {
  role: string;
  /** Creation time, which identifies the message; 0 if the host does not say. */
  created: number;
  sum: number;
  tokens: number;
}

/** The first difference from the messages sent before. */
export interface Change {
  kind: "changed" | "removed" | "inserted";
  /** Index of the first earlier message that is no longer in its place. */
  index: number;
  role: string;
  /** Number of earlier messages. */
  count: number;
  /** Tokens of the earlier messages from `index` on. */
  tokens: number;
}

/**
 * Digests the messages that are sent, which leaves out answers that failed before they began. Each message is read once:
 * messages are never changed in place.
 */
export function createDigestReader(): (messages: readonly Message[]) => Digest[] {
  const read = new WeakMap<Message, readonly Digest[]>();
  const sum = createSum();
  return (messages) =>
    messages.flatMap((message) => {
      const known = read.get(message) ?? [readDigest(message, sum) ?? []].flat();
      read.set(message, known);
      return known;
    });
}

/** `undefined` if nothing of the message is sent. */
function readDigest(message: Message, parts: Sum): Digest | undefined {
  const { role, error, time } = message.info;
  const isFailed = error !== undefined && !message.parts.some(({ type }) => !UNSPOKEN.has(type));
  if (!isFailed) for (const part of message.parts) addPart(parts, part, role);
  const sum = parts.end();
  return sum === undefined
    ? undefined
    : { role, created: time?.created ?? 0, sum, tokens: estimateTokens([message]) };
}

/** Parts that do not make a failed answer worth sending. */
const UNSPOKEN: ReadonlySet<string> = new Set(["step-start", "reasoning"]);
/** Files that the host sends as text, if at all. */
const AS_TEXT: ReadonlySet<unknown> = new Set(["text/plain", "application/x-directory"]);

function addPart(sum: Sum, part: Part, role: string): void {
  const { type, text } = part;
  if (isToolPart(part)) addCall(sum, part);
  else if (type === "file") addFile(sum, part);
  else if (type === "compaction" || type === "subtask") sum.add(type);
  else if (type === "text" || type === "reasoning") {
    const isShown = role !== "user" || (!part.ignored && text !== "");
    if (text !== undefined && isShown) sum.add(type, text);
  }
}

function addCall(sum: Sum, part: ToolPart): void {
  const { callID, state, tool } = part;
  sum.add("tool", tool, callID, JSON.stringify(state.input) ?? "");
  // The host sends its own text instead of a pruned or missing result.
  sum.add(readResultText(part) ?? (state.time?.compacted === undefined ? "none" : "pruned"));
  if (state.status !== "completed" || state.time?.compacted !== undefined) return;
  for (const file of state.attachments ?? []) addFile(sum, file);
}

/** Hashes the ends of a file only: pictures are not edited. */
function addFile(sum: Sum, file: unknown): void {
  const { filename, mime, url } = file as { filename?: unknown; mime?: unknown; url?: unknown };
  if (AS_TEXT.has(mime)) return;
  const data = typeof url === "string" ? url : "";
  const ends = data.length > 2 * FILE_END ? data.slice(0, FILE_END) + data.slice(-FILE_END) : data;
  sum.add("file", String(mime), String(filename), String(data.length), ends);
}

const FILE_END = 2_048;

interface Sum {
  add(...texts: string[]): void;
  /** The 32-bit hash of everything added since the last call; `undefined` if nothing was. */
  end(): number | undefined;
}

/**
 * FNV-1a over the bytes, four at a time, in two lanes that the processor runs in parallel: six times as fast as by
 * characters. Each step is invertible, so a single edit always changes the hash; lengths keep texts apart.
 */
function createSum(): Sum {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(SCRATCH_BYTES);
  const words = new Int32Array(bytes.buffer);
  let [even, odd, count] = [BASIS, BASIS, 0];

  function addBytes(length: number): void {
    bytes.fill(0, length, Math.ceil(length / 8) * 8);
    for (let index = 0; index * 4 < length; index += 2) {
      even = mix(even ^ (words[index] ?? 0));
      odd = mix(odd ^ (words[index + 1] ?? 0));
    }
  }

  return {
    add(...texts) {
      for (const text of texts) {
        even = mix(even ^ text.length);
        count++;
        for (let rest = text; rest !== ""; ) {
          const { read, written } = encoder.encodeInto(rest, bytes);
          addBytes(written);
          rest = rest.slice(read);
        }
      }
    },
    end() {
      const sum = mix(even ^ mix(odd)) >>> 0;
      const isEmpty = count === 0;
      [even, odd, count] = [BASIS, BASIS, 0];
      return isEmpty ? undefined : sum;
    },
  };
}

const SCRATCH_BYTES = 65_536;
const BASIS = 0x811c9dc5;

/** Maps numbers one to one. */
function mix(number: number): number {
  const product = Math.imul(number, 0x01000193);
  return product ^ (product >>> 15);
}

/** The first difference; `undefined` if the later messages begin with all earlier ones. */
export function findChange(earlier: readonly Digest[], later: readonly Digest[]): Change | undefined {
  const index = earlier.findIndex(({ role, sum }, at) => later[at]?.sum !== sum || later[at]?.role !== role);
  const [was, is] = [earlier[index], later[index]];
  if (!was) return undefined;
  const isIn = (digests: readonly Digest[], one: Digest) =>
    digests.some((other) => isSameMessage(one, other));
  const isStill = is !== undefined && isSameMessage(was, is);
  const kind = isStill ? "changed" : isIn(later.slice(index), was) ? "inserted" : "removed";
  const tokens = earlier.slice(index).reduce((sum, one) => sum + one.tokens, 0);
  return { kind, index, role: was.role, count: earlier.length, tokens };
}

const isSameMessage = (one: Digest, other: Digest): boolean =>
  one.created === other.created && one.role === other.role;

/** Formats the change for people. */
export function formatChange({ count, index, kind, role }: Change): string {
  const message = `message ${index + 1} of ${count} (${role})`;
  if (kind === "inserted") return `the host has put another before ${message}`;
  return `the host has ${kind} ${message}`;
}
