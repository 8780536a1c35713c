/** Compares two texts word by word. Pure. */

export interface Piece {
  kind: "same" | "removed" | "added";
  text: string;
}

/**
 * A memory's file for people: title, fields (without those that every change sets), text. Returns a text without front
 * matter unchanged.
 */
export function toReadable(file: string): string {
  const [, front, body = ""] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(file) ?? [];
  if (front === undefined) return file;
  const fields = front.split(/\n(?=\S)/).filter((field) => !/^(created|updated|source):/.test(field));
  const title = fields.find((field) => field.startsWith("title:"))?.slice("title:".length);
  const others = fields.filter((field) => !field.startsWith("title:"));
  return [title?.trim() ?? "", ...others, "", body.trim()].join("\n").trim();
}

/** Above this product of word counts a comparison takes too long, so both texts are shown whole. */
const MOST_WORK = 4_000_000;

/** Pieces of both texts in order: without "added" ones they form the first text, without "removed" ones the second. */
export function compareTexts(before: string, after: string): Piece[] {
  const [was, is] = [splitWords(before), splitWords(after)];
  const start = countWhile(was, is, (n) => [was[n], is[n]]);
  const end = Math.min(
    countWhile(was, is, (n) => [was[was.length - 1 - n], is[is.length - 1 - n]]),
    was.length - start,
    is.length - start,
  );
  const [left, right] = [was.slice(start, was.length - end), is.slice(start, is.length - end)];
  return join([
    ...was.slice(0, start).map((text): Piece => ({ kind: "same", text })),
    ...compareMiddle(left, right),
    ...was.slice(was.length - end).map((text): Piece => ({ kind: "same", text })),
  ]);
}

/** Words with the space after them, and line breaks. */
const splitWords = (text: string): string[] => text.match(/\n|[^\s]+[^\S\n]*|[^\S\n]+/g) ?? [];

function countWhile(
  was: readonly string[],
  is: readonly string[],
  pair: (n: number) => [string | undefined, string | undefined],
): number {
  const most = Math.min(was.length, is.length);
  let n = 0;
  while (n < most) {
    const [one, other] = pair(n);
    if (one !== other) break;
    n++;
  }
  return n;
}

/** By the longest common subsequence. */
function compareMiddle(was: readonly string[], is: readonly string[]): Piece[] {
  if (was.length * is.length > MOST_WORK)
    return [
      { kind: "removed", text: was.join("") },
      { kind: "added", text: is.join("") },
    ];
  const width = is.length + 1;
  const lengths = new Uint32Array((was.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = is.length - 1; j >= 0; j--)
      lengths[i * width + j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < was.length || j < is.length) {
    if (i < was.length && j < is.length && was[i] === is[j]) {
      pieces.push({ kind: "same", text: was[i] ?? "" });
      i++;
      j++;
    } else if (j >= is.length || (i < was.length && at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: "removed", text: was[i] ?? "" });
      i++;
    } else {
      pieces.push({ kind: "added", text: is[j] ?? "" });
      j++;
    }
  }
  return pieces;
}

function join(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else if (piece.text !== "") joined.push({ ...piece });
  }
  return joined;
}
