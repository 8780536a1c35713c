/** Finds the next step that an agent announces at the end of its answer. English only. */

/** "Next: …", "Next steps are …", "Remaining: …", "Still to do: …", "Not done yet: …", at the start of a sentence. */
const NEXT =
  /^\W*(?:the )?(?:next(?: steps?| up)?\b(?=\W|\s+(?:is|are|i|we)\b)|remaining\b|still (?:open|to do|to be done|missing|left)\b|left to do\b|(?:not|nothing) (?:yet )?(?:done|finished|started)\b|(?:i|we) (?:still )?(?:have|need) to\b|(?:i|we) (?:have not|haven't)(?: yet)?\b)/i;
/** A question or an offer is not a plan. */
const OFFER = /\?\s*$|\blet me know\b|\bif you (?:want|like|wish)\b/i;

/** Number of characters at the end of an answer that are searched. */
const LOOKED_AT = 20_000;

/** The last such sentence with the list after it; `undefined` if there is none. Pure. */
export function findNextStep(text: string): string | undefined {
  const lines = text.slice(-LOOKED_AT).split("\n");
  for (let index = lines.length - 1; index >= 0; index--) {
    const sentences = (lines[index] ?? "").split(/(?<=[.!?])\s+/);
    const at = sentences.findLastIndex((sentence) => NEXT.test(sentence) && !OFFER.test(sentence));
    if (at === -1) continue;
    const items = lines.slice(index + 1).filter((line) => line.trim() !== "");
    const end = items.findIndex((line) => !/^\s*(?:[-*+]|\d+[.)])\s/.test(line));
    return [...sentences.slice(at), ...(end === -1 ? items : items.slice(0, end))].join(" ").trim();
  }
  return undefined;
}
