/** Moves a source map to where its code goes: a line down, and behind what is written longer. */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** `\u00e9` in place of one character. */
const LONGER_BY = 5;

/** `lines` are those of the code before each character that is not ASCII was escaped and a line was put before it. */
export function moveColumns(map, lines) {
  const mappings = map.mappings.split(";").map((segments, line) => moveLine(segments, lines[line] ?? ""));
  // Bun takes a map without a place for each source's text as broken, and says so on the host's screen.
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

/** The first number of a segment: five bits a digit, the lowest first, the sign in the lowest of all. */
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
