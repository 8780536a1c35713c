/**
 * Finds the parts of OpenCode's session exports in a stream of bytes, without holding the whole file:
 *
 *     {"info": {…}, "messages": [{…}, {…}]}
 *
 * Several exports may follow each other.
 */

export type ExportPart =
  | { kind: "info" | "message"; text: Uint8Array; line: number }
  | { kind: "end" }
  /** Bytes that are no export, or a part longer than `LONGEST_PART`. */
  | { kind: "problem"; what: string; line: number };

export interface ExportScanner {
  /** The parts that end in this chunk. */
  scan(chunk: Uint8Array): ExportPart[];
  /** What is missing at the end of the file. */
  end(): ExportPart[];
}

/** One message with everything it carries; 256 MB. */
const LONGEST_PART = 256 * 1024 * 1024;

const [QUOTE, BACKSLASH, COLON, NEWLINE] = [0x22, 0x5c, 0x3a, 0x0a];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const [BRACE, BRACKET] = [0x7b, 0x5b];
/** Spaces, and the three bytes of a byte order mark. */
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const LONGEST_KEY = 64;

interface Position {
  depth: number;
  line: number;
  isInString: boolean;
  isEscaped: boolean;
  /** The last string at depth 1, and the key whose value follows. */
  name: number[];
  key: string;
  /** Did the value of the key open a list? */
  isList: boolean;
  /** Skips to the next export. */
  isLost: boolean;
}

/** The part being read. */
interface Capture {
  kind: "info" | "message";
  /** Depth outside of it. */
  depth: number;
  line: number;
  pieces: Uint8Array[];
  bytes: number;
}

export function createExportScanner(): ExportScanner {
  const at: Position = {
    ...{ depth: 0, line: 1, isInString: false, isEscaped: false },
    ...{ name: [], key: "", isList: false, isLost: false },
  };
  let capture: Capture | undefined;

  return { scan, end };

  function scan(chunk: Uint8Array): ExportPart[] {
    const parts: ExportPart[] = [];
    /** Where the part being read begins in this chunk. */
    let from = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (byte === NEWLINE) at.line++;
      if (at.isInString) readString(at, byte);
      else if (byte === QUOTE) openString(at);
      else if (OPENING.has(byte)) {
        const kind = findKind(at, byte);
        if (kind && !capture) {
          capture = { kind, depth: at.depth, line: at.line, pieces: [], bytes: 0 };
          from = index;
        }
        if (at.depth === 1) at.isList = byte === BRACKET;
        at.depth++;
      } else if (CLOSING.has(byte)) {
        at.depth--;
        if (capture && at.depth === capture.depth) {
          parts.push(finish(capture, chunk.subarray(from, index + 1)));
          capture = undefined;
        }
        if (at.depth <= 0) parts.push(...leave(at));
      } else if (byte === COLON && at.depth === 1) at.key = String.fromCharCode(...at.name);
      else if (at.depth === 0 && !SPACE.has(byte) && !at.isLost) parts.push(lose(at));
    }
    if (capture) hold(capture, chunk.subarray(from));
    return parts;
  }

  function end(): ExportPart[] {
    if (at.depth === 0 && !at.isInString) return [];
    return [
      { kind: "problem", what: "the file ends within a session; export it again", line: at.line },
      { kind: "end" },
    ];
  }
}

function readString(at: Position, byte: number): void {
  if (at.isEscaped) at.isEscaped = false;
  else if (byte === BACKSLASH) at.isEscaped = true;
  else if (byte === QUOTE) at.isInString = false;
  else if (at.depth === 1 && at.name.length < LONGEST_KEY) at.name.push(byte);
}

function openString(at: Position): void {
  at.isInString = true;
  if (at.depth === 1) at.name = [];
}

/** Which part begins with this bracket. */
function findKind({ depth, isList, key }: Position, byte: number): Capture["kind"] | undefined {
  if (byte !== BRACE) return undefined;
  if (depth === 1 && key === "info") return "info";
  return depth === 2 && isList && key === "messages" ? "message" : undefined;
}

function hold(capture: Capture, piece: Uint8Array): void {
  capture.bytes += piece.byteLength;
  if (capture.bytes > LONGEST_PART) capture.pieces = [];
  else capture.pieces.push(piece);
}

function finish(capture: Capture, last: Uint8Array): ExportPart {
  hold(capture, last);
  const { bytes, kind, line, pieces } = capture;
  if (bytes > LONGEST_PART)
    return { kind: "problem", what: `expected a message of at most 256 MB, ${bytes} bytes came`, line };
  return { kind, text: Buffer.concat(pieces), line };
}

/** The export ends, or has a bracket too many. */
function leave(at: Position): ExportPart[] {
  const hasEnded = at.depth === 0;
  Object.assign(at, { depth: 0, key: "", isList: false, isLost: false });
  return hasEnded ? [{ kind: "end" }] : [];
}

function lose(at: Position): ExportPart {
  at.isLost = true;
  return { kind: "problem", what: 'expected {"info": …, "messages": […]}, other text came', line: at.line };
}
