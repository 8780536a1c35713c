/** Mends slips of typing in the words that forms look for: people type "remeber", "shoud" and "teh". Pure. */

/** Long enough that a slip of one is no other word. */
const WORDS =
  "remember always should because instead without whenever please everything anything important database backend frontend different folder through version multiple";
const OTHERS: Readonly<Record<string, string>> = {
  teh: "the",
  hte: "the",
  tehe: "the",
  taht: "that",
  thta: "that",
  thsi: "this",
  tihs: "this",
  adn: "and",
  wnat: "want",
  dosent: "doesn't",
  doesnt: "doesn't",
  didnt: "didn't",
  isnt: "isn't",
  cant: "can't",
  wont: "won't",
  shouldnt: "shouldn't",
  bcus: "because",
  bc: "because",
  cuz: "because",
  pls: "please",
  plz: "please",
  alway: "always",
  allways: "always",
  nevr: "never",
  neevr: "never",
  recieve: "receive",
  seperate: "separate",
};
const SLIPS: ReadonlyMap<string, string> = new Map([
  ...WORDS.split(" ").flatMap((word) => slipsOf(word).map((slip) => [slip, word] as const)),
  ...Object.entries(OTHERS),
]);

/** In lower case, with straight apostrophes. */
export function mendSpelling(lower: string): string {
  return lower.replace(/[a-z]+/g, (word) => SLIPS.get(word) ?? word);
}

/** A letter left out, doubled, or changed with the next one; the first and the last stay. */
function slipsOf(word: string): string[] {
  return [...word].slice(1, -1).flatMap((letter, index) => {
    const at = index + 1;
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const next = after[0] ?? "";
    const swapped = after.length > 1 ? [`${before}${next}${letter}${after.slice(1)}`] : [];
    return [before + after, before + letter + letter + after, ...swapped].filter((slip) => slip !== word);
  });
}
