/** How much of a text an agent hands over stands in the user's words. Pure. */

/** Words and numbers, and of scripts without spaces each character; in one form where only the ending differs. */
export function readWords(text: string): Set<string> {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase();
  const found = plain.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(
    found
      .filter((word) => !FILLERS.has(word))
      .map((word) => (NOTS.has(word) ? "not" : word.replace(/(?<=\p{L}{3})(s|es|ed|ing)$/u, ""))),
  );
}

/** "Never push" and "don't push" have the same words. */
const NOTS: ReadonlySet<string> = new Set(
  "not never no don dont doesn cannot avoid mustn shouldn".split(" "),
);

const FILLERS: ReadonlySet<string> = new Set(
  "a an the to of in on at is are be was were it this that these those and or for with as by i we you he she they user users please s t".split(
    " ",
  ),
);

export function countShared(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of wanted) if (given.has(word)) shared++;
  return shared;
}

/** Where a word turns a sentence into its opposite, or into a rule without exceptions, both must have it or neither. */
const NEGATION =
  /\b(not|never|no|don['’]?t|doesn['’]?t|cannot|can['’]?t|won['’]?t|mustn['’]?t|shouldn['’]?t|isn['’]?t|aren['’]?t|without|avoid|stop|forbid(den)?)\b|不|别|勿|禁|没|无/iu;
const ABSOLUTE = /\b(always|every|all|must|only)\b|总是|必须|务必|只|都|永远/iu;
/** "No, use tabs" forbids nothing. */
const INTERJECTION = /^(no|nope|nah|wait|stop)\s*[,.!:;–—-]+\s*/i;

/** Does it turn something down, or hold without exception? */
export function isDecisive(text: string): boolean {
  return NEGATION.test(text) || ABSOLUTE.test(text);
}

/** What is ruled out in one must be ruled out in the other; what the text makes absolute the user must have. */
export function isDecidedAlike(text: string, evidence: string): boolean {
  const [one, other] = [text.replace(INTERJECTION, ""), evidence.replace(INTERJECTION, "")];
  return NEGATION.test(one) === NEGATION.test(other) && (!ABSOLUTE.test(one) || ABSOLUTE.test(other));
}

/** A number, path, address or the like in the text that the evidence has not. */
export function findStrange(text: string, evidence: string): string | undefined {
  const lower = evidence.normalize("NFKC").toLowerCase();
  return (text.normalize("NFKC").match(/[^\s"'`()（）,，;；。“”「」]+/g) ?? [])
    .filter((word) => /[\d/\\@_#$=<>|~]|[^\s:]:[^\s]|\p{L}\.\p{L}|^--?\p{L}/u.test(word))
    .map((word) => word.replace(/[.:!?！？：]+$/, "").toLowerCase())
    .find((word) => /[\p{L}\p{N}]/u.test(word) && !lower.includes(word));
}

/** Of two texts, how much they have in common of all that both have: 0 to 1. */
export function likenessOf(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  const all = wanted.size + given.size;
  return all === 0 ? 0 : (2 * countShared(wanted, given)) / all;
}
