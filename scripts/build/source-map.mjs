/** Adjusts a source map to the code that `asBunRunsIt` writes: one line down, and right of each longer escape. */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** An escape such as `\u00e9` has five more characters than the one it replaces. */
const LONGER_BY = 5;

/** `lines`: the code before non-ASCII characters were escaped and the first line was added. */
export function moveColumns(map, lines) {
  const mappings = map.mappings.split(";").map((segments, line) => moveLine(segments, lines[line] ?? ""));
  // Without `sourcesContent` Bun treats the map as broken and prints an error on the host's screen.
  return { ...map, sourcesContent: map.sources.map(() => null), mappings: ["", ...mappings].join(";") };
}

function moveLine(segments, line) {
  const escaped = [...line.matchAll(/[^\0-\x7f]/g)].map(({ index }) => index);
  if (escaped.length === 0 || segments === "") return segments;
  let column = 0;
  let moved = 0;
  let before = 0;
  const columns = segments.split(",").map((segment) => {
    const { length, value } = readNumber(segment);
    column += value;
    while (before < escaped.length && escaped[before] < column) before++;
    const last = moved;
    moved = column + before * LONGER_BY;
    return `${writeNumber(moved - last)}${segment.slice(length)}`;
  });
  return columns.join(",");
}

/** The first number of a segment (VLQ): five bits per digit, lowest first, with the sign in the lowest bit. */
function readNumber(segment) {
  let bits = 0;
  for (let at = 0; ; at++) {
    const digit = DIGITS.indexOf(segment[at]);
    bits += (digit & 31) << (5 * at);
    if ((digit & 32) === 0) return { length: at + 1, value: bits & 1 ? -(bits >> 1) : bits >> 1 };
  }
}

function writeNumber(value) {
  let bits = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = bits & 31;
    bits >>>= 5;
    text += DIGITS[bits > 0 ? digit | 32 : digit];
  } while (bits > 0);
  return text;
}
