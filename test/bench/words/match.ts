/** Which of what was kept is worth keeping, by the labels. Pure. */
import type { Expected, LabelledMessage } from "./labelled.js";

export interface Kept {
  type: string;
  /** The user's words. */
  text: string;
  /** What the memory says, if that is something else. */
  says?: string;
}

export interface Matched {
  /** For each that was kept, what it says of that which was expected; the best first. */
  hits: readonly { kept: Kept; of: readonly Expected[] }[];
  /** Expected and in nothing that was kept. */
  missed: readonly Expected[];
}

/** So much of the shorter one lies in the other: a sentence that contains the clause says it too. */
const LEAST_SHARED = 0.5;

export function match({ expected, text }: LabelledMessage, kept: readonly Kept[]): Matched {
  const whole = toPlain(text);
  const spans = expected.map((one) => ({ one, spans: locate(whole, one.says) }));
  const hits = kept.map((one) => {
    const own = locate(whole, one.text);
    const of = spans.filter(({ spans }) => spans.some((a) => own.some((b) => areSame(a, b))));
    return { kept: one, of: of.map(({ one }) => one) };
  });
  const found = new Set(hits.flatMap(({ of }) => of));
  return { hits, missed: expected.filter((one) => !found.has(one)) };
}

type Span = readonly [from: number, to: number];

function areSame([a, b]: Span, [c, d]: Span): boolean {
  const shared = Math.min(b, d) - Math.max(a, c);
  return shared > 0 && shared >= LEAST_SHARED * Math.min(b - a, d - c);
}

/** Where a piece stands, blanks aside; in parts where it is joined of several. */
function locate(whole: string, piece: string): Span[] {
  const plain = toPlain(piece);
  const spans: Span[] = [];
  for (let at = whole.indexOf(plain); plain !== "" && at !== -1; at = whole.indexOf(plain, at + 1))
    spans.push([at, at + plain.length]);
  if (spans.length > 0) return spans;
  const parts = piece.split(/\n|(?<=[.!?。！？])\s*/).filter((part) => toPlain(part).length >= 6);
  return parts.length > 1 ? parts.flatMap((part) => locate(whole, part)) : [];
}

const toPlain = (text: string): string => text.replace(/\s+/g, "");
